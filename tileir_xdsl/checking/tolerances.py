"""How near the results of a kernel at one level have to be to those at another."""

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
"""By element type: how far a result may be off, relative to 1 and its magnitude together.

Where that is exceeded, what the chain of ops makes of roundings (`checking/rounding.py`) is added.

Integers must be equal; types that are not listed, the reduced floats, may differ by one step.
"""

REDUCED_TOLERANCE = 0.25


def maximum_error(actual: Array, expected: Array) -> float:
    """The largest absolute difference of two equally shaped arrays; equal NaNs differ by 0.

    A NaN or an infinity on one side only gives infinity.
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
    """Whether `actual` is as close to `expected` as `TOLERANCES` asks for, and `allowed` beyond."""
    return not differing(actual, expected, allowed).any()


def differing(actual: Array, expected: Array, allowed: Array | float = 0.0) -> Array:
    """The elements of `actual` that are further from those of `expected`."""
    if is_integer(expected.dtype):
        return actual != expected
    tolerance = TOLERANCES.get(expected.dtype.name, REDUCED_TOLERANCE)
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= tolerance * (1.0 + np.abs(b)) + allowed
    return ~(same | (close & (np.isfinite(b) | np.isinf(allowed))))
