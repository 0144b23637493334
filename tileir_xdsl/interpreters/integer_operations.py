"""Integer operations on numpy arrays: two's complement, wrapping, of any width.

Operands are arrays of a signless integer's storage dtype: `i1` is `bool`, `iN` the signed `intN`.
Results have the dtype of the operands, unless a function says otherwise. Source: Tile IR
specification, "Integer": `i1` means 0 and 1 if unsigned, 0 and -1 if signed.

Results that the specification leaves undefined are those of NVIDIA hardware (PTX ISA, "Integer
Arithmetic Instructions", "Logic and Shift Instructions"). A division by zero yields all ones, and
its remainder is the dividend. The minimum divided by -1 wraps, and a shift by the width or more
shifts all bits out.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from tileir_xdsl.interpreters.numerics import INTEGER_DTYPES, Array


class Division(StrEnum):
    """The direction in which an integer division is rounded, spelled as in `divi`."""

    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"


def width_of(values: Array) -> int:
    """The width in bits of the integer type stored in `values`."""
    return next(w for w, dtype in INTEGER_DTYPES.items() if dtype == values.dtype)


def as_signed(values: Array) -> Array:
    """The values as signed integers (`i1`: 0 and -1, `i4`: as `int8`)."""
    if values.dtype == np.bool_:
        return -values.astype(np.int8)
    if values.dtype.kind not in "iu":
        return values.astype(np.int8)
    return values


def as_unsigned(values: Array) -> Array:
    """The values as unsigned integers (`i1`: 0 and 1, `i4`: as `uint8`)."""
    if values.dtype == np.bool_:
        return values.astype(np.uint8)
    if values.dtype.kind not in "iu":
        return values.astype(np.int8).view(np.uint8) & np.uint8(0xF)
    return values.view(np.dtype(f"u{values.dtype.itemsize}"))


def wrap(values: Array, dtype: np.dtype[Any]) -> Array:
    """Wraps integer `values` to the integer type stored as `dtype`."""
    values = np.asarray(values)
    if dtype == np.bool_:
        return (values & values.dtype.type(1)).astype(np.bool_)
    if dtype == INTEGER_DTYPES[4]:
        low = (values & values.dtype.type(0xF)).astype(np.int8)
        return np.where(low > 7, low - np.int8(16), low).astype(dtype)
    return values.astype(dtype)


def _signed_or_not(values: Array, signed: bool) -> Array:
    return as_signed(values) if signed else as_unsigned(values)


def wrapping(function: Callable[[Any, Any], Any]) -> Callable[[Array, Array], Array]:
    """Applies a function of two unsigned elements to arrays; results wrap."""

    def run(lhs: Array, rhs: Array) -> Array:
        return wrap(function(as_unsigned(lhs), as_unsigned(rhs)), lhs.dtype)

    return run


add = wrapping(np.add)


def subtract(lhs: Array, rhs: Array) -> Array:
    """`lhs - rhs`, wrapping."""
    return wrap(np.subtract(as_unsigned(lhs), as_unsigned(rhs)), lhs.dtype)


def multiply(lhs: Array, rhs: Array) -> Array:
    """The low half of `lhs * rhs`."""
    return wrap(np.multiply(as_unsigned(lhs), as_unsigned(rhs)), lhs.dtype)


def multiply_high(lhs: Array, rhs: Array, signed: bool = False) -> Array:
    """The high half of the double-width product."""
    width = width_of(lhs)
    a, b = _signed_or_not(lhs, signed), _signed_or_not(rhs, signed)
    if width < 64:
        wide = np.int64 if signed else np.uint64
        product = a.astype(wide) * b.astype(wide)
        return wrap(product >> wide(width), lhs.dtype)
    product = (a.astype(object) * b.astype(object)) >> 64
    return np.asarray(product & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64).astype(lhs.dtype)


def negate(source: Array) -> Array:
    """`-source`, wrapping."""
    return subtract(np.zeros_like(source), source)


def absolute(source: Array) -> Array:
    """The magnitude of the signed source; the minimum wraps to itself."""
    signed = as_signed(source)
    return wrap(np.where(signed < 0, negate(source), source), source.dtype)


def divide(lhs: Array, rhs: Array, signed: bool, rounding: Division = Division.ZERO) -> Array:
    """`lhs / rhs` rounded in the direction of `rounding`."""
    a, b = np.broadcast_arrays(_signed_or_not(lhs, signed), _signed_or_not(rhs, signed))
    zero = b == 0
    divisor = np.where(zero, b.dtype.type(1), b)
    quotient = np.floor_divide(a, divisor)
    inexact = np.multiply(quotient, divisor) != a
    negative = (a < 0) != (divisor < 0)
    match rounding:
        case Division.ZERO:
            up = inexact & negative
        case Division.NEGATIVE_INF:
            up = np.zeros_like(inexact)
        case Division.POSITIVE_INF:
            up = inexact
    quotient = quotient + up.astype(quotient.dtype)
    all_ones = np.bitwise_not(np.zeros_like(quotient))
    return wrap(np.where(zero, all_ones, quotient), lhs.dtype)


def remainder(lhs: Array, rhs: Array, signed: bool) -> Array:
    """The remainder of truncated division, with the sign of `lhs`."""
    a, b = np.broadcast_arrays(_signed_or_not(lhs, signed), _signed_or_not(rhs, signed))
    zero = b == 0
    return wrap(np.where(zero, a, np.fmod(a, np.where(zero, b.dtype.type(1), b))), lhs.dtype)


def maximum(lhs: Array, rhs: Array, signed: bool) -> Array:
    """The greater operand."""
    larger = _signed_or_not(lhs, signed) > _signed_or_not(rhs, signed)
    return np.where(larger, lhs, rhs)


def minimum(lhs: Array, rhs: Array, signed: bool) -> Array:
    """The lesser operand."""
    smaller = _signed_or_not(lhs, signed) < _signed_or_not(rhs, signed)
    return np.where(smaller, lhs, rhs)


def shift_left(lhs: Array, rhs: Array) -> Array:
    """`lhs` shifted left by the unsigned `rhs`, filled with zeros."""
    value, amount = as_unsigned(lhs), as_unsigned(rhs)
    width = width_of(lhs)
    inside = amount < width
    shifted = np.left_shift(value, np.where(inside, amount, amount.dtype.type(0)))
    return wrap(np.where(inside, shifted, shifted.dtype.type(0)), lhs.dtype)


def shift_right(lhs: Array, rhs: Array, signed: bool) -> Array:
    """`lhs` shifted right by the unsigned `rhs`, filled with the sign if `signed`, else zeros."""
    value, amount = _signed_or_not(lhs, signed), as_unsigned(rhs)
    width = width_of(lhs)
    inside = amount < width
    safe = np.where(inside, amount, amount.dtype.type(0)).astype(value.dtype)
    shifted = np.right_shift(value, safe)
    outside = np.where(value < 0, shifted.dtype.type(-1), shifted.dtype.type(0)) if signed else 0
    return wrap(np.where(inside, shifted, outside).astype(shifted.dtype), lhs.dtype)


def extend(source: Array, dtype: np.dtype[Any], signed: bool) -> Array:
    """`source` widened to `dtype` with its sign or with zeros."""
    return _signed_or_not(source, signed).astype(dtype)


def to_float64_parts(source: Array, signed: bool) -> tuple[Array, Array]:
    """The integers as doubles, and the sign of the rounding error."""
    values = _signed_or_not(source, signed)
    double = values.astype(np.float64)
    if values.dtype.itemsize < 8:
        return double, np.zeros(values.shape, np.int8)
    # A double of 2**63 (signed) or 2**64 (unsigned) is too large for the integer type.
    limit = 2.0 ** (63 if signed else 64)
    too_large = double >= limit
    back = np.where(too_large, 0.0, double).astype(values.dtype)
    difference = np.subtract(values, back).astype(np.int64)
    return double, np.where(too_large, -1, np.sign(difference)).astype(np.int8)


def from_float(values: Array, dtype: np.dtype[Any], signed: bool) -> Array:
    """Doubles truncated towards zero to the integer type stored as `dtype`.

    Values out of range become the nearest integer of the type, and NaN becomes 0 (Tile IR
    specification, `ftoi`). For `i1`, the integers are 0 and 1, or 0 and -1 if signed.
    """
    width = next(w for w, d in INTEGER_DTYPES.items() if d == dtype)
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
    truncated = np.trunc(np.where(np.isnan(values), 0.0, values))
    wide = np.int64 if signed else np.uint64
    above, below = truncated >= float(high), truncated <= float(low)
    inside = np.where(above | below, 0.0, truncated).astype(wide)
    result = np.where(above, wide(high), np.where(below, wide(low), inside))
    return wrap(result, dtype)


def compare(predicate: str, lhs: Array, rhs: Array, signed: bool) -> Array:
    """Whether `lhs predicate rhs` holds; `predicate` is one of `cmpi`."""
    return COMPARISONS[predicate](_signed_or_not(lhs, signed), _signed_or_not(rhs, signed))


COMPARISONS = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}
"""The six comparison predicates of `cmpi` and `cmpf`."""
