"""How far two tiles are from each other."""

import numpy as np
import pytest

from tileir_xdsl.checking.expected_values import distance

NAN, INF = np.nan, np.inf


CASES = {
    0: ((NAN, NAN), (INF, INF), (0.0, -0.0), (1, 1)),
    2: ((1, 3), (3, 1), (-1, 1)),
    INF: ((NAN, 1), (1, NAN), (INF, -INF), (INF, 1), (INF, NAN)),
}
"""Pairs by their distance."""


@pytest.mark.parametrize("dtype", (np.float16, np.float32, np.float64))
@pytest.mark.parametrize("expected", CASES)
def test_floats(dtype: type, expected: float):
    one, other = np.array(CASES[expected], dtype).T
    assert set(distance(one, other)) == {expected}


@pytest.mark.parametrize("dtype", (np.bool_, np.int8, np.uint64))
def test_integers_are_equal_or_not(dtype: type):
    found = distance(np.array([0, 1, 1], dtype), np.array([0, 1, 0], dtype))
    assert list(found) == [0, 0, INF]
