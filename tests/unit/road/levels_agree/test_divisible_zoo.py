"""Twins of the zoo with divisible strides: asynchronous loads, at every level and as PTX.

Each goes down to one target, drawn by its name; `python -m tests.kernels` takes all of them. Every
other one is left to `make soak`.
"""

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import drawn_gpu, gpus_of, lower, run
from tileir_xdsl import interpreters
from tileir_xdsl.interpreters.memory_order import LateOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.instruction_families import families
from tileir_xdsl.testing.kernels import DIVISIBLE, KernelCase, launch_arguments

INTERPRETED = (
    "convert-cuda-tile-to-tileaa",
    "convert-tileaa-to-tileas",
    "lower-tma-load-store-to-async",
    "convert-tileas-to-llvm",
)
"""Passes before which kernels are interpreted."""


def interpret(case: KernelCase, module: ModuleOp) -> None:
    """Checks that a form of a kernel computes its meaning, asynchronous work being late."""
    arguments = case.make_arguments(case.typical)
    expected = case.expected(arguments)
    grid, values = case.grid(case.typical), launch_arguments(arguments)
    interpreters.launch(module, case.name, grid, values, memory_order=LateOrder())
    case.check(arguments, expected)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", DIVISIBLE)
def test_every_level_equals_numpy(name: str):
    case = DIVISIBLE[name]
    gpu = drawn_gpu(case)

    def before(step: ModulePass, module: ModuleOp) -> None:
        if step.name in INTERPRETED:
            interpret(case, module)

    kernel = lower(tools.parse(case.text_path.read_text()), gpu, before)
    assert "warning" not in assemble(kernel.ptx, gpu)
    run(case, kernel, case.typical, case.grid(case.typical), late=True, races=True)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("gpu", "name", "wanted"),
    [
        ("sm_80", "matmul_f16", {"cp.async", "mma"}),
        ("sm_80", "attention_warpgroup", {"cp.async", "mma"}),
        ("sm_90a", "matmul_f16", {"tma load", "mma", "mbarrier", "setmaxnreg"}),
        ("sm_90a", "matmul_f16_warpgroup", {"tma load", "wgmma", "mbarrier", "setmaxnreg"}),
        ("sm_90a", "attention_warpgroup", {"tma load", "wgmma", "mbarrier", "setmaxnreg"}),
        ("sm_100a", "matmul_f16_warpgroup", {"tma load", "tcgen05", "mbarrier", "setmaxnreg"}),
        ("sm_120a", "matmul_f16_warpgroup", {"tma load", "mma", "mbarrier", "setmaxnreg"}),
    ],
)
def test_twins_reach_the_asynchronous_path(gpu: str, name: str, wanted: set[str]):
    case = DIVISIBLE[name]
    assert families(lower(tools.parse(case.text_path.read_text()), gpu).ptx) >= wanted


def test_draws_take_every_target():
    drawn: dict[str, list[str]] = {}
    for name, case in DIVISIBLE.items():
        drawn.setdefault(drawn_gpu(case), []).append(name)
    for gpu in ("sm_80", "sm_90a", "sm_100a", "sm_120a"):
        assert len(_of_mmas(drawn[gpu])) >= 2, gpu


def _of_mmas(names: Sequence[str]) -> list[str]:
    return [name for name in names if "matmul" in name or "attention" in name]


def test_draws_are_targets_that_run_the_kernel():
    assert all(drawn_gpu(case) in gpus_of(case) for case in DIVISIBLE.values())
