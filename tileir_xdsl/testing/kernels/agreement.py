"""The tolerance of results, for all comparisons in tests.

Results of integer operations, moves and correctly rounded operations must be bitwise equal. Results
of elementary functions may differ by the units in the last place in `ULPS`. A sum or a matrix
product may differ by a few roundings of the sum of its terms' magnitudes. So every order of
summation is within the tolerance. Reasons for the tolerances are in docs/semantics.md, "Agreement".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike, NDArray

Array: TypeAlias = NDArray[Any]


ULPS: Mapping[str, tuple[float, float]] = {
    # Tile IR specification, 8.7: `divf` and `tanh`.
    "divf rounding<approx>": (2, 0),
    "divf rounding<full>": (2, 0),
    "tanh": (2, 1),
    "sqrt": (0, 0),
    # PTX ISA: tanh.approx has a relative error of 2**-11, ex2.approx and rsqrt.approx of 2 ulps.
    "tanh rounding<approx>": (8192, 0),
    "sqrt rounding<approx>": (2, 0),
    "rsqrt": (2, 1),
    "exp2": (2, 1),
    # By way of exp2: the rounding of the argument grows with it.
    "exp rounding<approx>": (8, 0),
    # CUDA C++ Programming Guide, "Mathematical Functions Appendix".
    "exp": (2, 1),
    "log": (1, 1),
    "log2": (1, 1),
    "sin": (2, 2),
    "cos": (2, 2),
    "tan": (4, 2),
    "sinh": (3, 2),
    "cosh": (2, 1),
    "pow": (1, 2),
    "fpowf": (1, 2),
    "fpowi": (4, 2),
    "atan2": (3, 2),
}
"""The largest error of each inexact elementary operation in f32 and in f64.

Half precision is computed in f32 and rounded once.
"""


def max_ulps(operation: str, dtype: DTypeLike) -> float:
    """The bound of `ULPS` for an operation on `dtype`."""
    single, double = ULPS[operation]
    match np.dtype(dtype).itemsize:
        case 8:
            return double
        case 4:
            return single
        case _:
            return min(single, 1.0)


@dataclass(frozen=True)
class Expected:
    """An expected output array, and the tolerance of each element (0: bitwise equal)."""

    values: Array
    error: Array | float = 0.0


def unit_in_last_place(values: Array, dtype: DTypeLike) -> Array:
    """The distance between adjacent numbers of `dtype` around `values` (doubles)."""
    info = ml_dtypes.finfo(np.dtype(dtype))
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log2(np.abs(np.where(np.isfinite(values), values, 1.0))))
    smallest = np.log2(float(info.smallest_normal))
    return 2.0 ** (np.maximum(exponent, smallest) - info.nmant)


def within_ulps(values: Array, dtype: DTypeLike, ulps: float) -> Expected:
    """The exact `values` (doubles), rounded to `dtype`, with tolerance `ulps`."""
    return Expected(values.astype(dtype), ulps * unit_in_last_place(values, dtype))


def within_bound(operation: str, values: Array, dtype: DTypeLike) -> Expected:
    """The exact `values` (doubles) in `dtype`, with the tolerance of an operation of `ULPS`."""
    return within_ulps(values, dtype, max_ulps(operation, dtype))


def stacked(rows: Sequence[Expected]) -> Expected:
    """One array of rows that have different tolerances."""
    errors = [np.broadcast_to(row.error, row.values.shape) for row in rows]
    return Expected(np.stack([row.values for row in rows]), np.stack(errors))


def within_roundings(
    values: Array, magnitude: Array, dtype: DTypeLike, roundings: float, accumulator: DTypeLike
) -> Expected:
    """The exact sums `values` (doubles) of terms whose magnitudes add up to `magnitude`.

    The tolerance is `roundings` relative errors of the `accumulator` on the magnitude, plus one
    rounding to `dtype`.
    """
    epsilon = float(ml_dtypes.finfo(np.dtype(accumulator)).eps)
    error = roundings * epsilon * magnitude + unit_in_last_place(values, dtype)
    return Expected(values.astype(dtype), error)


def agreeing(actual: Array, expected: Expected) -> Array:
    """Where `actual` is within the tolerance of `expected`; NaN only equals NaN."""
    # A NaN may be a signaling one, and infinity minus infinity has no value.
    with np.errstate(invalid="ignore"):
        wanted, got = expected.values.astype(np.float64), actual.astype(np.float64)
        nan = np.isnan(got) & np.isnan(wanted)
        if isinstance(expected.error, float) and expected.error == 0.0:
            return (_bits(actual) == _bits(expected.values)) | nan
        return (got == wanted) | (np.abs(got - wanted) <= expected.error) | nan


def same(actual: Any, expected: Any) -> Array:
    """Where two arrays of any types hold the same number; zeros differ by sign, NaN equals NaN."""
    a, b = np.asarray(actual).astype(np.float64), np.asarray(expected).astype(np.float64)
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def assert_agrees(actual: Array, expected: Expected, what: str = "result") -> None:
    """Raises AssertionError unless `actual` agrees with `expected`, as by `agreeing`."""
    assert actual.shape == expected.values.shape, what
    assert actual.dtype == expected.values.dtype, what
    wrong = ~agreeing(actual, expected)
    if wrong.any():
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"{what}: {int(wrong.sum())} of {wrong.size} elements differ, first at "
            f"{list(index)}: got {actual[index]}, expected {expected.values[index]}"
        )


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(np.dtype(f"u{values.itemsize}"))
