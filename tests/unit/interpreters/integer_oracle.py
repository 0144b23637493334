"""Integer operations on single numbers: Python's unbounded integers.

Operands are bit patterns of `width` bits, which `read` turns into numbers, signed or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

Binary = Callable[[int, int, int], int]
"""`function(width, x, y)` of two numbers: any integer whose low bits are the result."""


def read(pattern: int, width: int, signed: bool) -> int:
    """The number that a pattern stands for."""
    return pattern - (1 << width) if signed and pattern >> (width - 1) else pattern


def divide(rounding: str, width: int, x: int, y: int) -> int:
    """The quotient of two numbers rounded by `rounding`; all bits set by zero."""
    if y == 0:
        return (1 << width) - 1
    exact = Fraction(x, y)
    directions = {"zero": math.trunc, "negative_inf": math.floor, "positive_inf": math.ceil}
    return directions[rounding](exact)


def remainder(x: int, y: int) -> int:
    """What truncated division leaves; the dividend by zero."""
    return x - y * math.trunc(Fraction(x, y)) if y else x


def _shift_right(width: int, x: int, y: int) -> int:
    return x >> min(y % (1 << width), width)


BINARY: dict[str, tuple[tuple[bool, ...], Binary]] = {
    "addi": ((False,), lambda w, x, y: x + y),
    "andi": ((False,), lambda w, x, y: x & y),
    "divi": ((False, True), lambda w, x, y: divide("zero", w, x, y)),
    "maxi": ((False, True), lambda w, x, y: max(x, y)),
    "mini": ((False, True), lambda w, x, y: min(x, y)),
    "mulhii": ((False,), lambda w, x, y: (x * y) >> w),
    "muli": ((False,), lambda w, x, y: x * y),
    "ori": ((False,), lambda w, x, y: x | y),
    "remi": ((False, True), lambda w, x, y: remainder(x, y)),
    "shli": ((False,), lambda w, x, y: x << y if y < w else 0),
    "shri": ((False, True), _shift_right),
    "subi": ((False,), lambda w, x, y: x - y),
    "xori": ((False,), lambda w, x, y: x ^ y),
}
"""Operations of two integers: how they read their operands, and what they give."""

UNARY: dict[str, Callable[[int], int]] = {"absi": abs, "negi": lambda x: -x}
"""Operations of one integer, read as signed."""

RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
    "less_than": lambda x, y: x < y,
    "less_than_or_equal": lambda x, y: x <= y,
    "greater_than": lambda x, y: x > y,
    "greater_than_or_equal": lambda x, y: x >= y,
}
"""The predicates of `cmpi` and `cmpf`."""


def from_float(width: int, signed: bool, value: float) -> int:
    """`value` without its fraction, or the nearest number of the type; 0 for NaN.

    As one bit, its truth in Python: 0 of either sign is false.
    """
    if width == 1:
        return int(bool(value))
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return low if value < 0 else high
    return max(low, min(high, math.trunc(value)))
