"""Floating-point encodings against ml_dtypes and numpy, and their text."""

import math

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, decode, encode, float_text

NUMPY: dict[str, npt.DTypeLike] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}


def reference(name: str) -> npt.NDArray[np.float64]:
    """The value of every bit pattern of a format, by numpy."""
    layout = FORMATS[name]
    unsigned = np.uint16 if layout.width == 16 else np.uint8
    with np.errstate(invalid="ignore"):
        return np.arange(1 << layout.width, dtype=unsigned).view(NUMPY[name]).astype(np.float64)


@pytest.mark.parametrize("name", NUMPY)
def test_every_pattern_decodes_and_encodes(name: str):
    layout = FORMATS[name]
    for bits, value in enumerate(reference(name)):
        ours = decode(bits, layout)
        assert math.isnan(ours) if math.isnan(value) else ours == value
        if not math.isnan(value):
            assert encode(ours, layout) == bits


@pytest.mark.parametrize("name", FORMATS)
def test_every_text_reads_back(name: str):
    layout = FORMATS[name]
    step = max(1, (1 << layout.width) // 4096)
    for bits in range(0, 1 << layout.width, step):
        text = float_text(bits, layout)
        if text.startswith("0x"):
            assert int(text, 16) == bits
        else:
            assert encode(float(text), layout) == bits


@given(st.floats(width=32, allow_nan=False))
def test_f32_and_f64_are_those_of_numpy(value: float):
    assert encode(value, FORMATS["f32"]) == int(np.float32(value).view(np.uint32))
    assert encode(value, FORMATS["f64"]) == int(np.float64(value).view(np.uint64))
    assert decode(encode(value, FORMATS["f32"]), FORMATS["f32"]) == value


@given(st.floats(allow_nan=False))
def test_rounding_to_f16_is_that_of_numpy(value: float):
    with np.errstate(over="ignore"):
        expected = int(np.float64(value).astype(np.float16).view(np.uint16))
    assert encode(value, FORMATS["f16"]) == expected


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("f32", 1.0, "1.000000e+00"),
        ("f32", -0.0, "-0.000000e+00"),
        ("f32", 3.40282347e38, "3.40282347E+38"),
        ("f32", 0.123456784, "0.123456784"),
        ("f64", 123456789.125, "123456789.125"),
        ("f32", 16777216.0, "0x4B800000"),
        ("f32", math.inf, "0x7F800000"),
        ("f32", -math.inf, "0xFF800000"),
        ("f64", math.nan, "0x7FF8000000000000"),
        # The reference cuts digits off before it rounds: 0.0999755859375 rounds down.
        ("f16", 0.1, "9.997550e-02"),
        ("f8E8M0FNU", 0.5, "5.000000e-01"),
        ("f4E2M1FN", 6.0, "6.000000e+00"),
        ("tf32", -2.5, "-2.500000e+00"),
    ],
)
def test_text(name: str, value: float, text: str):
    assert float_text(encode(value, FORMATS[name]), FORMATS[name]) == text


@pytest.mark.parametrize(
    ("name", "value", "result"),
    [
        ("f16", 65520.0, math.inf),
        ("f8E4M3FN", 1e9, math.nan),
        ("f8E4M3FN", math.inf, math.nan),
        ("f4E2M1FN", 1e9, 6.0),
        ("f8E8M0FNU", 0.0, 2.0**-127),
        ("f8E8M0FNU", 1e300, math.nan),
    ],
)
def test_out_of_range(name: str, value: float, result: float):
    ours = decode(encode(value, FORMATS[name]), FORMATS[name])
    assert ours == result or (math.isnan(ours) and math.isnan(result))
