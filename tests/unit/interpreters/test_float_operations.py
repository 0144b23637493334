"""Floating-point operations against exact rationals and the rules of IEEE 754."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tileir_xdsl.interpreters import float_operations as ops
from tileir_xdsl.interpreters.numerics import (
    BF16,
    F4E2M1FN,
    F8E4M3FN,
    F8E5M2,
    F8E8M0FNU,
    F16,
    F32,
    F64,
    FloatFormat,
    RoundingMode,
)
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_ulps

FORMATS = (F16, BF16, F32, F64)

EXACT: dict[str, Callable[[Fraction, Fraction], Fraction | None]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b if b else None,
}


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def _multiply_add(x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    return x * y + z


def _check(
    actual: np.ndarray,
    exact: Callable[..., Any],
    operands: tuple[np.ndarray, ...],
    fmt: FloatFormat,
    mode: RoundingMode,
) -> None:
    """Every finite, non-zero exact result must come out correctly rounded."""
    checked = 0
    for i, result in enumerate(actual):
        parts = [oracle.exact(o[i]) for o in operands]
        if any(p is None for p in parts):
            continue
        value = exact(*parts)
        if value:
            expected = oracle.round_exactly(value, fmt, mode)
            assert float(result) == expected, ([o[i] for o in operands], result, expected)
            assert math.copysign(1, float(result)) == math.copysign(1, expected)
            checked += 1
    assert checked > 100


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", oracle.ARITHMETIC_MODES)
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.name)
@pytest.mark.parametrize("name", EXACT)
def test_binary_operations_are_correctly_rounded(
    name: str, fmt: FloatFormat, mode: RoundingMode
) -> None:
    lhs, rhs = oracle.pairs(oracle.corner_values(fmt.dtype, random=8))
    actual = getattr(ops, name)(lhs, rhs, fmt, mode)
    assert actual.dtype == fmt.dtype
    _check(actual, EXACT[name], (lhs, rhs), fmt, mode)


@pytest.mark.parametrize("mode", oracle.ARITHMETIC_MODES)
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.name)
def test_fma_is_rounded_once(fmt: FloatFormat, mode: RoundingMode) -> None:
    rng = np.random.default_rng(3)
    values = oracle.corner_values(fmt.dtype, random=30)
    a, b, c = (rng.choice(values, 700) for _ in range(3))
    # The addend cancels most of the product: what a second rounding would lose decides.
    near = rng.standard_normal(300).astype(fmt.dtype)
    other = rng.standard_normal(300).astype(fmt.dtype)
    a, b = np.concatenate([a, near]), np.concatenate([b, other])
    c = np.concatenate([c, ops.negate(ops.multiply(near, other, fmt))])
    actual = ops.fused_multiply_add(a, b, c, fmt, mode)
    _check(actual, _multiply_add, (a, b, c), fmt, mode)


@pytest.mark.parametrize("mode", oracle.ARITHMETIC_MODES)
@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.name)
def test_square_root_is_correctly_rounded(fmt: FloatFormat, mode: RoundingMode) -> None:
    values = np.abs(oracle.corner_values(fmt.dtype, random=300))
    squares = ops.multiply(values, values, fmt)
    values = np.concatenate([values, squares])
    values = values[np.isfinite(values) & (values > 0)]
    actual = ops.square_root(values, fmt, mode)
    for value, root in zip(values, actual, strict=True):
        square = Fraction(float(value))
        up = mode is RoundingMode.POSITIVE_INF
        exact = Fraction(float(root)) ** 2
        below = ops_neighbour(root, fmt, -1)
        above = ops_neighbour(root, fmt, 1)
        if mode is RoundingMode.NEAREST_EVEN:
            low = (Fraction(float(root)) + Fraction(float(below))) / 2
            high = (Fraction(float(root)) + Fraction(float(above))) / 2
            assert low**2 <= square <= high**2
        elif up:
            assert exact >= square > Fraction(float(below)) ** 2
        else:
            assert exact <= square < Fraction(float(above)) ** 2


def ops_neighbour(value: Any, fmt: FloatFormat, step: int) -> Any:
    """The next number of the format above or below a positive one."""
    bits = np.dtype(f"u{fmt.dtype.itemsize}")
    return np.asarray(int(np.asarray(value).view(bits)) + step).astype(bits).view(fmt.dtype)


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.name)
def test_special_operands(fmt: FloatFormat) -> None:
    inf, nan, one = (np.asarray(v).astype(fmt.dtype) for v in (np.inf, np.nan, 1.0))
    zero = np.zeros((), fmt.dtype)
    invalid = [
        ops.add(inf, -inf, fmt),
        ops.multiply(inf, zero, fmt),
        ops.divide(zero, zero, fmt),
        ops.divide(inf, inf, fmt),
        ops.square_root(-one, fmt),
        ops.remainder(one, zero, fmt),
        ops.remainder(inf, one, fmt),
        ops.fused_multiply_add(inf, zero, one, fmt),
        ops.add(nan, one, fmt),
    ]
    bits = np.dtype(f"u{fmt.dtype.itemsize}")
    assert [int(np.asarray(v).view(bits)) for v in invalid] == [fmt.canonical_nan] * len(invalid)
    assert float(ops.divide(one, -zero, fmt)) == -math.inf
    assert math.copysign(1, float(ops.square_root(-zero, fmt))) == -1
    assert float(ops.remainder(one, inf, fmt)) == 1


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda f: f.name)
def test_zero_sums_have_the_sign_of_the_mode(fmt: FloatFormat) -> None:
    one = np.ones((), fmt.dtype)
    zero = np.zeros((), fmt.dtype)
    for mode in oracle.ARITHMETIC_MODES:
        sign = -1.0 if mode is RoundingMode.NEGATIVE_INF else 1.0
        for result in (
            ops.add(one, -one, fmt, mode),
            ops.add(zero, -zero, fmt, mode),
            ops.subtract(one, one, fmt, mode),
            ops.fused_multiply_add(one, one, -one, fmt, mode),
        ):
            assert float(result) == 0 and math.copysign(1, float(result)) == sign
        minus = ops.add(-zero, -zero, fmt, mode)
        assert math.copysign(1, float(minus)) == -1


def test_flush_applies_to_operands_and_results() -> None:
    tiny = np.array(2.0**-140, np.float32)
    normal = np.array(2.0**-126, np.float32)
    assert ops.add(tiny, normal, F32, flush=True) == normal
    assert ops.add(tiny, tiny, F32) == 2 * tiny
    product = ops.multiply(-normal, np.array(0.5, np.float32), F32, flush=True)
    assert product == 0 and np.signbit(product)
    assert ops.maximum(tiny, np.array(0, np.float32), F32, flush=True) == 0
    assert ops.square_root(tiny, F32, flush=True) == 0


def test_minimum_and_maximum_order_zeros_and_nan() -> None:
    a = np.array([0.0, -0.0, 1.0, np.nan, 2.0, np.nan], np.float32)
    b = np.array([-0.0, 0.0, 2.0, 1.0, np.nan, np.nan], np.float32)
    assert oracle.same(ops.maximum(a, b, F32), np.array([0.0, 0.0, 2.0, 1.0, 2.0, np.nan])).all()
    assert oracle.same(ops.minimum(a, b, F32), np.array([-0.0, -0.0, 1.0, 1.0, 2.0, np.nan])).all()
    nan = math.nan
    assert oracle.same(
        ops.maximum(a, b, F32, propagate_nan=True), np.array([0.0, 0.0, 2.0, nan, nan, nan])
    ).all()
    assert oracle.same(
        ops.minimum(a, b, F32, propagate_nan=True), np.array([-0.0, -0.0, 1.0, nan, nan, nan])
    ).all()


def test_signs_are_bits() -> None:
    values = np.array([0.0, -0.0, -1.5, np.nan], ml_dtypes.bfloat16)
    assert ops.negate(values).view(np.uint16).tolist() == [0x8000, 0, 0x3FC0, 0xFFC0]
    assert ops.absolute(ops.negate(values)).view(np.uint16).tolist() == [0, 0, 0x3FC0, 0x7FC0]


def test_elementary_functions_are_within_an_ulp() -> None:
    values = np.linspace(-20, 20, 4001, dtype=np.float32)
    for function in (np.exp, np.sin, np.tanh):
        exact = function(values.astype(np.float64))
        assert_agrees(ops.elementary(function, values, fmt=F32), within_ulps(exact, np.float32, 1))


def test_conversions_round_once() -> None:
    # Just above the midpoint of two bfloat16 numbers: rounding through f32 would lose the excess.
    value = np.array(1 + 2.0**-8 + 2.0**-40)
    assert float(ops.convert(value, F64, BF16)) == 1 + 2.0**-7
    assert float(ops.convert(value, F64, F16)) == 1 + 2.0**-8
    assert float(ops.convert(np.array(1e9, np.float32), F32, F16)) == math.inf
    assert float(ops.convert(np.array(1e9, np.float32), F32, F16, RoundingMode.ZERO)) == 65504
    assert ops.convert(np.array([1.5], np.float16), F16, F64).dtype == np.float64


def test_conversions_to_small_formats_saturate() -> None:
    values = np.array([1e9, -1e9, math.inf, 449.0, math.nan, -0.0], np.float32)
    for fmt in (F8E4M3FN, F8E5M2):
        actual = ops.convert(values, F32, fmt)
        top = fmt.max_finite
        large = 448.0 if fmt is F8E5M2 else top
        assert oracle.same(actual, [top, -top, top, large, math.nan, -0.0]).all()
    four = ops.convert(values, F32, F4E2M1FN)
    assert oracle.same(four, [6.0, -6.0, 6.0, 6.0, 6.0, -0.0]).all()
    scale = ops.convert(values, F32, F8E8M0FNU, RoundingMode.ZERO)
    assert oracle.same(scale, [2.0**29, 2.0**29, 2.0**127, 256, math.nan, 2.0**-127]).all()
    up = ops.convert(
        np.array([2.0**-140, -3.0], np.float32), F32, F8E8M0FNU, RoundingMode.POSITIVE_INF
    )
    assert oracle.same(up, [2.0**-127, 4.0]).all()
