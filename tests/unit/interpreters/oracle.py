"""An independent oracle for rounding: exact rationals, and neighbours found by comparison."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tests.kernels.agreement import same
from tileir_xdsl.interpreters.numerics import Array, FloatFormat, RoundingMode

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

    Walks the exponents upwards: the first whose binade holds the value fixes the spacing.
    Overflow gives infinity or the largest number as IEEE 754 says.
    """
    size = abs(value)
    estimate = size.numerator.bit_length() - size.denominator.bit_length() - 2
    exponent = max(fmt.min_exponent, estimate)
    while size >= Fraction(2) ** (exponent + 1):
        exponent += 1
    spacing = Fraction(2) ** (exponent - fmt.precision + 1)
    lower = size // spacing * spacing
    upper = lower if lower == size else lower + spacing
    towards_infinity = {
        RoundingMode.ZERO: False,
        RoundingMode.POSITIVE_INF: value > 0,
        RoundingMode.NEGATIVE_INF: value < 0,
    }
    if mode in (RoundingMode.NEAREST_EVEN, RoundingMode.NEAREST_AWAY):
        below, above = size - lower, upper - size
        odd = (lower / spacing) % 2 == 1
        tie_up = mode is RoundingMode.NEAREST_AWAY or odd
        chosen = upper if above < below or (above == below and tie_up) else lower
    else:
        chosen = upper if towards_infinity[mode] else min(lower, Fraction(fmt.max_finite))
    result = math.inf if chosen > Fraction(fmt.max_finite) else float(chosen)
    return -result if value < 0 else result
