"""How close a result must be: the one policy by which every kernel is judged.

Integers, moves and correctly rounded operations agree bit for bit. An elementary function agrees
within a number of units in the last place. A sum or a matrix product agrees within a few roundings
of the sum of the magnitudes of its terms, whatever the order of summation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

Array: TypeAlias = NDArray[Any]


@dataclass(frozen=True)
class Expected:
    """An output array, and how far each element may be from it (0: equal bit for bit)."""

    values: Array
    error: Array | float = 0.0


def unit_in_last_place(values: Array, dtype: DTypeLike) -> Array:
    """The distance between neighbouring numbers of `dtype` around `values` (doubles)."""
    info = ml_dtypes.finfo(np.dtype(dtype))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log2(np.abs(np.where(np.isfinite(values), values, 1.0))))
    smallest = np.log2(float(info.smallest_normal))
    return 2.0 ** (np.maximum(exponent, smallest) - info.nmant)


def within_ulps(values: Array, dtype: DTypeLike, ulps: float) -> Expected:
    """The exact `values` (doubles), rounded to `dtype`, give or take `ulps`."""
    return Expected(values.astype(dtype), ulps * unit_in_last_place(values, dtype))


def within_roundings(
    values: Array, magnitude: Array, dtype: DTypeLike, roundings: float, accumulator: DTypeLike
) -> Expected:
    """The exact sums `values` (doubles) of terms whose magnitudes add up to `magnitude`.

    Give or take `roundings` relative errors of the `accumulator` on the magnitude, and one
    rounding to `dtype`.
    """
    epsilon = float(ml_dtypes.finfo(np.dtype(accumulator)).eps)
    error = roundings * epsilon * magnitude + unit_in_last_place(values, dtype)
    return Expected(values.astype(dtype), error)


def assert_agrees(actual: Array, expected: Expected, what: str = "result") -> None:
    """Raise AssertionError unless `actual` is within the error of `expected`, NaN for NaN."""
    assert actual.shape == expected.values.shape, what
    assert actual.dtype == expected.values.dtype, what
    # A NaN may be a signaling one, and infinity minus infinity has no value.
    with np.errstate(invalid="ignore"):
        wanted, got = expected.values.astype(np.float64), actual.astype(np.float64)
        nan = np.isnan(got) & np.isnan(wanted)
        if isinstance(expected.error, float) and expected.error == 0.0:
            wrong = (_bits(actual) != _bits(expected.values)) & ~nan
        else:
            wrong = ~((got == wanted) | (np.abs(got - wanted) <= expected.error) | nan)
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"{what}: {int(wrong.sum())} of {wrong.size} elements differ, first at "
            f"{list(index)}: got {actual[index]}, expected {expected.values[index]}"
        )


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.dtype(f"u{values.itemsize}"))
