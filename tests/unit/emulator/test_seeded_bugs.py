"""Synchronisation bugs in right kernels, and which modes of the emulator find each of them.

The letters of the modes are those of `sound_kernels`. Where a bug is only said to be found by some
order of the warps, no other order has to find it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.kernel_generators.case import Case
from tests.kernel_generators.cases import CASES
from tests.kernel_generators.matmul import MATMUL_BUGS, Matmul, matmul_case
from tests.unit.emulator.sound_kernels import SOUND_KERNELS
from tileir_xdsl import emulator

MODES: dict[str, dict[str, Any]] = {
    "F": {},
    "L": {"late": True},
    "W": {"warp_seed": 1},
    "R": {"races": True},
}
COMBINED: list[dict[str, Any]] = [
    *MODES.values(),
    {"races": True, "late": True},
    {"races": True, "warp_seed": 2},
    {"late": True, "warp_seed": 2},
    {"races": True, "late": True, "warp_seed": 2},
]

STEP_LIMIT = 100_000


def found_by(solves: Callable[..., bool], modes: str) -> str:
    """The modes in which a kernel with a bug fails, or computes something else."""
    found = ""
    for letter in modes:
        try:
            right = solves(**MODES[letter])
        except emulator.EmulatorError:
            right = False
        found += "" if right else letter
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SOUND_KERNELS)
def test_right_kernels_are_right_in_all_modes(name: str):
    for modes in COMBINED:
        assert SOUND_KERNELS[name].solves(**modes)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("name", "bug"),
    [(name, bug) for name, kernel in SOUND_KERNELS.items() for bug in kernel.bugs],
)
def test_bugs_of_small_kernels(name: str, bug: str):
    kernel = SOUND_KERNELS[name]
    expected = kernel.bugs[bug].found_by
    assert found_by(partial(kernel.solves, bug), "FLWR") == expected


def solves(case: Case, bug: str | None = None, **modes: Any) -> bool:
    return case.launch(bug, step_limit=STEP_LIMIT, **modes).is_solved


SMALL = ("matmul", "attention of one tile", "matmul with mma", "transpose")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SMALL)
def test_generated_kernels_are_right_in_modes_together(name: str):
    for modes in COMBINED[len(MODES) :]:
        assert solves(CASES[name], **modes)


# What the modes `F`, `L` and `R` find in generated kernels; `W` as well where it is named.
MATMUL: dict[str, str] = {
    "full stages are not waited for": "LWR",
    "full stages are waited for one phase too early": "FLR",
    "empty stages are not waited for": "FLR",
    "empty stages are waited for one phase too late": "FLR",
    "stages are released while products read them": "R",
    "stages are never released": "FLR",
    "too few bytes are expected": "FLR",
    "too many bytes are expected": "FLR",
    "no bytes are expected": "FLR",
    "barriers of full stages expect an arrival too many": "FLR",
    "barriers are used before they are initialised": "R",
    "products begin without a fence": "R",
    "products are not committed": "LR",
    "products are not waited for in the loop": "LR",
    "too many products are pending in the loop": "LR",
    "products are not waited for at the end": "LR",
    "a product is pending at the end": "LR",
    "the result overwrites stages in use": "R",
    "the staged result is not made known to the copies": "R",
    "the result is stored before it is staged": "WR",
    "the stores are not committed": "R",
}
ATTENTION: dict[str, str] = {
    "Q is not waited for": "R",
    "values are not waited for": "LR",
    "empty stages of keys are not waited for": "FLR",
    "scores are not committed": "LR",
    "outputs are scaled while they are computed": "LR",
    "outputs are not waited for at the end": "LR",
    "outputs begin without a fence": "R",
    "the staged result is not made known to the copies": "R",
}
MMA: dict[str, str] = {
    "copies are not waited for": "LR",
    "too many copies are pending": "LR",
    "the first copies are not committed": "LR",
    "copies in the loop are not committed": "LR",
    "stages are read before all warps have copied": "WR",
    "a stage that is read is written": "FLWR",
}
TRANSPOSE: dict[str, str] = {
    "the tile is read before it is there": "WR",
    "the tile is overwritten while it is read": "WR",
}
GENERATED = {
    "matmul": MATMUL,
    "attention": ATTENTION,
    "matmul with mma": MMA,
    "transpose": TRANSPOSE,
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("name", "bug"), [(name, bug) for name, bugs in GENERATED.items() for bug in bugs]
)
def test_bugs_of_generated_kernels(name: str, bug: str):
    expected = GENERATED[name][bug]
    modes = "FLWR" if "W" in expected else "FLR"
    assert found_by(partial(solves, CASES[name], bug), modes) == expected


def test_an_arrival_too_few_shows_when_the_ring_has_turned_often():
    bug = "barriers of empty stages expect an arrival too few"
    shape = Matmul(tile_m=64, tile_n=64, stages=2, consumers=1)
    case = matmul_case("long matmul", shape, 64, 64, 640, MATMUL_BUGS)
    assert found_by(partial(solves, case, bug), "FLWR") == "FLWR"
    assert solves(case)
