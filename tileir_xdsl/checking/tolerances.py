"""How close the results of a kernel at one level must be to those at another level."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tileir_xdsl.runtime.arrays import Array, is_integer

TOLERANCES: Mapping[str, float] = {
    "float64": 1e-12,
    "float32": 1e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
}
"""The allowed error for each element type, relative to the sum of 1 and the magnitude.

For a larger error, the estimated roundings of the chain of ops are added (`checking/rounding.py`).

Integers must be equal; types that are not listed, the reduced floats, may differ by one step.
"""

REDUCED_TOLERANCE = 0.25


def maximum_error(actual: Array, expected: Array) -> float:
    """The largest absolute difference of two equally shaped arrays; equal NaNs differ by 0.

    The result is infinite if only one side is a NaN or an infinity.
    """
    if not actual.size or np.array_equal(actual.view(np.uint8), expected.view(np.uint8)):
        return 0.0
    if is_integer(expected.dtype):
        # Modulo 2**64, the difference of the larger and the smaller is exact.
        high = np.maximum(actual, expected).astype(np.uint64)
        return float(np.max(high - np.minimum(actual, expected).astype(np.uint64)))
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(a - b))
    return float(np.max(np.where(np.isnan(difference), np.inf, difference)))


def agrees(actual: Array, expected: Array, allowed: Array | float = 0.0) -> bool:
    """Whether `actual` differs from `expected` by at most `TOLERANCES` plus `allowed`."""
    return not differing(actual, expected, allowed).any()


def differing(actual: Array, expected: Array, allowed: Array | float = 0.0) -> Array:
    """A mask of the elements of `actual` that differ by more than `agrees` accepts."""
    if is_integer(expected.dtype):
        return actual != expected
    tolerance = TOLERANCES.get(expected.dtype.name, REDUCED_TOLERANCE)
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= tolerance * (1.0 + np.abs(b)) + allowed
    return ~(same | (close & (np.isfinite(b) | np.isinf(allowed))))
