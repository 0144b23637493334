"""Floating-point operations on numpy arrays, each on one format.

Operands are arrays of a `FloatFormat`'s storage dtype (see `numerics`) that broadcast; results have
the same dtype. Sources: Tile IR specification, "Floating Point"; PTX ISA, "Floating Point
Instructions" for NaN results.

Results are rounded correctly in every mode: formats up to f32 compute in double precision and keep
the sign of the rounding error. This sign comes from two-sum for additions, and from the residual
for divisions and square roots; a product of two such numbers is exact. No format is wider than f64,
so numpy computes f64 to nearest even, and exact rationals, element by element, serve other modes.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from tileir_xdsl.interpreters import numerics
from tileir_xdsl.interpreters.integer_operations import COMPARISONS, to_float64_parts

NEAREST = numerics.RoundingMode.NEAREST_EVEN

_Rational: TypeAlias = Callable[..., Fraction | None]
"""The exact result of an operation on exact operands; None if it is not a number."""


def _sign(values: numerics.Array) -> numerics.Array:
    return np.sign(np.where(np.isnan(values), 0.0, values)).astype(np.int8)


def _two_sum(a: numerics.Array, b: numerics.Array) -> tuple[numerics.Array, numerics.Array]:
    """The double sum of `a` and `b`, and the sign of the exact sum minus this one (Knuth)."""
    total = a + b
    b_part = total - a
    error = (a - (total - b_part)) + (b - b_part)
    return total, _sign(np.where(np.isfinite(total), error, 0.0))


def _signed_zero_sum(
    total: numerics.Array, a: numerics.Array, b: numerics.Array, mode: numerics.RoundingMode
) -> numerics.Array:
    """Makes exact zero sums of operands with opposite signs -0 if rounding down (IEEE 754, 6.3)."""
    if mode is not numerics.RoundingMode.NEGATIVE_INF:
        return total
    cancelled = (total == 0) & (np.signbit(a) != np.signbit(b))
    return np.where(cancelled, -0.0, total)


def _exact_f64(
    rational: _Rational,
    nearest: numerics.Array,
    operands: tuple[numerics.Array, ...],
    mode: numerics.RoundingMode,
) -> numerics.Array:
    """The exact `rational` of finite `operands` rounded by `mode`; `nearest` for other operands.

    An exact zero keeps its sign in `nearest`.
    """
    nearest = np.asarray(nearest)
    columns = [np.broadcast_to(o, nearest.shape).ravel() for o in operands]
    result = nearest.ravel().copy()
    for i in range(result.size):
        values = [float(column[i]) for column in columns]
        if all(map(math.isfinite, values)):
            exact = rational(*map(Fraction, values))
            if exact:
                result[i] = round_rational_to_f64(exact, mode)
    return result.reshape(nearest.shape)


def _exact_quotient(lhs: Fraction, rhs: Fraction) -> Fraction | None:
    return lhs / rhs if rhs else None


def _exact_multiply_add(lhs: Fraction, rhs: Fraction, acc: Fraction) -> Fraction:
    return lhs * rhs + acc


def round_rational_to_f64(value: Fraction, mode: numerics.RoundingMode) -> float:
    """Rounds a nonzero rational to f64; overflow as IEEE 754 prescribes for `mode`."""
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1  # now 2**exponent <= magnitude < 2**(exponent + 1)
    quantum = max(exponent, numerics.F64.min_exponent) - numerics.F64.precision + 1
    scaled = magnitude / Fraction(2) ** quantum
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    half = Fraction(rest, scaled.denominator) - Fraction(1, 2)
    up = {
        numerics.RoundingMode.NEAREST_EVEN: half > 0 or (half == 0 and whole % 2 == 1),
        numerics.RoundingMode.ZERO: False,
        numerics.RoundingMode.POSITIVE_INF: rest != 0 and value > 0,
        numerics.RoundingMode.NEGATIVE_INF: rest != 0 and value < 0,
    }[mode]
    try:
        result = math.ldexp(whole + up, quantum)
    except OverflowError:
        result = math.inf
    away = {
        numerics.RoundingMode.NEAREST_EVEN: True,
        numerics.RoundingMode.ZERO: False,
        numerics.RoundingMode.POSITIVE_INF: value > 0,
        numerics.RoundingMode.NEGATIVE_INF: value < 0,
    }[mode]
    if math.isinf(result) and not away:
        result = numerics.F64.max_finite
    return -result if value < 0 else result


def _prepare(
    fmt: numerics.FloatFormat, flush: bool, *operands: numerics.Array
) -> tuple[numerics.Array, ...]:
    if flush:
        return tuple(numerics.flush_subnormals(o) for o in operands)
    return operands


def _finish(result: numerics.Array, fmt: numerics.FloatFormat, flush: bool) -> numerics.Array:
    if flush:
        result = numerics.flush_subnormals(result)
    return numerics.with_canonical_nan(np.asarray(result), fmt)


def add(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """`lhs + rhs`, correctly rounded; `flush` (f32 only) flushes subnormals, keeping the sign."""
    lhs, rhs = _prepare(fmt, flush, lhs, rhs)
    if mode is NEAREST and fmt in (numerics.F32, numerics.F64):
        result = np.add(lhs, rhs)
    elif fmt is numerics.F64:
        nearest = _signed_zero_sum(np.add(lhs, rhs), lhs, rhs, mode)
        result = _exact_f64(operator.add, nearest, (lhs, rhs), mode)
    else:
        a, b = numerics.to_double(lhs), numerics.to_double(rhs)
        total, sign = _two_sum(a, b)
        result = numerics.round_to_format(_signed_zero_sum(total, a, b, mode), fmt, mode, sign)
    return _finish(result, fmt, flush)


def subtract(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """`lhs - rhs`, as `add`."""
    return add(lhs, negate(rhs), fmt, mode, flush)


def multiply(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """`lhs * rhs`, as `add`."""
    lhs, rhs = _prepare(fmt, flush, lhs, rhs)
    if mode is NEAREST and fmt in (numerics.F32, numerics.F64):
        result = np.multiply(lhs, rhs)
    elif fmt is numerics.F64:
        result = _exact_f64(operator.mul, np.multiply(lhs, rhs), (lhs, rhs), mode)
    else:
        result = numerics.round_to_format(
            numerics.to_double(lhs) * numerics.to_double(rhs), fmt, mode
        )
    return _finish(result, fmt, flush)


def fused_multiply_add(
    lhs: numerics.Array,
    rhs: numerics.Array,
    acc: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """`lhs * rhs + acc` rounded once."""
    lhs, rhs, acc = _prepare(fmt, flush, lhs, rhs, acc)
    if fmt is numerics.F64:
        product = np.multiply(lhs, rhs)
        nearest = _signed_zero_sum(product + acc, product, acc, mode)
        result = _exact_f64(_exact_multiply_add, nearest, (lhs, rhs, acc), mode)
    else:
        product, c = numerics.to_double(lhs) * numerics.to_double(rhs), numerics.to_double(acc)
        total, sign = _two_sum(product, c)
        result = numerics.round_to_format(
            _signed_zero_sum(total, product, c, mode), fmt, mode, sign
        )
    return _finish(result, fmt, flush)


def divide(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """`lhs / rhs`, as `add`."""
    lhs, rhs = _prepare(fmt, flush, lhs, rhs)
    if mode is NEAREST and fmt in (numerics.F32, numerics.F64):
        result = np.divide(lhs, rhs)
    elif fmt is numerics.F64:
        quotient = np.divide(lhs, rhs)
        result = _exact_f64(_exact_quotient, quotient, (lhs, rhs), mode)
    else:
        a, b = numerics.to_double(lhs), numerics.to_double(rhs)
        quotient = a / b
        residual = a - quotient * b
        regular = np.isfinite(quotient) & np.isfinite(b)
        sign = _sign(np.where(regular, residual, 0.0)) * _sign(b)
        result = numerics.round_to_format(quotient, fmt, mode, sign)
    return _finish(result, fmt, flush)


def approximate_division(
    lhs: numerics.Array, rhs: numerics.Array, quotient: numerics.Array
) -> numerics.Array:
    """Corrects `quotient` to zero or NaN where `div.approx.f32` returns these (PTX ISA, `div`).

    The reciprocal of a divisor above 2**126 underflows to zero.
    """
    huge = (np.abs(rhs) > np.float32(2.0**126)) & np.isfinite(rhs)
    zero = np.copysign(np.float32(0), quotient)
    vanished = np.where(np.isinf(lhs), np.float32(np.nan), zero)
    return np.where(huge & ~np.isnan(lhs), vanished, quotient)


def square_root(
    source: numerics.Array,
    fmt: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
    flush: bool = False,
) -> numerics.Array:
    """The square root, rounded as in `add`; NaN for negative numbers, -0 for -0."""
    (source,) = _prepare(fmt, flush, source)
    if mode is NEAREST and fmt in (numerics.F32, numerics.F64):
        result = np.sqrt(source)
    elif fmt is numerics.F64:
        result = _directed_root_f64(source, mode)
    else:
        x = numerics.to_double(source)
        root = np.sqrt(x)
        residual = np.where(np.isfinite(root), x - root * root, 0.0)
        result = numerics.round_to_format(root, fmt, mode, _sign(residual))
    return _finish(result, fmt, flush)


def _directed_root_f64(source: numerics.Array, mode: numerics.RoundingMode) -> numerics.Array:
    """The nearest root, moved to an adjacent double if `mode` requires it."""
    root = np.asarray(np.sqrt(source)).copy()
    step = np.inf if mode is numerics.RoundingMode.POSITIVE_INF else 0.0
    flat, values = root.reshape(-1), np.asarray(source).reshape(-1)
    for i in range(flat.size):
        if not math.isfinite(flat[i]) or flat[i] == 0:
            continue
        residual = Fraction(float(values[i])) - Fraction(float(flat[i])) ** 2
        if (step and residual > 0) or (not step and residual < 0):
            flat[i] = np.nextafter(flat[i], step)
    return root


def absolute(source: numerics.Array) -> numerics.Array:
    """Clears the sign bit, also of NaN."""
    return _with_sign_bits(source, lambda bits, sign: bits & ~sign)


def negate(source: numerics.Array) -> numerics.Array:
    """Flips the sign bit, also of NaN."""
    return _with_sign_bits(source, lambda bits, sign: bits ^ sign)


def _with_sign_bits(
    source: numerics.Array, change: Callable[[numerics.Array, Any], numerics.Array]
) -> numerics.Array:
    source = np.asarray(source)
    bits = np.dtype(f"u{source.dtype.itemsize}")
    sign = bits.type(1 << (8 * bits.itemsize - 1))
    return np.asarray(change(source.view(bits), sign)).view(source.dtype)


def maximum(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    propagate_nan: bool = False,
    flush: bool = False,
) -> numerics.Array:
    """The greater operand, +0 above -0.

    With `propagate_nan`, the result is NaN if either operand is NaN (IEEE 754-2019 maximum);
    without it, only if both are (maximumNumber).
    """
    lhs, rhs = _prepare(fmt, flush, lhs, rhs)
    result = _greater(lhs, rhs, propagate_nan)
    return numerics.with_canonical_nan(result, fmt)


def minimum(
    lhs: numerics.Array,
    rhs: numerics.Array,
    fmt: numerics.FloatFormat,
    propagate_nan: bool = False,
    flush: bool = False,
) -> numerics.Array:
    """The lesser operand, -0 below +0; NaN as `maximum`."""
    lhs, rhs = _prepare(fmt, flush, lhs, rhs)
    result = negate(_greater(negate(lhs), negate(rhs), propagate_nan))
    return numerics.with_canonical_nan(result, fmt)


def _greater(lhs: numerics.Array, rhs: numerics.Array, propagate_nan: bool) -> numerics.Array:
    result = np.asarray(np.maximum(lhs, rhs) if propagate_nan else np.fmax(lhs, rhs))
    zero = result == 0
    if zero.any():
        # numpy takes either of two zeros; their sum is +0 unless both are -0.
        result = np.where(zero & (lhs == rhs), lhs + rhs, result)
    return result


def remainder(
    lhs: numerics.Array, rhs: numerics.Array, fmt: numerics.FloatFormat
) -> numerics.Array:
    """`lhs - rhs * trunc(lhs / rhs)`, exact, with the sign of `lhs` (C's fmod)."""
    result = np.fmod(numerics.to_double(lhs), numerics.to_double(rhs))
    return _elementary_result(result, fmt)


def _elementary_result(result: numerics.Array, fmt: numerics.FloatFormat) -> numerics.Array:
    if fmt is numerics.F64:
        return numerics.with_canonical_nan(np.asarray(result), fmt)
    return numerics.round_to_format(result, fmt)


def elementary(
    function: Callable[..., numerics.Array],
    *operands: numerics.Array,
    fmt: numerics.FloatFormat,
    flush: bool = False,
) -> numerics.Array:
    """Evaluates a function of the reals in double precision, rounding once.

    For f64 the result is that of the numpy function. For narrower formats the result is within one
    ulp, and nearly always correctly rounded. So every error bound of the specification holds, also
    for `approx` and `full`.
    """
    prepared = _prepare(fmt, flush, *operands)
    result = _elementary_result(function(*map(numerics.to_double, prepared)), fmt)
    return numerics.flush_subnormals(result) if flush else result


def power(base: numerics.Array, exponent: numerics.Array) -> numerics.Array:
    """`base` to the `exponent` in double precision: 1 for an exponent of 0, whatever the base is.

    Signalling NaNs are made quiet first, since C libraries and vector units treat them differently.
    """
    return np.power(base * 1.0, exponent * 1.0)


def reciprocal_square_root(source: numerics.Array) -> numerics.Array:
    """`1 / sqrt(source)` in double precision."""
    return np.divide(1.0, np.sqrt(source))


def from_integer(
    source: numerics.Array,
    fmt: numerics.FloatFormat,
    signed: bool,
    mode: numerics.RoundingMode = NEAREST,
) -> numerics.Array:
    """Converts integers to a float format, rounding once; 8 bits saturate as in `convert`."""
    doubles, remainder_sign = to_float64_parts(source, signed)
    if fmt is numerics.F64:
        return doubles
    if fmt.bits <= 8:
        doubles = np.clip(doubles, -fmt.max_finite, fmt.max_finite)
    return numerics.round_to_format(doubles, fmt, mode, remainder_sign)


def compare(
    predicate: str, lhs: numerics.Array, rhs: numerics.Array, ordered: bool
) -> numerics.Array:
    """Whether `lhs predicate rhs` holds, for predicates of `cmpf`, and ordered or unordered alone.

    With a NaN among the operands an ordered comparison is false, an unordered one true.
    """
    a, b = numerics.to_double(lhs), numerics.to_double(rhs)
    unordered = np.isnan(a) | np.isnan(b)
    if predicate == "ordered":
        return ~unordered
    if predicate == "unordered":
        return unordered
    relation = COMPARISONS[predicate](a, b)
    return relation & ~unordered if ordered else relation | unordered


def convert(
    source: numerics.Array,
    from_format: numerics.FloatFormat,
    to_format: numerics.FloatFormat,
    mode: numerics.RoundingMode = NEAREST,
) -> numerics.Array:
    """Converts `source` to another format, rounded by `mode`.

    Formats of 8 bits or less saturate to their largest number, also for infinity, as `cvt` with
    `.satfinite` does (PTX ISA). Format f8E8M0FNU ignores the sign, and saturates to its smallest
    number. Format f4E2M1FN converts NaN to its largest number.
    """
    if to_format is numerics.F64:
        return numerics.with_canonical_nan(numerics.to_double(source), numerics.F64)
    if mode is NEAREST and to_format is numerics.F32 and from_format is not numerics.F64:
        return numerics.with_canonical_nan(source.astype(np.float32), numerics.F32)
    values = numerics.to_double(source)
    if to_format is numerics.F8E8M0FNU:
        values = np.clip(np.abs(values), to_format.min_normal, to_format.max_finite)
    elif to_format.bits <= 8:
        values = np.clip(values, -to_format.max_finite, to_format.max_finite)
    return numerics.round_to_format(values, to_format, mode)
