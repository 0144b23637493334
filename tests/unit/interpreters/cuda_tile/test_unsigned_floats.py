"""`fnv8E5M3FNU` against its definition: PTX ISA, "Alternate Floating-Point Data Formats", `ue5m3`."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from tests.unit.interpreters.evaluation import apply, evaluate

NAME = "fnv8E5M3FNU"
CODES = np.arange(256, dtype=np.uint8)


def number(code: int) -> float:
    """The number of a code: bias 15, exponent 0 without the implicit bit, 0xFF is NaN."""
    exponent, mantissa = divmod(code, 8)
    if code == 0xFF:
        return math.nan
    return mantissa * 2.0**-17 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 15)


NUMBERS = np.array([number(code) for code in range(255)])


def nearest(value: float) -> int:
    """The code of the number nearest to the magnitude, of two the even one.

    The sign is dropped: CUDA Math API, `__nv_cvt_float_to_ue5m3`.
    """
    if math.isnan(value):
        return 0xFF
    distance = np.abs(NUMBERS - min(abs(value), 114688.0))
    best = np.flatnonzero(distance == distance.min())
    return int(best[0] if len(best) == 1 or best[0] % 2 == 0 else best[1])


def codes(source: str, values: npt.NDArray[np.generic]) -> list[int]:
    """What `ftof` makes of values."""
    result = apply(
        "ftof %in0 : T -> R", f"{values.size}x{NAME}", (f"{values.size}x{source}", values)
    )
    return result.tolist()


@pytest.mark.parametrize("target", ["f32", "f64", "bf16"])
def test_every_code_is_its_number(target: str) -> None:
    actual = apply("ftof %in0 : T -> R", f"256x{target}", (f"256x{NAME}", CODES))
    expected = np.array([*NUMBERS, math.nan])
    assert np.array_equal(actual.astype(np.float64), expected, equal_nan=True)


@pytest.mark.parametrize(("source", "held"), [("f32", np.float32), ("f64", np.float64)])
def test_numbers_and_what_lies_between_them_are_rounded(source: str, held: type) -> None:
    middles = (NUMBERS[1:] + NUMBERS[:-1]) / 2
    apart = np.concatenate([np.nextafter(middles.astype(held), held(end)) for end in (0, 1e9)])
    values = np.concatenate([NUMBERS, middles, apart]).astype(held)
    padded = np.resize(values, 1024)
    assert codes(source, padded) == [nearest(float(value)) for value in padded]


def test_a_sign_is_dropped_too_much_gives_the_largest_and_nan_stays() -> None:
    values = np.array([-1, -0.0, -math.inf, math.inf, 1e9, 1.2e5, math.nan, -math.nan], np.float32)
    assert codes("f32", values) == [0x78, 0, 0xFE, 0xFE, 0xFE, 0xFE, 0xFF, 0xFF]


def test_a_double_is_rounded_once() -> None:
    values = np.array([1 + 2.0**-4 + 2.0**-40, 1 + 2.0**-4 - 2.0**-40])
    assert codes("f64", values) == [nearest(1.125), nearest(1.0)]


def test_integers_in_and_out() -> None:
    integers = np.array([-3, 17, 19, 2**31 - 1], np.int32)
    body = f"""
      %f = itof %in0 signed : tile<4xi32> -> tile<4x{NAME}>
      %out0 = bitcast %f : tile<4x{NAME}> -> tile<4xi8>
      %out1 = ftoi %f signed : tile<4x{NAME}> -> tile<4xi32>
    """
    bits, back = evaluate(body, [("4xi32", integers)], ["4xi8", "4xi32"])
    assert bits.view(np.uint8).tolist() == [nearest(float(value)) for value in integers]
    assert back.tolist() == [3, 16, 20, 114688]


def test_bits_and_constants() -> None:
    body = f"""
      %f = bitcast %in0 : tile<256xi8> -> tile<256x{NAME}>
      %out0 = ftof %f : tile<256x{NAME}> -> tile<256xf32>
      %out1 = bitcast %f : tile<256x{NAME}> -> tile<256xi8>
      %out2 = constant <{NAME}: [1.5, -2.0, 0xFF, 0x01]> : tile<4x{NAME}>
    """
    numbers, bits, constants = evaluate(
        body, [("256xi8", CODES.view(np.int8))], ["256xf32", "256xi8", f"4x{NAME}"]
    )
    assert np.array_equal(numbers.astype(np.float64), [*NUMBERS, math.nan], equal_nan=True)
    assert bits.view(np.uint8).tolist() == CODES.tolist()
    assert constants.tolist() == [nearest(1.5), nearest(2.0), 0xFF, 0x01]


def test_scales_of_four_bit_floats() -> None:
    scale = np.full((16, 2), nearest(1.5), np.uint8)
    body = f"""
      %a = constant <f4E2M1FN: 2.0> : tile<16x32xf4E2M1FN>
      %b = constant <f4E2M1FN: 1.0> : tile<32x16xf4E2M1FN>
      %s = reshape %in0 : tile<16x2x{NAME}> -> tile<2x16x{NAME}>
      %c = constant <f32: 1.0> : tile<16x16xf32>
      %out0 = mmaf_scaled %a, %b, %c, %in0, %s : tile<16x32xf4E2M1FN>, tile<32x16xf4E2M1FN>,
        tile<16x16xf32>, tile<16x2x{NAME}>, tile<2x16x{NAME}>
    """
    (result,) = evaluate(body, [(f"16x2x{NAME}", scale)], ["16x16xf32"])
    assert (result == 1 + 32 * 2 * 1.5 * 1.5).all()
