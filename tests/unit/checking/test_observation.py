"""What counts as the same result."""

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl.checking.observation import Observation, find_difference, same_values
from tileir_xdsl.interpreters.numerics import Array


def _difference(first: Array, second: Array, *, exact: bool = True) -> str | None:
    return find_difference(Observation({4: first}, ""), Observation({4: second}, ""), exact=exact)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.array([0.0]), np.array([-0.0])),
        (np.array([1.0]), np.array([np.nan])),
        (np.array([True]), np.array([False])),
        (np.array([3], np.int8), np.array([4], np.int8)),
    ],
)
def test_other_bits_differ(first: Array, second: Array):
    assert _difference(first, second) == (
        f"argument 4: 1 of 1 elements differ, the first at 0: {first[0]} before, {second[0]} after"
    )
    assert _difference(first, first.copy()) is None
    assert not same_values(first, second)


def test_nan_equals_nan_whatever_its_bits():
    quiet, other = (np.array([b], np.uint32).view(np.float32) for b in (0x7FC00000, 0xFFFFFFFF))
    assert _difference(quiet, other) is None
    small = np.array([0x7F, 0xFF], np.uint8).view(ml_dtypes.float8_e4m3fn)
    assert same_values(small[:1], small[1:])


def test_roundings_are_allowed_where_told():
    numbers = np.array([1.0, 1000.0, np.nan, np.inf], np.float32)
    close = numbers + np.array([1e-3, 0, 0, 0], np.float32)
    far = numbers + np.array([0.1, 0, 0, 0], np.float32)
    assert _difference(numbers, close) is not None
    assert _difference(numbers, close, exact=False) is None
    assert _difference(numbers, far, exact=False) is not None
    infinite = np.array([1.0, np.inf, np.nan, np.inf], np.float32)
    assert _difference(numbers, infinite, exact=False) is not None
    assert _difference(np.array([1]), np.array([2]), exact=False) is not None


def test_what_is_printed_counts():
    first, second, unknown = (Observation({}, text) for text in ("1", "2", None))
    assert find_difference(first, second, exact=True) == "'1' printed before, '2' after"
    assert find_difference(first, unknown, exact=True) is None
