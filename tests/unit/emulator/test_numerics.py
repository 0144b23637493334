"""Rounding against exact fractions, on values that hypothesis picks."""

import math
from fractions import Fraction
from typing import cast

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.emulator.instructions.cases import round_exact
from tileir_xdsl.emulator import numerics
from tileir_xdsl.emulator.numerics import Rounding

_MODES: tuple[Rounding, ...] = ("rn", "rz", "rm", "rp")
_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_HALF, _BRAIN = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)

singles = st.floats(width=32, allow_nan=False, allow_infinity=False)
doubles = st.floats(allow_nan=False, allow_infinity=False)
# Numbers whose sums and products lie close to what a double can hold exactly.
close_doubles = st.builds(
    math.ldexp,
    st.integers(-(2**53), 2**53),
    st.integers(-140, 40),
)
modes = st.sampled_from(_MODES)


def same_double(found: float, exact: Fraction, mode: Rounding, dtype: np.dtype[np.generic]) -> bool:
    return exact == 0 or found == round_exact(exact, dtype, mode)


@given(singles, singles, singles, modes)
@settings(max_examples=400, deadline=None)
def test_single_fma(a: float, b: float, c: float, mode: Rounding):
    with np.errstate(all="ignore"):
        x, y, z = (np.array([v], np.float32) for v in (a, b, c))
        found = float(numerics.fma(x, y, z, mode)[0])
    assert same_double(found, Fraction(a) * Fraction(b) + Fraction(c), mode, _SINGLE)


@given(singles, singles, st.integers(-2, 2), modes)
@settings(max_examples=400, deadline=None)
def test_single_fma_near_cancellation(a: float, b: float, steps: int, mode: Rounding):
    """The addend is the product rounded to single, or one of its neighbours."""
    with np.errstate(all="ignore"):
        dot = -np.float32(np.float64(a) * b)
        c = float(dot + steps * np.spacing(dot))
    if not math.isfinite(c):
        return
    test_single_fma.hypothesis.inner_test(a, b, c, mode)  # pyright: ignore[reportFunctionMemberAccess]


@given(
    st.one_of(doubles, close_doubles),
    st.one_of(doubles, close_doubles),
    st.one_of(doubles, close_doubles),
    modes,
)
@settings(max_examples=400, deadline=None)
def test_double_fma(a: float, b: float, c: float, mode: Rounding):
    with np.errstate(all="ignore"):
        x, y, z = (np.array([v]) for v in (a, b, c))
        found = float(numerics.fma_double(x, y, z, mode)[0])
    assert same_double(found, Fraction(a) * Fraction(b) + Fraction(c), mode, _DOUBLE)


@given(close_doubles, close_doubles, st.integers(-3, 3))
@settings(max_examples=300, deadline=None)
def test_double_fma_near_cancellation(a: float, b: float, steps: int):
    c = -(a * b) + steps * math.ulp(a * b)
    with np.errstate(all="ignore"):
        found = float(numerics.fma_double(np.array([a]), np.array([b]), np.array([c]))[0])
    assert same_double(found, Fraction(a) * Fraction(b) + Fraction(c), "rn", _DOUBLE)


@given(close_doubles, st.sampled_from([_SINGLE, _HALF, _BRAIN]), modes)
@settings(max_examples=400, deadline=None)
def test_narrowing_an_exact_double(value: float, dtype: np.dtype[np.generic], mode: Rounding):
    with np.errstate(all="ignore"):
        found = float(numerics.narrow(np.array([value]), dtype, mode)[0])
    assert same_double(found, Fraction(value), mode, dtype)


@given(close_doubles, close_doubles, st.sampled_from([_SINGLE, _HALF, _BRAIN]), modes)
@settings(max_examples=400, deadline=None)
def test_narrowing_a_sum_rounded_to_odd(
    a: float, b: float, dtype: np.dtype[np.generic], mode: Rounding
):
    with np.errstate(all="ignore"):
        total = numerics.sum_to_odd(np.array([a]), np.array([b]))
        found = float(numerics.narrow(total, dtype, mode)[0])
    assert same_double(found, Fraction(a) + Fraction(b), mode, dtype)


@pytest.mark.parametrize(("dtype", "digits"), [(_SINGLE, 24), (_HALF, 11), (_BRAIN, 8)])
@pytest.mark.parametrize("mode", _MODES)
def test_sums_next_to_ties(dtype: np.dtype[np.generic], digits: int, mode: Rounding):
    """The nearest double is half way between two numbers; only the rest tells which is nearer."""
    tie = 1 + 2.0**-digits
    for first in (tie, -tie, tie + 2.0 ** (1 - digits)):
        for second in (2.0**-60, -(2.0**-60)):
            total = numerics.sum_to_odd(np.array([first]), np.array([second]))
            found = float(numerics.narrow(total, dtype, mode)[0])
            assert same_double(found, Fraction(first) + Fraction(second), mode, dtype)


@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from([_SINGLE, _HALF, _BRAIN]), modes)
@settings(max_examples=300, deadline=None)
def test_integers(value: int, dtype: np.dtype[np.generic], mode: Rounding):
    array = np.array([value], np.int64)
    with np.errstate(all="ignore"):
        narrowed = float(numerics.narrow(numerics.integer_to_odd(array), dtype, mode)[0])
    assert same_double(narrowed, Fraction(value), mode, dtype)
    double = float(numerics.integer_to_double(array, mode)[0])
    assert same_double(double, Fraction(value), mode, _DOUBLE)


@given(doubles, doubles, modes)
@settings(max_examples=200, deadline=None)
def test_double_arithmetic(a: float, b: float, mode: Rounding):
    x, y = np.array([a]), np.array([b])
    with np.errstate(all="ignore"):
        total = float(numerics.add_double(x, y, mode)[0])
        dot = float(numerics.multiply_double(x, y, mode)[0])
        quotient = float(numerics.divide_double(x, y, mode)[0])
    assert same_double(total, Fraction(a) + Fraction(b), mode, _DOUBLE)
    assert same_double(dot, Fraction(a) * Fraction(b), mode, _DOUBLE)
    assert b == 0 or same_double(quotient, Fraction(a) / Fraction(b), mode, _DOUBLE)


def test_results_stay_arrays_of_their_type():
    a = np.array([1.5, np.inf, np.nan, -0.0], np.float32)
    with np.errstate(all="ignore"):
        for mode in _MODES:
            for result in (
                numerics.add(a, a, mode),
                numerics.multiply(a, a, mode),
                numerics.fma(a, a, a, mode),
                numerics.square_root(np.abs(a), mode),
            ):
                assert result.dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_flushing_keeps_signs(dtype: type):
    info = ml_dtypes.finfo(np.dtype(dtype))
    tiny, small = cast(float, info.tiny), cast(float, info.smallest_subnormal)
    values = np.array([tiny, -tiny, small, -small, 0, -0.0, 1]).astype(dtype)
    flushed = numerics.flush_subnormals(values).astype(np.float64)
    expected = [float(tiny), -float(tiny), 0.0, -0.0, 0.0, -0.0, 1.0]
    np.testing.assert_array_equal(flushed, expected)
    np.testing.assert_array_equal(np.signbit(flushed), np.signbit(expected))


def test_operands_of_a_fused_double_may_be_the_same_for_all_threads():
    one, many = np.full((1, 1), 3.0), np.array([[0.1, -0.2, 1e17]])
    for operands in ((one, one, many), (one, many, one), (many, one, many)):
        a, b, c = (np.broadcast_to(operand, many.shape).copy() for operand in operands)
        found = numerics.fma_double(operands[0], operands[1], operands[2])
        np.testing.assert_array_equal(found, numerics.fma_double(a, b, c))
