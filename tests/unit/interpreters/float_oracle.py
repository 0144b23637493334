"""Floating-point operations on single numbers: exact rationals, mpmath, the rules of IEEE 754.

Numbers are Python floats, which hold those of every format exactly. Nothing here is numpy's, which
the interpreter computes with. What a function of a rounded operation returns is the number that
the format holds; what an elementary function returns is exact to far beyond a double.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath

from tests.unit.interpreters.oracle import round_exactly
from tileir_xdsl.interpreters.numerics import FloatFormat, RoundingMode

NAN, INF = math.nan, math.inf
PRECISION = 300
"""Bits that mpmath computes with."""

Rounded = Callable[..., float]
"""`function(fmt, mode, *operands)`."""


def _signed(value: float, negative: bool) -> float:
    return -value if negative else value


def is_negative(value: float) -> bool:
    """Whether the sign bit is set."""
    return math.copysign(1, value) < 0


def _rounded(exact: Fraction, zero: float, fmt: FloatFormat, mode: RoundingMode) -> float:
    return round_exactly(exact, fmt, mode) if exact else zero


def _zero_sum(x: float, y: float, mode: RoundingMode) -> float:
    """The zero that operands add up to (IEEE 754, 6.3)."""
    if x == 0 and y == 0 and is_negative(x) == is_negative(y):
        return x
    return -0.0 if mode is RoundingMode.NEGATIVE_INF else 0.0


def add(fmt: FloatFormat, mode: RoundingMode, x: float, y: float) -> float:
    """`x + y`."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x + y
    return _rounded(Fraction(x) + Fraction(y), _zero_sum(x, y, mode), fmt, mode)


def subtract(fmt: FloatFormat, mode: RoundingMode, x: float, y: float) -> float:
    """`x - y`."""
    return add(fmt, mode, x, -y)


def multiply(fmt: FloatFormat, mode: RoundingMode, x: float, y: float) -> float:
    """`x * y`."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y
    zero = _signed(0.0, is_negative(x) != is_negative(y))
    return _rounded(Fraction(x) * Fraction(y), zero, fmt, mode)


def divide(fmt: FloatFormat, mode: RoundingMode, x: float, y: float) -> float:
    """`x / y`."""
    if math.isnan(x) or math.isnan(y):
        return NAN
    negative = is_negative(x) != is_negative(y)
    if math.isinf(x) or y == 0:
        return NAN if math.isinf(y) or x == 0 else _signed(INF, negative)
    zero = _signed(0.0, negative)
    return zero if math.isinf(y) else _rounded(Fraction(x) / Fraction(y), zero, fmt, mode)


def multiply_add(fmt: FloatFormat, mode: RoundingMode, x: float, y: float, z: float) -> float:
    """`x * y + z`, rounded once."""
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    exact = Fraction(x) * Fraction(y)
    # The sign of the product decides, not whether it is zero in double precision.
    product = _signed(1.0 if exact else 0.0, is_negative(x) != is_negative(y))
    return _rounded(exact + Fraction(z), _zero_sum(product, z, mode), fmt, mode)


def square_root(fmt: FloatFormat, mode: RoundingMode, x: float) -> float:
    """The square root; -0 of -0."""
    if x == 0:
        return x
    if math.isnan(x) or x < 0:
        return NAN
    if math.isinf(x):
        return x
    with mpmath.workprec(PRECISION):
        root: Any = mpmath.sqrt(x)  # exact if it is a number of the format
        mantissa, exponent = root.man_exp
    return round_exactly(Fraction(int(mantissa)) * Fraction(2) ** int(exponent), fmt, mode)


def remainder(x: float, y: float) -> float:
    """`x - y * trunc(x / y)`, exact, with the sign of `x`."""
    if math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0:
        return NAN
    if math.isinf(y):
        return x
    quotient = Fraction(x) / Fraction(y)
    return math.copysign(float(Fraction(x) - Fraction(y) * int(quotient)), x)


def maximum(propagate: bool, x: float, y: float) -> float:
    """The greater, +0 above -0; NaN if any is and `propagate`, or both are."""
    if math.isnan(x) or math.isnan(y):
        return NAN if propagate or (math.isnan(x) and math.isnan(y)) else y if math.isnan(x) else x
    return max(x, y, key=lambda v: (v, not is_negative(v)))


def minimum(propagate: bool, x: float, y: float) -> float:
    """The lesser, otherwise as `maximum`."""
    return -maximum(propagate, -x, -y)


def convert(fmt: FloatFormat, mode: RoundingMode, value: float) -> float:
    """A number as that of a format, saturating in those of 8 bits or less."""
    if math.isnan(value) or value == 0:
        return float(value)
    if fmt.bits <= 8:
        value = max(-fmt.max_finite, min(fmt.max_finite, value))
    return value if math.isinf(value) else round_exactly(Fraction(value), fmt, mode)


def negate(x: float) -> float:
    """`x` with the other sign."""
    return -x


def floor(x: float) -> float:
    """The next integer below, a zero with the sign of `x`."""
    return math.copysign(float(math.floor(Fraction(x))), x) if math.isfinite(x) else x


def ceil(x: float) -> float:
    """The next integer above, a zero with the sign of `x`."""
    return -floor(-x)


def _by_mpmath(name: str, x: float) -> float:
    with mpmath.workprec(PRECISION):
        function: Callable[[float], Any] = getattr(mpmath, name)
        return float(function(x))


def _odd(name: str, at_infinity: float) -> Callable[[float], float]:
    """An odd function: zeros keep their sign, infinities give `at_infinity` with theirs."""

    def function(x: float) -> float:
        if x == 0 or math.isnan(x):
            return x
        return math.copysign(at_infinity, x) if math.isinf(x) else _by_mpmath(name, x)

    return function


def _even(name: str, at_infinity: float) -> Callable[[float], float]:
    def function(x: float) -> float:
        if math.isnan(x):
            return x
        return at_infinity if math.isinf(x) else _by_mpmath(name, x)

    return function


def _power_of_two(x: float) -> Any:
    return mpmath.power(2, x)


def _exponential(base: Callable[[float], Any]) -> Callable[[float], float]:
    def function(x: float) -> float:
        if math.isnan(x) or x == INF:
            return x
        if x == -INF:
            return 0.0
        with mpmath.workprec(PRECISION):
            return float(base(x))

    return function


def _logarithm(base: int | None) -> Callable[[float], float]:
    def function(x: float) -> float:
        if math.isnan(x) or x < 0:
            return NAN
        if x == 0 or math.isinf(x):
            return -INF if x == 0 else x
        with mpmath.workprec(PRECISION):
            return float(mpmath.log(x) if base is None else mpmath.log(x, base))

    return function


def reciprocal_square_root(x: float) -> float:
    """`1 / sqrt(x)`."""
    if x == 0:
        return math.copysign(INF, x)
    if math.isnan(x) or x < 0:
        return NAN
    with mpmath.workprec(PRECISION):
        return 0.0 if math.isinf(x) else float(1 / mpmath.sqrt(x))


def power(x: float, y: float) -> float:
    """`x` to the `y`, in the corners as C's `pow`."""
    if y == 0 or x == 1:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return NAN
    size = abs(x)
    if math.isinf(y):
        return 1.0 if size == 1 else INF if (size > 1) == (y > 0) else 0.0
    whole = y == math.floor(y)
    negative = is_negative(x) and whole and int(y) % 2 == 1
    if x == 0 or math.isinf(x):
        return _signed(INF if (size > 1) == (y > 0) else 0.0, negative)
    if x < 0 and not whole:
        return NAN
    with mpmath.workprec(PRECISION):
        return _signed(float(mpmath.power(size, y)), negative)


def arc_tangent(y: float, x: float) -> float:
    """The angle of the point (x, y), in the corners as C's `atan2`."""
    if math.isnan(x) or math.isnan(y):
        return NAN
    if x == 0 or y == 0 or math.isinf(x) or math.isinf(y):
        return math.atan2(y, x)
    with mpmath.workprec(PRECISION):
        return float(mpmath.atan2(y, x))


ELEMENTARY: dict[str, Callable[..., float]] = {
    "atan2": arc_tangent,
    "cos": _even("cos", NAN),
    "cosh": _even("cosh", INF),
    "exp": _exponential(mpmath.exp),
    "exp2": _exponential(_power_of_two),
    "log": _logarithm(None),
    "log2": _logarithm(2),
    "pow": power,
    "rsqrt": reciprocal_square_root,
    "sin": _odd("sin", NAN),
    "sinh": _odd("sinh", INF),
    "tan": _odd("tan", NAN),
    "tanh": _odd("tanh", 1.0),
}
"""Operations whose results are judged within the bounds of `tileir_xdsl.testing.kernels.agreement.ULPS`."""

ROUNDED: dict[str, tuple[int, Rounded]] = {
    "addf": (2, add),
    "divf": (2, divide),
    "fma": (3, multiply_add),
    "mulf": (2, multiply),
    "sqrt": (1, square_root),
    "subf": (2, subtract),
}
"""Correctly rounded operations: number of operands, function."""
