"""Floating-point arithmetic that numpy does not have: rounding modes, fused operations, formats.

Single-precision results are formed in double precision "rounded to odd": the last bit is set when
the double is not exact. The rounded double determines any rounding to at most 51 bits (Boldo and
Melquiond, "Emulation of FMA and correctly rounded sums"). So a single narrowing step serves all
target formats and rounding modes. Double-precision results with other roundings than numpy's are
computed from exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.types import Array, Mask

Rounding = Literal["rn", "rna", "rz", "rm", "rp"]

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_SMALLEST_NORMAL = {
    _BFLOAT16: _BFLOAT16.type(2.0**-126),
    np.dtype(np.float16): np.float16(2.0**-14),
    np.dtype(np.float32): np.float32(2.0**-126),
    np.dtype(np.float64): np.float64(2.0**-1022),
}


def flush_subnormals(x: Array) -> Array:
    """Replaces subnormal numbers by zeros of the same sign (`.ftz`)."""
    small = np.abs(x) < _SMALLEST_NORMAL[x.dtype]
    return np.where(small, np.copysign(x.dtype.type(0), x), x)


def saturate(x: Array) -> Array:
    """Clamps to [0, 1]; NaN becomes 0 (`.sat`)."""
    one, zero = x.dtype.type(1), x.dtype.type(0)
    clamped = np.where(x > zero, np.where(x < one, x, one), zero)
    return clamped.astype(x.dtype, copy=False)


# Exact sums and products in double precision


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The double nearest to `a + b`, and the exact rounding error (Knuth)."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def round_to_odd(value: Array, rest: Array) -> Array:
    """Rounds `value + rest` to odd: `value` itself, or the adjacent double with an odd last bit.

    `value` is the double nearest to the sum; infinities and NaNs are returned.
    """
    bits = np.ascontiguousarray(value).view(np.int64)
    inexact = (rest != 0) & np.isfinite(value) & np.isfinite(rest)
    away = (rest > 0) == (value > 0)
    odd = np.where(bits & 1, bits, np.where(away, bits + 1, bits - 1))
    return np.where(inexact, odd, bits).view(np.float64)


def sum_to_odd(a: Array, b: Array) -> Array:
    return round_to_odd(*two_sum(a, b))


def integer_to_odd(x: Array) -> Array:
    """Converts a 64-bit integer to a double rounded to odd; narrower integers are exact."""
    if x.dtype.itemsize < 8:
        return x.astype(np.float64)
    high = (x >> x.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
    return sum_to_odd(high, low)


def integer_to_double(x: Array, rounding: Rounding) -> Array:
    """Converts a 64-bit integer to a double, rounded once."""
    high = (x >> x.dtype.type(32)).astype(np.float64) * 2.0**32
    low = (x & x.dtype.type(0xFFFFFFFF)).astype(np.float64)
    nearest, rest = two_sum(high, low)
    if rounding == "rn":
        return nearest
    to_zero = rounding == "rz"
    lower = (rest < 0) & ((rounding == "rm") | (to_zero & (nearest > 0)))
    higher = (rest > 0) & ((rounding == "rp") | (to_zero & (nearest < 0)))
    result = np.where(lower, np.nextafter(nearest, -np.inf), nearest)
    return np.where(higher, np.nextafter(nearest, np.inf), result)


# Narrowing a double that is exact or rounded to odd


def narrow(x: Array, dtype: np.dtype[Any], rounding: Rounding = "rn") -> Array:
    """Converts a double to `dtype` (float64, float32, float16 or bfloat16), rounded once."""
    if dtype == np.float64:
        return x
    if dtype == _BFLOAT16:
        return _narrow_to_bfloat16(_single_to_odd(x), rounding)
    nearest = x.astype(dtype)
    if rounding == "rn":
        return nearest
    return directed(nearest, x, rounding)


def directed(nearest: Array, exact: Array, rounding: Rounding) -> Array:
    """Corrects a value rounded to nearest for rounding to zero (rz), down (rm) or up (rp)."""
    as_double = nearest.astype(np.float64)
    infinity = nearest.dtype.type(np.inf)
    zero = nearest.dtype.type(0)
    if rounding == "rm":
        return np.where(as_double > exact, np.nextafter(nearest, -infinity), nearest)
    if rounding == "rp":
        return np.where(as_double < exact, np.nextafter(nearest, infinity), nearest)
    return np.where(np.abs(as_double) > np.abs(exact), np.nextafter(nearest, zero), nearest)


def _single_to_odd(x: Array) -> Array:
    truncated = directed(x.astype(np.float32), x, "rz")
    inexact = (truncated.astype(np.float64) != x) & ~np.isnan(x)
    return (truncated.view(np.uint32) | inexact.astype(np.uint32)).view(np.float32)


def _narrow_to_bfloat16(x: Array, rounding: Rounding) -> Array:
    """Rounds away the low 16 bits of a single that is exact or rounded to odd."""
    bits = x.view(np.uint32)
    half = np.uint32(0x8000)
    negative = bits >> np.uint32(31)
    match rounding:
        case "rn":
            added = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
        case "rna":
            added = np.full_like(bits, half)
        case "rz":
            added = np.zeros_like(bits)
        case "rm":
            added = negative * np.uint32(0xFFFF)
        case "rp":
            added = (np.uint32(1) - negative) * np.uint32(0xFFFF)
    special = ~np.isfinite(x)
    rounded = np.where(special, bits, bits + added) >> np.uint32(16)
    return np.where(np.isnan(x), 0x7FFF, rounded).astype(np.uint16).view(_BFLOAT16)


def round_to_tf32(x: Array, rounding: Rounding) -> Array:
    """Rounds the significand of a single to 10 bits; the other 13 become zero."""
    bits = x.view(np.uint32)
    match rounding:
        case "rna":
            added = np.full_like(bits, 0x1000)
        case "rn":
            added = np.uint32(0xFFF) + ((bits >> np.uint32(13)) & np.uint32(1))
        case _:
            added = np.zeros_like(bits)
    rounded = np.where(np.isfinite(x), bits + added, bits) & np.uint32(0xFFFFE000)
    return np.where(np.isnan(x), np.uint32(0x7FFFFFFF), rounded).view(np.float32)


# Arithmetic on f32, f16 and bf16 operands through doubles


def _doubles(*operands: Array) -> tuple[Array, ...]:
    return tuple(np.asarray(operand).astype(np.float64) for operand in operands)


def _signed_zero_sum(total: Array, a: Array, b: Array, rounding: Rounding) -> Array:
    """Makes an exact zero sum of operands with opposite signs -0 when rounding down."""
    if rounding != "rm":
        return total
    cancelled = (total == 0) & (np.signbit(a) != np.signbit(b))
    return np.where(cancelled, -0.0, total)


def add(a: Array, b: Array, rounding: Rounding) -> Array:
    x, y = _doubles(a, b)
    total = _signed_zero_sum(sum_to_odd(x, y), x, y, rounding)
    return narrow(total, a.dtype, rounding)


def multiply(a: Array, b: Array, rounding: Rounding) -> Array:
    x, y = _doubles(a, b)
    return narrow(x * y, a.dtype, rounding)


def divide(a: Array, b: Array, rounding: Rounding) -> Array:
    """Divides singles; the nearest double is on the same side of every single as the quotient."""
    x, y = _doubles(a, b)
    return narrow(x / y, a.dtype, rounding)


def subtract(a: Array, b: Array, rounding: Rounding) -> Array:
    return add(a, -b, rounding)


def reciprocal(a: Array, rounding: Rounding) -> Array:
    return divide(np.ones_like(a), a, rounding)


def square_root(a: Array, rounding: Rounding) -> Array:
    (x,) = _doubles(a)
    return narrow(np.sqrt(x), a.dtype, rounding)


_DISCARDED = np.int64((1 << 29) - 1)
_HALFWAY = np.int64(1 << 28)
_SINGLE_TINY = 2.0**-125


def fma(a: Array, b: Array, c: Array, rounding: Rounding = "rn") -> Array:
    """`a * b + c` rounded once, for f32, f16 and bf16 operands."""
    product = np.multiply(a, b, dtype=np.float64)
    addend = c.astype(np.float64)
    total = product + addend
    if rounding == "rn" and a.dtype == np.float32:
        # Rounding the double total is right unless it looks halfway between two singles.
        suspicious = (total.view(np.int64) & _DISCARDED) == _HALFWAY
        suspicious |= np.abs(total) < _SINGLE_TINY
        if not np.count_nonzero(suspicious):
            return total.astype(np.float32)
    total = _signed_zero_sum(sum_to_odd(product, addend), product, addend, rounding)
    return narrow(total, a.dtype, rounding)


# Arithmetic on f64 operands through exact fractions


def round_fraction(exact: Fraction, rounding: Rounding) -> float:
    """Rounds a nonzero fraction to a double."""
    try:
        nearest = exact.numerator / exact.denominator
    except OverflowError:
        nearest = math.inf if exact > 0 else -math.inf
    if rounding == "rn":
        return nearest
    too_large = nearest > 0 if math.isinf(nearest) else Fraction(nearest) > exact
    too_small = nearest < 0 if math.isinf(nearest) else Fraction(nearest) < exact
    if too_large and (rounding == "rm" or (rounding == "rz" and exact > 0)):
        return math.nextafter(nearest, -math.inf)
    if too_small and (rounding == "rp" or (rounding == "rz" and exact < 0)):
        return math.nextafter(nearest, math.inf)
    return nearest


def exact_double(
    compute: Callable[..., Fraction | None], nearest: Array, rounding: Rounding, *operands: Array
) -> Array:
    """Replaces doubles by exactly computed and correctly rounded ones.

    `compute` gets the operands of one thread as floats and returns the exact result, or `None` to
    keep `nearest`. `nearest` is also kept if an operand is not finite or the result is zero.
    """
    result = nearest.copy()
    arrays = np.broadcast_arrays(*operands)
    finite = np.logical_and.reduce([np.isfinite(array) for array in arrays])
    for index in map(tuple, np.argwhere(np.broadcast_to(finite, result.shape))):
        exact = compute(*(float(array[index]) for array in arrays))
        if exact is not None and exact != 0:
            result[index] = round_fraction(exact, rounding)
    return result


def _exact_sum(x: float, y: float) -> Fraction:
    return Fraction(x) + Fraction(y)


def _exact_product(x: float, y: float) -> Fraction:
    return Fraction(x) * Fraction(y)


def _exact_quotient(x: float, y: float) -> Fraction | None:
    return Fraction(x) / Fraction(y) if y else None


def add_double(a: Array, b: Array, rounding: Rounding) -> Array:
    nearest = _signed_zero_sum(a + b, a, b, rounding)
    return exact_double(_exact_sum, nearest, rounding, a, b)


def multiply_double(a: Array, b: Array, rounding: Rounding) -> Array:
    return exact_double(_exact_product, a * b, rounding, a, b)


def divide_double(a: Array, b: Array, rounding: Rounding) -> Array:
    return exact_double(_exact_quotient, a / b, rounding, a, b)


def subtract_double(a: Array, b: Array, rounding: Rounding) -> Array:
    return add_double(a, -b, rounding)


def reciprocal_double(a: Array, rounding: Rounding) -> Array:
    return divide_double(np.ones_like(a), a, rounding)


def square_root_double(a: Array, rounding: Rounding) -> Array:
    nearest = np.sqrt(a)
    if rounding == "rn":
        return nearest

    def corrected(x: float, root: float) -> float:
        compared = Fraction(root) ** 2 - Fraction(x)
        if compared > 0 and rounding in ("rz", "rm"):
            return math.nextafter(root, 0.0)
        if compared < 0 and rounding == "rp":
            return math.nextafter(root, math.inf)
        return root

    result = nearest.copy()
    for index in map(tuple, np.argwhere(np.isfinite(nearest))):
        result[index] = corrected(float(a[index]), float(nearest[index]))
    return result


_SPLITTER = 2.0**27 + 1
_SAFE_LOW, _SAFE_HIGH = 2.0**-400, 2.0**400


def fma_double(a: Array, b: Array, c: Array, rounding: Rounding = "rn") -> Array:
    """`a * b + c` of doubles, rounded once."""
    product = a * b
    nearest = _signed_zero_sum(product + c, product, c, rounding)
    if rounding != "rn":
        return _fma_exact(a, b, c, nearest, rounding)
    high, low = _two_product(a, b, product)
    inner, rest = two_sum(*np.broadcast_arrays(c, low))
    outer, tail = two_sum(high, inner)
    result = outer + sum_to_odd(tail, rest)
    # The parts of an exact zero have lost its sign.
    result = np.where(result == 0, nearest, result)
    unsafe = ~(_in_safe_range(a) & _in_safe_range(b) & _in_safe_range(c))
    if not unsafe.any():
        return result
    return np.where(unsafe, _fma_exact(a, b, c, nearest, rounding, unsafe), result)


def _fma_exact(
    a: Array, b: Array, c: Array, nearest: Array, rounding: Rounding, needed: Mask | None = None
) -> Array:
    def exact(x: float, y: float, z: float, wanted: float) -> Fraction | None:
        return Fraction(x) * Fraction(y) + Fraction(z) if wanted else None

    wanted = np.ones(nearest.shape) if needed is None else needed.astype(np.float64)
    return exact_double(exact, nearest, rounding, a, b, c, wanted)


def _in_safe_range(x: Array) -> Mask:
    """Whether error-free products and sums neither overflow nor lose bits; zero is safe."""
    magnitude = np.abs(x)
    return (x == 0) | ((magnitude > _SAFE_LOW) & (magnitude < _SAFE_HIGH))


def _two_product(a: Array, b: Array, product: Array) -> tuple[Array, Array]:
    """`product` and the exact rounding error of `a * b` (Dekker and Veltkamp)."""
    scaled_a, scaled_b = a * _SPLITTER, b * _SPLITTER
    a_high, b_high = scaled_a - (scaled_a - a), scaled_b - (scaled_b - b)
    a_low, b_low = a - a_high, b - b_high
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


# Conversions to integers


_TO_INTEGRAL: dict[str, Callable[[Array], Array]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}


def round_to_integral(x: Array, rounding: str) -> Array:
    """Rounds a float to an integral value of the same type: rni, rzi, rmi or rpi."""
    return _TO_INTEGRAL[rounding](x)


def float_to_integer(x: Array, dtype: np.dtype[Any], rounding: str) -> Array:
    """Rounds a float to an integer that saturates at the limits of `dtype`.

    NaN becomes 0, but if source or destination has 64 bits it becomes the top bit alone.
    """
    source_bytes = x.dtype.itemsize
    value = _TO_INTEGRAL[rounding](x.astype(np.float64))
    limits = np.iinfo(dtype)
    too_small = value <= float(limits.min)
    too_large = value >= float(limits.max)
    nan = np.isnan(value)
    inside = np.where(too_small | too_large | nan, 0.0, value)
    result = inside.astype(dtype)
    result = np.where(too_small, dtype.type(limits.min), result)
    result = np.where(too_large, dtype.type(limits.max), result)
    if source_bytes < 8 and dtype.itemsize < 8:
        return result
    top_bit = np.array(1 << (dtype.itemsize * 8 - 1), f"u{dtype.itemsize}").view(dtype)
    return np.where(nan, top_bit, result)
