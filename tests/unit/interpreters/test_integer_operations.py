"""Integer operations against Python's unbounded integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tileir_xdsl.interpreters import integer_operations as ops
from tileir_xdsl.interpreters.integer_operations import Division
from tileir_xdsl.interpreters.numerics import INTEGER_DTYPES

WIDTHS = (1, 8, 16, 32, 64)


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def _patterns(width: int) -> list[int]:
    """Unsigned values of the width: around zero, the middle and the end, and some others."""
    top = 1 << width
    near = {0, 1, 2, 3, 7, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1, top // 3}
    rng = np.random.default_rng(width)
    near |= {int(v) for v in rng.integers(0, top, 12, dtype=np.uint64, endpoint=width < 64)}
    return sorted({v % top for v in near})


def _array(values: list[int], width: int) -> np.ndarray:
    if width == 1:
        return np.array(values, dtype=np.bool_)
    return np.array(values, dtype=np.uint64).astype(INTEGER_DTYPES[width])


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _pattern(value: Any, width: int) -> int:
    return int(value) % (1 << width)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


BINARY: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int, int], int]]] = {
    "add": (ops.add, lambda a, b, w: a + b),
    "subtract": (ops.subtract, lambda a, b, w: a - b),
    "multiply": (ops.multiply, lambda a, b, w: a * b),
    "multiply_high": (ops.multiply_high, lambda a, b, w: (a * b) >> w),
    "shift_left": (ops.shift_left, lambda a, b, w: a << b if b < w else 0),
    "shift_right": (
        lambda a, b: ops.shift_right(a, b, signed=False),
        lambda a, b, w: a >> b if b < w else 0,
    ),
}

BY_SIGN: dict[str, tuple[Callable[[Any, Any, bool], Any], Callable[[int, int], int]]] = {
    "divide": (ops.divide, _truncated),
    "floor": (lambda a, b, s: ops.divide(a, b, s, Division.NEGATIVE_INF), lambda a, b: a // b),
    "ceil": (lambda a, b, s: ops.divide(a, b, s, Division.POSITIVE_INF), lambda a, b: -(-a // b)),
    "remainder": (ops.remainder, lambda a, b: a - b * _truncated(a, b)),
    "maximum": (ops.maximum, max),
    "minimum": (ops.minimum, min),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BINARY)
def test_operations_without_sign(name: str, width: int) -> None:
    function, meaning = BINARY[name]
    patterns = _patterns(width)
    for a in patterns:
        lhs, rhs = _array([a] * len(patterns), width), _array(patterns, width)
        actual = function(lhs, rhs)
        assert actual.dtype == lhs.dtype
        for b, result in zip(patterns, actual, strict=True):
            assert _pattern(result, width) == meaning(a, b, width) % (1 << width), (a, b)


@pytest.mark.parametrize("signed", (False, True))
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", BY_SIGN)
def test_operations_by_sign(name: str, width: int, signed: bool) -> None:
    function, meaning = BY_SIGN[name]
    patterns = _patterns(width)
    for a in patterns:
        lhs, rhs = _array([a] * len(patterns), width), _array(patterns, width)
        actual = function(lhs, rhs, signed)
        for b, result in zip(patterns, actual, strict=True):
            x, y = (_signed(a, width), _signed(b, width)) if signed else (a, b)
            if name in ("maximum", "minimum") or y:
                assert _pattern(result, width) == meaning(x, y) % (1 << width), (x, y)


@pytest.mark.parametrize("width", WIDTHS)
def test_division_by_zero_is_that_of_the_hardware(width: int) -> None:
    values = _array(_patterns(width), width)
    zero = np.zeros_like(values)
    for signed in (False, True):
        quotient = ops.divide(values, zero, signed)
        assert all(_pattern(q, width) == (1 << width) - 1 for q in quotient)
        assert (ops.remainder(values, zero, signed) == values).all()


@pytest.mark.parametrize("width", WIDTHS)
def test_shift_right_brings_in_the_sign(width: int) -> None:
    for a in _patterns(width):
        for amount in (0, 1, width - 1, width, width + 1):
            if amount >= 1 << width:
                continue
            result = ops.shift_right(_array([a], width), _array([amount], width), signed=True)
            expected = _signed(a, width) >> amount
            assert _pattern(result[0], width) == expected % (1 << width)


@pytest.mark.parametrize("width", WIDTHS)
def test_unary_operations(width: int) -> None:
    patterns = _patterns(width)
    values = _array(patterns, width)
    for a, negated, magnitude in zip(
        patterns, ops.negate(values), ops.absolute(values), strict=True
    ):
        assert _pattern(negated, width) == -a % (1 << width)
        assert _pattern(magnitude, width) == abs(_signed(a, width)) % (1 << width)


def test_extension_and_wrapping() -> None:
    for width in (1, 8, 16, 32):
        for wider in (8, 16, 32, 64):
            if wider <= width:
                continue
            patterns = _patterns(width)
            values = _array(patterns, width)
            for signed in (False, True):
                extended = ops.extend(values, INTEGER_DTYPES[wider], signed)
                for a, result in zip(patterns, extended, strict=True):
                    assert int(result) % (1 << wider) == (_signed(a, width) if signed else a) % (
                        1 << wider
                    )
            back = ops.wrap(ops.extend(values, INTEGER_DTYPES[wider], True), values.dtype)
            assert (back == values).all()
    nibbles = ops.wrap(np.arange(-20, 20, dtype=np.int8), INTEGER_DTYPES[4])
    assert [int(v) % 16 for v in ops.as_signed(nibbles)] == [v % 16 for v in range(-20, 20)]
    assert [int(v) for v in ops.as_unsigned(nibbles)] == [v % 16 for v in range(-20, 20)]


@pytest.mark.parametrize("signed", (False, True))
@pytest.mark.parametrize("width", WIDTHS)
def test_from_float_saturates(width: int, signed: bool) -> None:
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - 1)) - 1 if signed else (1 << width) - 1
    values = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 100.7, -100.7, 1e30, -1e30, math.inf, -math.inf]
    values += [float(high), math.nextafter(high, 0), float(low), 2.0**62, 2.0**63, 2.0**31]
    actual = ops.from_float(np.array([*values, math.nan]), INTEGER_DTYPES[width], signed)
    for value, result in zip(values, actual, strict=False):
        whole = max(
            low,
            min(high, math.trunc(value) if math.isfinite(value) else (high if value > 0 else low)),
        )
        assert _pattern(result, width) == whole % (1 << width), value
    assert int(actual[-1]) == 0


@pytest.mark.parametrize("signed", (False, True))
def test_to_double_keeps_what_it_leaves_out(signed: bool) -> None:
    patterns = _patterns(64)
    doubles, signs = ops.to_float64_parts(_array(patterns, 64), signed)
    for pattern, double, sign in zip(patterns, doubles, signs, strict=True):
        value = _signed(pattern, 64) if signed else pattern
        difference = value - int(double)
        assert sign == (difference > 0) - (difference < 0)
    narrow, none = ops.to_float64_parts(_array([0, 1, 255], 8), signed)
    assert narrow.tolist() == ([0, 1, -1] if signed else [0, 1, 255])
    assert not none.any()


def test_comparisons() -> None:
    a, b = np.array([1, -1, 3], np.int32), np.array([1, 1, 2], np.int32)
    assert ops.compare("less_than", a, b, signed=True).tolist() == [False, True, False]
    assert ops.compare("less_than", a, b, signed=False).tolist() == [False, False, False]
    assert ops.compare("greater_than_or_equal", a, b, False).tolist() == [True, True, True]
    assert ops.compare("not_equal", a, b, signed=True).tolist() == [False, True, True]
    true, false = np.array([True]), np.array([False])
    assert ops.compare("less_than", true, false, signed=True).tolist() == [True]
    assert ops.compare("less_than", true, false, signed=False).tolist() == [False]
