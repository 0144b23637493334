"""Random programs reach the asynchronous path of every target.

The shares of all programs are printed by `python -m tileir_xdsl.testing.programs --coverage --seeds 200`.
"""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing.instruction_families import OF_TARGET
from tileir_xdsl.testing.programs import generate
from tileir_xdsl.testing.programs.__main__ import main
from tileir_xdsl.testing.programs.coverage import reached
from tileir_xdsl.testing.programs.families.loop_parts import PARTS
from tileir_xdsl.testing.programs.scale import ASYNCHRONOUS, PIPELINED
from tileir_xdsl.testing.programs.targets import NEWEST

PROGRAMS = 12

LEAST = {
    "sm_80": {"cp.async": 5, "mma": 9},
    "sm_90a": {"tma load": 6, "mbarrier": 6, "wgmma": 3, "mma": 3, "setmaxnreg": 2},
    "sm_100a": {"tma load": 6, "mbarrier": 6, "tcgen05": 3, "mma": 3, "setmaxnreg": 2},
    "sm_120a": {"tma load": 6, "mbarrier": 6, "mma": 8, "setmaxnreg": 2},
}
"""How many of the programs with loops around products have instructions of a family, at least."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gpu", LEAST)
def test_programs_with_loops_around_products_are_pipelined(gpu: str) -> None:
    found = reached(
        generate(seed, 0, exact=True, target=gpu, scale=PIPELINED) for seed in range(PROGRAMS)
    )
    assert set(LEAST[gpu]) <= set(OF_TARGET[gpu])
    assert {name: min(found[name], least) for name, least in LEAST[gpu].items()} == LEAST[gpu]


ASYNCHRONOUS_SEEDS = range(6)
LEAST_OF_LOOPS = {
    "sm_90a": {"tma load", "tma store", "mbarrier", "wgmma", "proxy fence", "setmaxnreg"},
    "sm_100a": {"tma load", "tma store", "mbarrier", "tcgen05", "proxy fence", "setmaxnreg"},
}
"""Families that few programs with loops as kernels have them show already."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("gpu", LEAST_OF_LOOPS)
def test_loops_as_kernels_have_them_are_asynchronous(gpu: str) -> None:
    found = reached(
        generate(seed, 0, exact=True, target=gpu, scale=ASYNCHRONOUS) for seed in ASYNCHRONOUS_SEEDS
    )
    assert LEAST_OF_LOOPS[gpu] <= set(found)


def test_loops_have_all_that_kernels_have() -> None:
    programs = [generate(seed, 0, scale=ASYNCHRONOUS) for seed in range(150)]
    texts = [str(program.module) for program in programs]
    for word in (
        "cuda_tile.break",
        "cuda_tile.continue",
        "cuda_tile.mmaf_scaled",
        "strided_view<",
        "gather_scatter_view<",
        "cuda_tile.atomic_",
        "num_cta_in_cga",
        "occupancy",
        "latency",
    ):
        assert any(word in text for text in texts), word
    assert {program.options.strategy for program in programs} >= {"warp-specialize", None}
    assert any(program.options.dynamic_persistent for program in programs)
    nested = [_loops_around_mma(program.module) for program in programs]
    assert {1, 2} <= set(nested)
    assert len(PARTS) == 10


def _loops_around_mma(module: ModuleOp) -> int:
    """The most loops that a product is in."""
    most = 0
    for op in module.walk():
        if op.name in ("cuda_tile.mmaf", "cuda_tile.mmai", "cuda_tile.mmaf_scaled"):
            depth, parent = 0, op.parent_op()
            while parent is not None:
                depth += parent.name in ("cuda_tile.for", "cuda_tile.loop")
                parent = parent.parent_op()
            most = max(most, depth)
    return most


def test_a_quarter_of_the_programs_has_such_loops() -> None:
    programs = [generate(seed, 0) for seed in range(150)]
    names = [{op.name for op in program.module.walk()} for program in programs]
    pipelined = [found for found in names if found & {"cuda_tile.mmaf", "cuda_tile.mmai"}]
    assert len(pipelined) >= 0.2 * len(programs)
    assert {program.target for program in programs} == {*OF_TARGET, NEWEST}


def test_the_command_prints_shares(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--coverage", "--first", "2", "--seeds", "1", "--size", "0", "--gpu", "sm_80"]
    assert main(command) == 0
    assert capsys.readouterr().out == "sm_80: 1 programs, nothing asynchronous\n"
