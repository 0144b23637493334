"""In random kernels no conversion is left that the search can do without; results stay."""

import numpy as np
import pytest

from tests.conversion_search import LENGTH, OUTPUTS, outcome_of, random_graph
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools

GRAPHS, BATCH = 500, 25


@pytest.mark.one_in(20)
@pytest.mark.parametrize("batch", range(GRAPHS // BATCH))
def test_no_choice_needs_fewer_conversions(batch: int):
    removed = 0
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        outcome = outcome_of(tools.parse(random_graph(seed)))
        assert outcome.after <= outcome.before, seed
        assert outcome.fewest == outcome.after, seed
        removed += outcome.before - outcome.after
    assert removed > BATCH


def test_results_stay():
    numbers = np.random.default_rng(0).integers(-(2**31), 2**31, LENGTH * OUTPUTS, np.int32)
    for seed in range(1000, 1040):
        module, number = tools.parse(random_graph(seed)), seed % 2
        expected, actual = np.zeros_like(numbers), np.zeros_like(numbers)
        interpreters.launch(module, "graph", (1, 1, 1), [numbers, expected, number])
        tools.run_passes(module, "tileas-remove-layout-conversions")
        interpreters.launch(module, "graph", (1, 1, 1), [numbers, actual, number])
        assert (actual == expected).all(), seed
