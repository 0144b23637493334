"""An independent oracle for rounding: exact rationals, and neighbours found by comparison."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tileir_xdsl.interpreters.numerics import Array, FloatFormat, RoundingMode
from tileir_xdsl.testing.kernels.agreement import same

__all__ = ["ARITHMETIC_MODES", "MODES", "corner_values", "exact", "pairs", "round_exactly", "same"]

MODES = tuple(RoundingMode)
ARITHMETIC_MODES = tuple(mode for mode in RoundingMode if mode is not RoundingMode.NEAREST_AWAY)
"""The modes of everything but conversions."""


def corner_values(dtype: np.dtype[Any], random: int = 24, seed: int = 0) -> Array:
    """Bit patterns worth trying: zeros, subnormals, ones, extremes, infinities, NaN, random."""
    bits = np.dtype(f"u{dtype.itemsize}")
    one = int(np.asarray(1.0).astype(dtype).view(bits))
    top = 1 << (8 * dtype.itemsize - 1)
    infinity = int(np.asarray(np.inf).astype(dtype).view(bits))
    positive = {0, 1, 2, 3, one - 1, one, one + 1, one + 3, infinity - 1, infinity, infinity + 1}
    mantissa = int(np.asarray(2.0).astype(dtype).view(bits)) - one
    positive |= {mantissa - 1, mantissa, mantissa + 1, mantissa // 2, 2 * mantissa}
    rng = np.random.default_rng(seed)
    patterns = [*positive, *(p | top for p in positive)]
    patterns += [int(p) for p in rng.integers(0, 2 * top, random, dtype=np.uint64)]
    return np.array([p % (2 * top) for p in patterns], dtype=np.uint64).astype(bits).view(dtype)


def pairs(values: Array) -> tuple[Array, Array]:
    """Every pair of `values`."""
    return np.repeat(values, values.size), np.tile(values, values.size)


def exact(value: Any) -> Fraction | None:
    """The rational that a float is, None for infinities and NaN."""
    number = float(value)
    return Fraction(number) if math.isfinite(number) else None


def round_exactly(value: Fraction, fmt: FloatFormat, mode: RoundingMode) -> float:
    """`value` (not zero) rounded to `fmt`, whose numbers are multiples of powers of two.

    Overflow gives infinity or the largest number as IEEE 754 says.
    """
    return rounded(value, fmt.min_exponent, fmt.precision, fmt.max_finite, mode)


def rounded(
    value: Fraction, min_exponent: int, digits: int, largest: float, mode: RoundingMode
) -> float:
    """`value` (not zero) rounded to a format with so many binary digits, by integers alone."""
    numerator, denominator, negative = abs(value.numerator), value.denominator, value < 0
    exponent = numerator.bit_length() - denominator.bit_length()
    if _times_power(numerator, -exponent) < _times_power(denominator, exponent):
        exponent -= 1
    spacing = max(exponent, min_exponent) - digits + 1
    unit = _times_power(denominator, spacing)
    steps, rest = divmod(_times_power(numerator, -spacing), unit)
    away = mode is (RoundingMode.NEGATIVE_INF if negative else RoundingMode.POSITIVE_INF)
    match mode:
        case RoundingMode.NEAREST_EVEN:
            steps += 2 * rest > unit or (2 * rest == unit and steps % 2 == 1)
        case RoundingMode.NEAREST_AWAY:
            steps += 2 * rest >= unit
        case _:
            steps += away and rest > 0
    top, bottom = largest.as_integer_ratio()
    if _times_power(steps * bottom, spacing) > _times_power(top, -spacing):
        nearest = mode in (RoundingMode.NEAREST_EVEN, RoundingMode.NEAREST_AWAY)
        result = math.inf if nearest or away else largest
    else:
        result = math.ldexp(steps, spacing)
    return -result if negative else result


def _times_power(value: int, exponent: int) -> int:
    """The value times two to the power of the exponent, if that is positive."""
    return value << max(exponent, 0)
