"""The first two conversions and the folds keep what random programs compute, bit for bit."""

import pytest

from tileir_xdsl.testing.programs import compare, generate

PROGRAMS = 2000
SMALL_SIZE = 6
BATCH = 25
FIRST_SEED = 10_000
"""Programs of their own: those below are seen by the first conversion alone."""

TARGETS = ("sm_100a", "sm_120a")
"""Targets with all element types, and with matrix products of all kinds but one."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("batch", range(200 // BATCH))
def test_the_conversions_keep_what_programs_compute(batch: int):
    target = TARGETS[batch % len(TARGETS)]
    first = f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}'
    for seed in range(FIRST_SEED + batch * BATCH, FIRST_SEED + (batch + 1) * BATCH):
        compare(generate(seed, SMALL_SIZE), f"{first},convert-tileaa-to-tileas")


@pytest.mark.one_in(40)
@pytest.mark.parametrize("batch", range(PROGRAMS // BATCH))
def test_so_do_the_folds_of_the_scheduled_program(batch: int):
    target = TARGETS[batch % len(TARGETS)]
    first = f'convert-cuda-tile-to-tileaa{{compute-capability="{target}"}}'
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        compare(generate(seed, SMALL_SIZE), f"{first},convert-tileaa-to-tileas,canonicalize")
