"""The first two conversions and the folds keep what random programs compute, bit for bit."""

import pytest

from tileir_xdsl.testing.programs import compare, generate
from tileir_xdsl.testing.programs.targets import NEWEST

PROGRAMS = 2000
SMALL_SIZE = 6
BATCH = 10
FIRST_SEED = 10_000
"""Programs of their own: those below are seen by the first conversion alone."""

TARGETS = (NEWEST, "sm_120a")
"""Targets with all element types or all but one, and with matrix products of all kinds but one."""


def check(seed: int, target: str, passes: str) -> None:
    """Programs for the target that alone has an element type are converted for it."""
    program = generate(seed, SMALL_SIZE)
    gpu = NEWEST if program.target == NEWEST else target
    compare(program, f'convert-cuda-tile-to-tileaa{{compute-capability="{gpu}"}},{passes}')


@pytest.mark.one_in(8)
@pytest.mark.parametrize("batch", range(200 // BATCH))
def test_the_conversions_keep_what_programs_compute(batch: int):
    target = TARGETS[batch % len(TARGETS)]
    for seed in range(FIRST_SEED + batch * BATCH, FIRST_SEED + (batch + 1) * BATCH):
        check(seed, target, "convert-tileaa-to-tileas")


@pytest.mark.one_in(80)
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_so_do_the_folds_of_the_scheduled_program(batch: int):
    target = TARGETS[batch % len(TARGETS)]
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(seed, target, "convert-tileaa-to-tileas,canonicalize")
