"""Floats of a byte and less, by instructions and without: every code, and ties of their numbers."""

import re
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.emulator.instructions.cases import round_exact
from tests.unit.road.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

Array = NDArray[Any]

DOUBLES = 64

TARGETS = ("sm_100a", "sm_120a", "sm_100")
"""The last one has no instructions for floats of four bits."""

E2M1 = ml_dtypes.float4_e2m1fn
CODES: Array = np.arange(256, dtype=np.uint8)
WIDE: dict[str, Any] = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}

QUANTIZE = """
  %q = ftof %x0 : tile<2048xf32> -> tile<2048xf4E2M1FN>
  %y0 = pack %q : tile<2048xf4E2M1FN> -> tile<1024xi8>
"""
EXPAND = """
  %q = unpack %x0 : tile<256xi8> -> tile<512xf4E2M1FN>
  %y0 = ftof %q : tile<512xf4E2M1FN> -> tile<512x{0}>
"""
SCALE = """
  %q = bitcast %x0 : tile<256xi8> -> tile<256xf8E8M0FNU>
  %y0 = ftof %q : tile<256xf8E8M0FNU> -> tile<256x{0}>
"""
ALONE = """
  %q = ftof %x0 : tile<2xf32> -> tile<2xf4E2M1FN>
  %y0 = ftof %q : tile<2xf4E2M1FN> -> tile<2xf32>
"""


def _numbers() -> Array:
    """Numbers of f4E2M1FN, ties between them, their neighbours, and f32 of all kinds."""
    values = np.arange(16, dtype=np.uint8).view(E2M1).astype(np.float32)
    known = np.concatenate([values, [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 7.0]])
    known = np.concatenate([known, -known]).astype(np.float32)
    near = [np.nextafter(known, np.float32(to)) for to in (-np.inf, np.inf)]
    kinds = [np.inf, np.nan, 2.0**-149, 2.0**-126, 1.5 * 2.0**-127, 3.4028235e38, 2.0**-20]
    rng = np.random.default_rng(0)
    drawn = [
        rng.integers(0, 2**32, 512, np.uint32).view(np.float32),
        rng.uniform(-8, 8, 1024).astype(np.float32),
        # All of the exponents around those of the format, with either sign.
        (rng.integers(120 << 23, 131 << 23, 200, np.uint32) | np.uint32(1 << 31)).view(np.float32),
    ]
    signed = np.array([*kinds, *(-k for k in kinds)], np.float32)
    return np.resize(np.concatenate([known, *near, signed, *drawn]), 2048)


def _codes(numbers: Array) -> Array:
    """The nearest number of f4E2M1FN, the even one of two: 6.0 of NaN (PTX ISA, `cvt`)."""
    single = numbers.astype(np.float32)
    clipped = np.clip(np.where(np.isnan(single), np.float32(6), single), -6, 6)
    return clipped.astype(E2M1).view(np.uint8)


@pytest.mark.parametrize("gpu", TARGETS)
def test_numbers_become_four_bits(gpu: str):
    numbers = _numbers()
    codes = _codes(numbers)
    (found,) = evaluate(QUANTIZE, [numbers], [("i8", (1024,))], gpu=gpu)
    np.testing.assert_array_equal(found.view(np.uint8), codes[::2] | codes[1::2] << 4)


@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("result", WIDE)
def test_all_pairs_of_four_bits(result: str, gpu: str):
    (found,) = evaluate(EXPAND.format(result), [CODES.view(np.int8)], [(result, (512,))], gpu=gpu)
    expected = np.stack([CODES & 15, CODES >> 4], axis=-1).reshape(-1)
    wide = expected.view(E2M1).astype(np.float32).astype(WIDE[result])
    bits = f"u{wide.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(bits), wide.view(bits))


@pytest.mark.parametrize("gpu", TARGETS)
@pytest.mark.parametrize("result", ("bf16", "f32"))
def test_all_scales(result: str, gpu: str):
    (found,) = evaluate(SCALE.format(result), [CODES.view(np.int8)], [(result, (256,))], gpu=gpu)
    single = found.astype(np.float32)
    np.testing.assert_array_equal(single[:255], np.ldexp(np.float32(1), np.arange(255) - 127))
    assert np.isnan(single[255])


@pytest.mark.parametrize("number", (2.5, -0.3, float("nan"), -1e9))
def test_one_number_of_a_thread(number: float):
    """A pair of which the other is nobody's."""
    values = np.array([number, 1.5], np.float32)
    assert "e2m1x2.f32 %b0, 0f00000000, %f" in _ptx(ALONE, [values], ("f32", (2,)), "sm_100a")
    (found,) = evaluate(ALONE, [values], [("f32", (2,))], gpu="sm_100a")
    np.testing.assert_array_equal(found, _codes(values).view(E2M1).astype(np.float32))


def _ptx(body: str, values: list[Array], result: tuple[str, tuple[int, ...]], gpu: str) -> str:
    text = whole_tiles(body, values, [result])
    # Of aligned arrays a thread loads and stores neighbours.
    parameters = re.findall(r"%(p\d): (tile<ptr<\w+>>)", text)
    for name, type in parameters:
        text = text.replace(f"%{name}:", f"%any_{name}:")
        text = text.replace(") {", f") {{ %{name} = assume div_by<16>, %any_{name} : {type}", 1)
    return emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"), gpu)


@pytest.mark.parametrize("gpu", ("sm_100a", "sm_120a"))
def test_a_byte_stays_whole(gpu: str):
    """What `pack` joins and `unpack` takes apart are bytes of the instructions as they are."""
    text = _ptx(QUANTIZE, [_numbers()], ("i8", (1024,)), gpu)
    # 128 threads have 16 numbers each.
    assert text.count("cvt.rn.satfinite.e2m1x2.f32") == 8
    assert not any(op in text for op in ("shl.b16", "or.b16", "and.b16", "shr.u16"))
    text = _ptx(EXPAND.format("f16"), [CODES.view(np.int8)], ("f16", (512,)), gpu)
    assert text.count("cvt.rn.f16x2.e2m1x2") == 2
    assert not any(op in text for op in ("shl.b16", "or.b16", "and.b16", "shr.u16"))


def test_targets_without_the_instructions():
    text = _ptx(QUANTIZE, [_numbers()], ("i8", (1024,)), "sm_100")
    assert "e2m1x2" not in text


@pytest.mark.parametrize(
    ("element", "dtype", "digits"),
    [
        ("f16", np.float16, 11),
        ("bf16", ml_dtypes.bfloat16, 8),
        ("f8E4M3FN", ml_dtypes.float8_e4m3fn, 4),
        ("f8E5M2", ml_dtypes.float8_e5m2, 3),
    ],
)
def test_doubles_next_to_ties(element: str, dtype: type, digits: int):
    """By less than the digits of a single: a first rounding to nearest would land on the tie."""
    rng = np.random.default_rng(digits)
    ties = (2.0 ** (digits - 1) + rng.integers(0, 2 ** (digits - 1), DOUBLES) + 0.5) * 2.0**-3
    beside = rng.choice([-1.0, 1.0], DOUBLES) * 2.0 ** -rng.integers(35, 40, DOUBLES)
    values = rng.choice([-1.0, 1.0], DOUBLES) * (ties + beside)
    body = f"%y0 = ftof %x0 : tile<{DOUBLES}xf64> -> tile<{DOUBLES}x{element}>"
    (found,) = evaluate(body, [values], [(element, (DOUBLES,))], gpu="sm_90a")
    expected = [round_exact(Fraction(value), np.dtype(dtype), "rn") for value in values]
    np.testing.assert_array_equal(found.astype(np.float64), expected)


TF32_DIGITS = 13
"""The digits of an f32 that tf32 lacks."""


@pytest.mark.parametrize("gpu", ["sm_80", "sm_100a"])
@pytest.mark.parametrize("mode", ["nearest_even", "zero", "nearest_away"])
def test_numbers_become_tf32(mode: str, gpu: str):
    """Ties and their neighbours are rounded as their bits are."""
    rng = np.random.default_rng(3)
    ties = rng.integers(100, 150, 64).astype(np.uint32) << 23
    ties |= rng.integers(0, 1 << 10, 64).astype(np.uint32) << TF32_DIGITS | 1 << TF32_DIGITS - 1
    bits = ties + rng.choice(np.array([-1, 0, 1]), 64).astype(np.uint32)
    half = {
        "nearest_even": (1 << TF32_DIGITS - 1) - 1 + (bits >> TF32_DIGITS & 1),
        "zero": 0,
        "nearest_away": 1 << TF32_DIGITS - 1,
    }
    expected = (bits + np.asarray(half[mode], np.uint32)) & np.uint32(
        -1 << TF32_DIGITS & 0xFFFFFFFF
    )
    body = f"""
      %q = ftof %x0 rounding<{mode}> : tile<64xf32> -> tile<64xtf32>
      %y0 = ftof %q : tile<64xtf32> -> tile<64xf32>
    """
    (found,) = evaluate(body, [bits.view(np.float32)], [("f32", (64,))], gpu=gpu)
    np.testing.assert_array_equal(found.view(np.uint32), expected)


def _around_powers() -> Array:
    """Every power of two that f32 has and its neighbours, of either sign, and special values."""
    powers = np.ldexp(np.float32(1), np.arange(-149, 128)).astype(np.float32)
    near = [np.nextafter(powers, np.float32(to)) for to in (0, np.inf)]
    special = np.array([0.0, np.inf, np.nan, 3.4028235e38], np.float32)
    known = np.concatenate([powers, *near, special])
    return np.resize(np.concatenate([known, -known]), 2048)


def _scale_code(value: float, mode: str) -> int:
    """The exponent of the next power of two below or above a magnitude, as f8E8M0FNU stores it."""
    if np.isnan(value):
        return 255
    if value == 0 or np.isinf(value):
        return 0 if value == 0 else 254
    fraction, exponent = np.frexp(abs(value))
    # A power of two is 0.5 times the next one.
    below = int(exponent) - 1
    code = below + (mode == "positive_inf" and fraction != 0.5) + 127
    return min(max(code, 0), 254)


@pytest.mark.parametrize("gpu", ("sm_100a", "sm_120a"))
@pytest.mark.parametrize("mode", ("zero", "positive_inf"))
def test_powers_of_two_and_their_neighbours_become_scales(mode: str, gpu: str):
    values = _around_powers()
    body = f"""
      %q = ftof %x0 rounding<{mode}> : tile<2048xf32> -> tile<2048xf8E8M0FNU>
      %y0 = bitcast %q : tile<2048xf8E8M0FNU> -> tile<2048xi8>
    """
    (found,) = evaluate(body, [values], [("i8", (2048,))], gpu=gpu)
    expected = [_scale_code(float(value), mode) for value in values]
    np.testing.assert_array_equal(found.view(np.uint8), expected)
