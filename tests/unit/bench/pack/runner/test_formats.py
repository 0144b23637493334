"""Number formats without ml_dtypes, against ml_dtypes; the comparison of results."""

import ml_dtypes
import numpy as np
import pytest

from bench.pack.runner.formats import BITS_OF_FORMAT, as_doubles, as_stored, differs, storage_of


@pytest.mark.parametrize("name", [*BITS_OF_FORMAT, "float16"])
def test_all_bits_mean_what_they_mean(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    bits = np.arange(1 << 8 * dtype.itemsize).astype(f"u{dtype.itemsize}")
    found = as_doubles(bits.view(storage_of(name)), name)
    with np.errstate(all="ignore"):
        expected = bits.view(dtype).astype(np.float64)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16"])
def test_floats_are_rounded_to_nearest_even(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    random = np.random.default_rng(0)
    values = random.standard_normal(20000).astype(np.float32) * 8
    every = as_doubles(np.arange(0, 120).astype(storage_of(name)), name)
    ties = ((every[1:] + every[:-1]) / 2).astype(np.float32)
    both = np.concatenate([values, ties, -ties])
    both = both[np.abs(both) >= float(ml_dtypes.finfo(dtype).smallest_subnormal)]
    expected = both.astype(dtype).view(storage_of(name))
    np.testing.assert_array_equal(as_stored(both, name), expected)


def test_exact_results_are_compared_by_bits() -> None:
    got = np.array([0.0, -0.0, np.nan, 1.0, np.inf], np.float32)
    expected = np.array([0.0, 0.0, -np.nan, 1.0 + 2**-23, np.inf], np.float32)
    assert differs(got, expected, "float32", 0.0).tolist() == [False, True, False, True, False]
    assert differs(np.array([1]), np.array([2]), "int64", 0.0).tolist() == [True]


def test_errors_are_of_numbers() -> None:
    got, expected = np.array([1.0, 1.1, np.nan]), np.array([1.05, 1.0, 1.0])
    assert differs(got, expected, "float64", 0.06).tolist() == [False, True, True]
    by_element = np.array([0.01, 0.2, 1.0])
    assert differs(got, expected, "float64", by_element).tolist() == [True, False, True]
