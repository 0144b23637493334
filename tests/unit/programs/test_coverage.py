"""Random programs reach the asynchronous path of every target.

The shares of all programs are printed by `python -m tests.programs --coverage --seeds 200`.
"""

from __future__ import annotations

import pytest

from tests.instruction_families import OF_TARGET
from tests.programs import generate
from tests.programs.__main__ import main
from tests.programs.coverage import reached
from tests.programs.scale import PIPELINED

PROGRAMS = 12

LEAST = {
    "sm_80": {"cp.async": 5, "mma": 9},
    "sm_90a": {"tma load": 6, "mbarrier": 6, "wgmma": 3, "mma": 3, "setmaxnreg": 2},
    "sm_100a": {"tma load": 6, "mbarrier": 6, "tcgen05": 3, "mma": 3, "setmaxnreg": 2},
    "sm_120a": {"tma load": 6, "mbarrier": 6, "mma": 8, "setmaxnreg": 2},
}
"""How many of the programs with loops around products have instructions of a family, at least."""


@pytest.mark.parametrize("gpu", LEAST)
def test_programs_with_loops_around_products_are_pipelined(gpu: str) -> None:
    found = reached(
        generate(seed, 0, exact=True, target=gpu, scale=PIPELINED) for seed in range(PROGRAMS)
    )
    assert set(LEAST[gpu]) <= set(OF_TARGET[gpu])
    assert {name: min(found[name], least) for name, least in LEAST[gpu].items()} == LEAST[gpu]


def test_a_quarter_of_the_programs_has_such_loops() -> None:
    programs = [generate(seed, 0) for seed in range(400)]
    names = [{op.name for op in program.module.walk()} for program in programs]
    pipelined = [found for found in names if found & {"cuda_tile.mmaf", "cuda_tile.mmai"}]
    assert len(pipelined) >= 0.2 * len(programs)
    assert {program.target for program in programs} == set(OF_TARGET)


def test_the_command_prints_shares(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--coverage", "--seeds", "1", "--size", "0", "--gpu", "sm_80"]) == 0
    assert capsys.readouterr().out == "sm_80: 1 programs, nothing asynchronous\n"
