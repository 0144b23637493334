"""Whole kernels, written by hand, against numpy; arguments and launch shapes."""

import numpy as np
import pytest

from tests.unit.emulator.kernels import VECTOR_ADD
from tileir_xdsl import emulator


@pytest.mark.parametrize("size", [0, 1, 127, 128, 1000, 65536])
def test_vector_add_with_tail(size: int):
    generator = np.random.default_rng(size)
    a, b = generator.standard_normal((2, size), dtype=np.float32)
    c = np.zeros(size, np.float32)
    grid = (-(-size // 128), 1, 1)
    statistics = emulator.load(VECTOR_ADD).launch(None, grid, [a, b, c, size])
    np.testing.assert_array_equal(c, a + b)
    assert statistics.blocks == grid[0]
    assert statistics.threads_per_block == 128
