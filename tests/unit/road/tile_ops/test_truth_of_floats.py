"""Floats as `i1`, at every level and in every format: true where numpy says that they are nonzero."""

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.road.agreement import whole_tiles
from tileir_xdsl import compile, load
from tileir_xdsl.dialects.cuda_tile.types import FLOATS
from tileir_xdsl.runtime.lowering import RUNNABLE

Array = NDArray[Any]

FORMATS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    # Of its codes 0 alone is the number 0.
    "fnv8E5M3FNU": np.uint8,
}
NUMBERS = (0, 0.25, 0.5, 0.75, 1, 2.75, 3, 2.0**-9, 1e30, np.inf, np.nan)
FORMS = tuple(
    f"{sign}{saturating}"
    for sign, saturating in itertools.product(("signed", "unsigned"), ("", " saturating"))
)
GPUS = ("sm_80", "sm_100a", "sm_120a")
CASES = [
    (element, gpu)
    for element, gpu in itertools.product(FORMATS, (*GPUS, "sm_107a"))
    # Tiles of floats of a byte and less need a later target.
    if (gpu == "sm_107a" if element == "fnv8E5M3FNU" else gpu in GPUS)
    and (gpu != "sm_80" or np.dtype(FORMATS[element]).itemsize > 1)
]


def numbers(element: str) -> Array:
    """Every code of a byte and less; else numbers of either sign, and the least subnormal ones."""
    dtype = np.dtype(FORMATS[element])
    if dtype.itemsize == 1:
        return np.arange(256 if element != "f4E2M1FN" else 16, dtype=np.uint8).view(dtype)
    bits = np.dtype(f"u{dtype.itemsize}")
    last = bits.type(1 << 13 if element == "tf32" else 1)
    with np.errstate(over="ignore"):
        known = np.array(NUMBERS, np.float64).astype(dtype)
    subnormal = np.array([last, 3 * last, 7 * last, 15 * last, 31 * last], bits).view(dtype)
    positive = np.concatenate([known, subnormal])
    assert len(positive) == 16
    return np.concatenate([positive, (-positive.astype(dtype)).astype(dtype)])


def operand(element: str) -> tuple[str, Array, int]:
    """What makes %x of an array, that array, and how many elements %x has."""
    values = numbers(element)
    size = len(values)
    if element == "f4E2M1FN":
        codes = values.view(np.uint8)
        packed = (codes[0::2] | codes[1::2] << 4).view(np.int8)
        return f"%x = unpack %x0 : tile<{size // 2}xi8> -> tile<{size}x{element}>", packed, size
    if element == "tf32":
        # No integer is as wide as a tf32.
        text = f"%x = ftof %x0 rounding<zero> : tile<{size}xf32> -> tile<{size}xtf32>"
        return text, values, size
    integers = values.view(f"i{values.dtype.itemsize}")
    held = f"tile<{size}xi{8 * values.dtype.itemsize}>"
    return f"%x = bitcast %x0 : {held} -> tile<{size}x{element}>", integers, size


def kernel(element: str) -> tuple[str, Array, int]:
    """A kernel that stores the truth of an array in each form, the array, and its elements."""
    first, array, size = operand(element)
    body = [first]
    for number, form in enumerate(FORMS):
        body.append(
            f"%b{number} = ftoi %x {form} : tile<{size}x{element}> -> tile<{size}xi1>\n"
            f"%y{number} = exti %b{number} unsigned : tile<{size}xi1> -> tile<{size}xi8>\n"
        )
    return whole_tiles("\n".join(body), [array], [("i8", (size,))] * len(FORMS)), array, size


def test_formats_are_all():
    assert set(FORMATS) == set(FLOATS)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("element", "gpu"), CASES)
def test_every_level_says_what_numpy_says(element: str, gpu: str):
    text, array, size = kernel(element)
    # Float formats of less than 16 bits have no truth in numpy.
    expected = numbers(element).astype(np.float64) != 0
    assert expected.any() and (element == "f8E8M0FNU" or not expected.all())
    program = load(text, gpu)
    for level in RUNNABLE:
        results = [np.full(size, 7, np.int8) for _ in FORMS]
        program.run(1, array, *results, level=level)
        for form, result in zip(FORMS, results, strict=True):
            assert result.tolist() == expected.tolist(), f"{level}, {form}"


@pytest.mark.parametrize("level", RUNNABLE)
def test_constants(level: str):
    body = """
      %x = constant <f32: [0.0, -0.0, 0.25, -0.25, 1.0, 1.0e-45, 2.75, -3.0]> : tile<8xf32>
      %b = ftoi %x unsigned : tile<8xf32> -> tile<8xi1>
      %y0 = exti %b unsigned : tile<8xi1> -> tile<8xi32>
    """
    result = np.full(8, 7, np.int32)
    load(whole_tiles(body, [], [("i32", (8,))]), "sm_90a").run(1, result, level=level)
    assert result.tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_other_widths_saturate():
    """Section 8.4.4 of the specification, but for `i1`: the nearest number, and 0 for NaN."""
    x = np.array([0.5, -0.5, np.nan, 300, -300, 2.75, -0.0, 1], np.float32)
    body = "%y0 = ftoi %x0 unsigned : tile<8xf32> -> tile<8xi8>"
    text = whole_tiles(body, [x], [("i8", (8,))])
    for level in RUNNABLE:
        result = np.full(8, 7, np.int8)
        load(text, "sm_90a").run(1, x, result, level=level)
        assert result.view(np.uint8).tolist() == [0, 0, 0, 255, 0, 2, 0, 1], level


def test_strict_mode_takes_infinity():
    x, result = np.array([np.inf, -np.inf], np.float32), np.zeros(2, np.int8)
    body = """
      %b = ftoi %x0 signed : tile<2xf32> -> tile<2xi1>
      %y0 = exti %b unsigned : tile<2xi1> -> tile<2xi8>
    """
    load(whole_tiles(body, [x], [("i8", (2,))])).run(1, x, result, strict=True)
    assert result.tolist() == [1, 1]


def test_ptx_compares_without_flushing():
    """Subnormal numbers are nonzero, and nothing rounds."""
    text, _, _ = kernel("f32")
    opcodes = {
        line.split()[0] for line in compile(text, "sm_90a").text.splitlines() if line.strip()
    }
    assert "setp.neu.f32" in opcodes
    assert not any(".ftz" in opcode or opcode.startswith("cvt.rzi") for opcode in opcodes)
