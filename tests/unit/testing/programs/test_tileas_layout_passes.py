"""Removing conversions of layouts and dead arguments keeps what random programs compute."""

import pytest

from tileir_xdsl.testing.programs import compare, generate

SMALL_SIZE = 6
BATCH = 20
PASSES = (
    'convert-cuda-tile-to-tileaa{compute-capability="sm_107a"}',
    "convert-tileaa-to-tileas",
    "canonicalize",
    "tileas-assign-load-store-layouts",
    "tileas-remove-layout-conversions",
    "tileas-remove-dead-args",
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("batch", range(4))
def test_results_stay(batch: int):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        compare(generate(seed, SMALL_SIZE), ",".join(PASSES))
