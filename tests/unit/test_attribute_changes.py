"""A change of any attribute of `cuda_tile` changes the code, or what is said of the program."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache

import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i32
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from tests.attribute_changes import Change, Outcome, changed, changes, silent
from tests.tileiras_agreement import derived
from tests.tileiras_agreement.cases import DRAFTS, NO_CASES, operations, short_name
from tests.tileiras_agreement.control import MODULES
from tests.tileiras_agreement.draft import module_of
from tests.unit.dialects.cuda_tile import samples
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.dialects.cuda_tile.hints import HINTS
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.runtime.diagnostics import remarks_of
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

PROMISE = "a promise that may allow other code, and no choice depends on it"
REASONS: Mapping[tuple[str, str], str] = {
    ("cuda_tile.module", "sym_name"): "PTX has no name for a module",
    ("cuda_tile.global", "constant"): PROMISE,
    ("cuda_tile.addi", "overflow"): PROMISE,
    ("cuda_tile.subi", "overflow"): PROMISE,
    ("cuda_tile.negi", "overflow"): PROMISE,
    ("cuda_tile.muli", "overflow"): PROMISE,
    ("cuda_tile.shli", "overflow"): PROMISE,
    ("cuda_tile.trunci", "overflow"): PROMISE,
    ("cuda_tile.ftoi", "saturating"): "conversions of PTX saturate in any case",
    ("cuda_tile.alloca", "global"): "it is memory of the heap in any case",
}
"""Pairs of op and attribute that nothing tells of, and why."""

TARGETS = ("sm_90a", "sm_100a")
"""Attributes such as `fast_acc` are about the units of one target."""
DRAFTED, KERNELS = 4, 2
"""How many small modules about an op, and how many kernels with it, are changed."""


FURTHER = {ct.MmaFOp: samples.KERNELS / "divisible" / "matmul_f8_warpgroup.mlir"}
"""Kernels beyond the shortest, whose tiles are large enough for the units of a target."""


def compiler(gpu: str) -> Callable[[ModuleOp], Outcome]:
    """Compiles to PTX for a target, with what is remarked on or why it is refused."""

    def compile(module: ModuleOp) -> Outcome:
        try:
            module.verify()
            lowered = lower(tools.context(), module, "ptx", gpu=gpu, file="m")
        except (VerifyException, InputError) as error:
            return Outcome(None, (str(error),))
        return Outcome(lowered.ptx, [remark.message for remark in remarks_of(module, "m")])

    return compile


def drafts(operation: type[Operation]) -> Iterator[ModuleOp]:
    """Small modules about an op."""
    if operation in MODULES:
        yield from (build() for _, build in MODULES[operation]())
    else:
        drafted = DRAFTS.get(operation, lambda: derived.drafts(operation))
        yield from (module_of(draft) for _, draft in drafted())


@cache
def texts() -> list[str]:
    """The kernels of the zoo, the shortest first."""
    return sorted((samples.text(path) for path in samples.KERNEL_FILES.values()), key=len)


def kernels(operation: type[Operation]) -> Iterator[ModuleOp]:
    """The shortest kernels of the zoo with an op, and the shortest one with each of its flags."""
    assert issubclass(operation, CudaTileOperation)
    name = rf"(?<![\w.]){re.escape(short_name(operation))} "
    found = [text for text in texts() if re.search(name, text)]
    flags = (known.name for known in operation.DEFINITION.properties if not known.required)
    flagged = [text for flag in flags for text in found if re.search(rf"{name}.* {flag}\b", text)]
    further = [samples.text(FURTHER[operation])] if operation in FURTHER else []
    chosen = (*found[:KERNELS], *flagged[:KERNELS], *further)
    yield from map(tools.parse, dict.fromkeys(chosen))


def silent_pairs(operation: type[Operation], gpu: str) -> set[tuple[str, str]]:
    compile = compiler(gpu)
    modules = [*list(drafts(operation))[:DRAFTED], *kernels(operation)]
    compiled = [module for module in modules if compile(module.clone()).code is not None]
    found = silent(compiled, compile, lambda change: change.op == operation.name)
    # Hints have a test of their own.
    return {change.pair for change in found if not change.name.startswith("optimization_hints")}


@pytest.mark.one_in(40)
@pytest.mark.parametrize("operation", operations(), ids=short_name)
def test_no_attribute_is_silent(operation: type[Operation]):
    found = silent_pairs(operation, TARGETS[0])
    for gpu in TARGETS[1:]:
        found &= silent_pairs(operation, gpu) if found - REASONS.keys() else found
    assert found - REASONS.keys() == set()


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("name", "attribute"), REASONS)
def test_reasons_are_in_use(name: str, attribute: str):
    operation = next(op for op in operations() if op.name == name)
    assert (name, attribute) in silent_pairs(operation, TARGETS[0])


GIVEN: Mapping[str, Attribute] = {
    "num_cta_in_cga": IntegerAttr(2, i32),
    "num_worker_warps_per_cta": IntegerAttr(8, i32),
    "occupancy": IntegerAttr(2, i32),
    "allow_tma": IntegerAttr.from_bool(True),
}
"""A valid value of each hint."""
HINTED = {
    "matmul": samples.KERNELS / "divisible" / "matmul_f16_warpgroup.mlir",
    "gather": samples.KERNEL_FILES["hinted_gather"],
    "add": samples.KERNEL_FILES["hinted_add"],
}


def hinted(text: str, architecture: str) -> ModuleOp:
    """A kernel all of whose ops have all hints that they may have."""
    module = tools.parse(text)
    for number, op in enumerate(op for op in module.walk() if op.name in HINTS):
        # Remarks without a location are one where they say the same.
        given = {**GIVEN, "latency": IntegerAttr(1 + number, i32)}
        values = DictionaryAttr({key: given[key] for key in HINTS[op.name]})
        op.properties["optimization_hints"] = ct.OptimizationHintsAttr({architecture: values})
    return module


def silent_hints(name: str, gpu: str) -> Iterator[Change]:
    """The changes of single hints of a kernel that nothing tells of."""
    module, compile = hinted(samples.text(HINTED[name]), gpu.rstrip("a")), compiler(gpu)
    before = compile(module.clone())
    assert before.code is not None
    for change in changes(module):
        is_hint = change.name == "optimization_hints" and change.path.count(".") == 2
        if is_hint and compile(changed(module, change)) == before:
            yield change


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("name", [pytest.param("matmul", marks=pytest.mark.soak), "gather", "add"])
def test_no_hint_is_silent(name: str, gpu: str):
    """But the one that says what goes without saying: TMA is used where it may be."""
    for change in silent_hints(name, gpu):
        assert change.path.endswith(".allow_tma"), change


def test_a_dropped_attribute_is_found():
    """A compiler that reads no rounding mode is found out."""
    operation, compile = ct.AddFOp, compiler(TARGETS[0])

    def careless(module: ModuleOp) -> Outcome:
        for op in module.walk():
            if isinstance(op, operation):
                op.properties["rounding_mode"] = derived.DEFAULTS["rounding_mode"]
        return compile(module)

    (first, *_) = drafts(operation)
    found = silent([first], careless, lambda change: change.op == operation.name)
    assert {change.pair for change in found} == {("cuda_tile.addf", "rounding_mode")}


def test_operations_without_drafts_are_named():
    assert {*NO_CASES, *operations()} == set(ct.CudaTile.operations)
