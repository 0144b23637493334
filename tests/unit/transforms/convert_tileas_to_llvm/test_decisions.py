"""The conversion reads decisions and takes none: one that is missing is an error at its op."""

from collections.abc import Iterator

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tests.imports import imported_modules
from tests.unit.tools import REPOSITORY
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.strategies import ACCESSES, EXCHANGES, ISSUER, STRATEGY
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_select_lowering.float_arithmetic import ARITHMETIC

TRANSFORMS = "tileir_xdsl.transforms"
CONVERSION = f"{TRANSFORMS}.convert_tileas_to_llvm"

CHOOSING = {
    "MMALoops",
    "pipelines_of_mmas",
    "plan_conversion",
    "plan_of",
    "plan_shared_memory",
    "plan_tensor_memory",
    "steps_within",
    "why_not_of_each_warpgroup",
}
"""Functions of `analysis` and `layout` that choose among several possibilities."""

KERNELS = (
    ("attention.mlir", "sm_80"),
    ("attention.mlir", "sm_90a"),
    ("attention.mlir", "sm_100a"),
    ("divisible/matmul_f16_warpgroup.mlir", "sm_90a"),
    ("divisible/matmul_f16_warpgroup.mlir", "sm_100a"),
    ("integer_division_i32.mlir", "sm_120a"),
    ("layer_norm.mlir", "sm_90a"),
)

WITH_DEFAULT = {
    nv_tileas.ConsumerReleaseOp: "threads release the stage",
    scf.ForOp: "all threads execute the loop",
    **dict.fromkeys(ARITHMETIC, "each element is computed by itself"),
}
"""Ops that mean something without a decision too, and what."""


def test_no_other_pass_and_no_planner_is_imported() -> None:
    folder = REPOSITORY.joinpath(*CONVERSION.split("."))
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(REPOSITORY).with_suffix("").parts)
        imported = set(
            imported_modules(
                path.read_text(),
                module.removesuffix(".__init__"),
                is_package=path.name == "__init__.py",
            )
        )
        passes = {m for m in imported if m.startswith(f"{TRANSFORMS}.")}
        assert all(m.startswith(CONVERSION) for m in passes), (path, passes)
        assert CHOOSING.isdisjoint(m.rpartition(".")[2] for m in imported), path


def decided(kernel: str, gpu: str) -> ModuleOp:
    """A kernel before the conversion, with all decisions."""
    context, module = (
        tools.context(),
        tools.parse((REPOSITORY / "tileir_xdsl/testing/kernels" / kernel).read_text()),
    )
    for step in steps(gpu):
        if step.name != "convert-tileas-to-llvm":
            step.module_pass.apply(context, module)
    return module


def converted(module: ModuleOp, gpu: str) -> str:
    ConvertTileASToLLVMPass().apply(tools.context(), module)
    return emit(module, gpu)


def decisions(module: ModuleOp) -> Iterator[tuple[int, Operation, str]]:
    """The first op of each type that has a decision of a kind, and its number in a walk."""
    seen = set[tuple[type[Operation], str]]()
    for number, op in enumerate(module.walk()):
        for name in (STRATEGY, EXCHANGES, ISSUER, ACCESSES, "atom_plan"):
            if name in {**op.attributes, **op.properties} and (type(op), name) not in seen:
                seen.add((type(op), name))
                yield number, op, name


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("kernel", "gpu"), KERNELS)
def test_a_missing_decision_is_an_error_at_its_op(kernel: str, gpu: str) -> None:
    module = decided(kernel, gpu)
    wanted = converted(module.clone(), gpu)
    for number, op, name in decisions(module):
        changed = module.clone()
        target = next(each for place, each in enumerate(changed.walk()) if place == number)
        target.attributes.pop(name, None)
        target.properties.pop(name, None)
        try:
            ptx = converted(changed, gpu)
        except PassFailedException as error:
            assert op.name in str(error), (op.name, name)
        else:
            assert ptx == wanted or type(op) in WITH_DEFAULT, (op.name, name)
