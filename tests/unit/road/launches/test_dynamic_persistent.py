"""Kernels whose tile blocks go on with others of the grid, down to PTX."""

from dataclasses import replace
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from bench.variants import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.kernels.case import KernelCase, Problem
from tileir_xdsl.testing.kernels.generate import text

GPU = "sm_100a"

SMALL: dict[str, Problem] = {
    "vector_add": (9000,),
    "softmax_f32": (7, 100),
    "matmul_f16": (40, 50, 70),
    "attention": (2, 80),
    "grid_coordinates": (3, 2, 2),
}
"""Kernels that one agent runs."""

PIPELINED: dict[str, tuple[Problem, int]] = {
    "half": ((272, 144, 160), 3),
    "attention_64": ((176, 0, 0), 2),
}
"""Kernels of agents, one of which loads and asks for tile blocks; problems, and how many agents read
the answers. That of dots alone has an agent of MMAs.
"""


def persistent(program: str) -> Lowered:
    """A kernel whose tile blocks take over others."""
    return lower(tools.parse(program), GPU, dynamic_persistent=True)


def variant(name: str, folder: Path) -> tuple[KernelCase, str]:
    """A kernel that is not in the zoo, with its text, which is put in a folder."""
    case = replace(CASES[name], folder=folder)
    program = text(case)
    case.text_path.write_text(program)
    return case, program


def check(case: KernelCase, kernel: Lowered, problem: Problem) -> None:
    """Runs the PTX late, with races looked for, and with warps that run by themselves."""
    grid = case.grid(problem)
    late = run(case, kernel, problem, grid, late=True, races=True)
    assert late.canceled_blocks
    run(case, kernel, problem, grid, warp_seed=1)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", SMALL)
def test_small_kernels(name: str):
    case = KERNELS[name]
    kernel = persistent(case.text_path.read_text())
    assert kernel.ptx.count("clusterlaunchcontrol.try_cancel") == 1
    check(case, kernel, SMALL[name])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", PIPELINED)
def test_pipelined_kernels(name: str, tmp_path: Path):
    case, program = variant(name, tmp_path)
    kernel, (problem, readers) = persistent(program), PIPELINED[name]
    assert kernel.ptx.count("clusterlaunchcontrol.try_cancel") == 1
    assert kernel.ptx.count("clusterlaunchcontrol.query_cancel.is_canceled") == readers
    assert " 0 bytes spill stores" in assemble(kernel.ptx, GPU)
    check(case, kernel, problem)


def test_targets_that_cannot():
    program = KERNELS["vector_add"].text_path.read_text()
    with pytest.raises(PassFailedException, match="is not available on sm_90a: it needs sm_100"):
        lower(tools.parse(program), "sm_90a", dynamic_persistent=True)
