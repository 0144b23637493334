"""Rounding to every format against exact rationals."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.interpreters import oracle
from tileir_xdsl.interpreters import numerics
from tileir_xdsl.interpreters.numerics import FloatFormat, RoundingMode, round_to_format

IEEE_LIKE = (numerics.F16, numerics.BF16, numerics.TF32, numerics.F32, numerics.F8E5M2)


def _doubles_around(fmt: FloatFormat) -> np.ndarray:
    """Numbers of the format, midpoints between them, and doubles on either side of both."""
    rng = np.random.default_rng(1)
    exponents = rng.integers(fmt.min_exponent - fmt.precision - 1, 20, 300)
    grid = np.ldexp(rng.integers(1, 2**fmt.precision, 300) * 2.0 + 1, exponents - fmt.precision)
    values = np.concatenate([grid, grid / 2, [fmt.max_finite, fmt.max_finite * 1.01, 0.0]])
    values = np.concatenate([values, np.nextafter(values, 0), np.nextafter(values, np.inf)])
    return np.concatenate([values, -values])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", oracle.MODES)
@pytest.mark.parametrize("fmt", IEEE_LIKE, ids=lambda f: f.name)
def test_rounds_as_the_exact_rational(fmt: FloatFormat, mode: RoundingMode) -> None:
    values = _doubles_around(fmt)
    expected = [
        oracle.round_exactly(exact, fmt, mode) if (exact := oracle.exact(v)) else v for v in values
    ]
    actual = round_to_format(values, fmt, mode)
    assert actual.dtype == fmt.dtype
    assert oracle.same(actual, np.array(expected)).all()


@pytest.mark.parametrize("mode", oracle.MODES)
@pytest.mark.parametrize("sign", (-1, 1))
def test_the_remainder_decides_ties_and_exact_values(mode: RoundingMode, sign: int) -> None:
    fmt = numerics.F16
    values = _doubles_around(fmt)
    values = values[(values != 0) & (np.abs(values) < 1e5) & (np.abs(values) > 1e-9)]
    tiny = oracle.Fraction(1, 2**200)
    expected = [
        oracle.round_exactly(oracle.Fraction(float(v)) + sign * tiny, fmt, mode) for v in values
    ]
    actual = round_to_format(values, fmt, mode, np.full(values.shape, sign))
    assert oracle.same(actual, np.array(expected)).all()


@given(st.floats(allow_nan=False, width=32))
def test_double_to_bfloat16_agrees_with_a_conversion_from_float32(value: float) -> None:
    expected = np.float32(value).astype(ml_dtypes.bfloat16)
    assert oracle.same(round_to_format(np.array(value), numerics.BF16), expected).all()


@pytest.mark.parametrize("fmt", (numerics.F8E4M3FN, numerics.F4E2M1FN), ids=lambda f: f.name)
def test_small_formats_round_to_the_nearest_of_all_their_numbers(fmt: FloatFormat) -> None:
    patterns = np.arange(2 ** min(8, fmt.bits), dtype=np.uint8)
    numbers = patterns.view(fmt.dtype).astype(np.float64)
    numbers = np.unique(numbers[np.isfinite(numbers)])
    values = np.linspace(-fmt.max_finite, fmt.max_finite, 4001)
    actual = round_to_format(values, fmt).astype(np.float64)
    distance = np.abs(values[:, None] - numbers[None, :]).min(axis=1)
    assert (np.abs(actual - values) == distance).all()
    middles = (numbers[1:] + numbers[:-1]) / 2
    even = round_to_format(middles, fmt).view(np.uint8)
    assert (even % 2 == 0).all()


def test_overflow_without_infinity() -> None:
    values = np.array([449.0, 464.0, 465.0, 1e9, -1e9, np.inf, np.nan])
    actual = round_to_format(values, numerics.F8E4M3FN).astype(np.float64)
    assert actual[:2].tolist() == [448.0, 448.0]
    assert np.isnan(actual[2:]).all()
    smallest = round_to_format(np.array([7.0, -1e9, np.inf]), numerics.F4E2M1FN)
    assert smallest.astype(np.float64).tolist() == [6.0, -6.0, 6.0]


def test_powers_of_two_format() -> None:
    values = np.array([1.0, 1.5, 3.0, 2.0**-127, 2.0**127, 5.0])
    down = round_to_format(values, numerics.F8E8M0FNU, RoundingMode.ZERO)
    up = round_to_format(values, numerics.F8E8M0FNU, RoundingMode.POSITIVE_INF)
    assert down.astype(np.float64).tolist() == [1, 1, 2, 2.0**-127, 2.0**127, 4]
    assert up.astype(np.float64).tolist() == [1, 2, 4, 2.0**-127, 2.0**127, 8]


def test_nan_is_canonical() -> None:
    nans = np.array([0xFFC00001, 0x7FC00000], np.uint32).view(np.float32)
    canonical = numerics.with_canonical_nan(nans, numerics.F32)
    assert canonical.view(np.uint32).tolist() == [0x7FFFFFFF, 0x7FFFFFFF]
    narrow = round_to_format(np.array([-np.nan, 1.0]), numerics.BF16)
    assert narrow.view(np.uint16).tolist() == [0x7FFF, 0x3F80]


def test_flush_keeps_the_sign_and_the_smallest_normal() -> None:
    normal = np.float32(2.0**-126)
    below = np.nextafter(normal, np.float32(0))
    flushed = numerics.flush_subnormals(np.array([below, -below, normal, -normal], np.float32))
    assert oracle.same(flushed, np.array([0.0, -0.0, normal, -normal])).all()


def test_storage_has_the_width_of_the_element() -> None:
    for element in numerics.ELEMENTS.values():
        # numpy has no type for it.
        if element.bits >= 8 and element.name != "fnv8E5M3FNU":
            assert element.dtype.itemsize * 8 == element.bits, element.name
