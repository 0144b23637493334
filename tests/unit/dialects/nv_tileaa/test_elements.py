"""Dense elements keep every bit through their text."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import (
    AnyFloat,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E8M0FNUType,
    FloatTF32Type,
    IntegerType,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i64,
)
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from tileir_xdsl.dialects.nv_tileaa import ElementsAttr
from tileir_xdsl.testing.tools import context


def reread(attribute: ElementsAttr) -> ElementsAttr:
    parsed = Parser(context(), str(attribute)).parse_attribute()
    assert isinstance(parsed, ElementsAttr)
    return parsed


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (struct.pack("<2f", 1.5, -0.0), "[1.5, -0.0]"),
        (struct.pack("<2f", float("inf"), 2.0**100), "[0x7f800000, 1.2676506002282294e+30]"),
        (bytes.fromhex("0100c07f 000080ff"), "[0x7fc00001, 0xff800000]"),
        (struct.pack("<f", 16777217.0), "16777216.0"),
    ],
)
def test_text_of_floats(data: bytes, text: str):
    attribute = ElementsAttr(TensorType(f32, [2]), data)
    assert str(attribute) == f"#nv_tileaa.elements<{text} : tensor<2xf32>>"
    assert reread(attribute) == attribute


def test_text_of_integers():
    booleans = ElementsAttr(TensorType(i1, [3]), bytes([1, 0, 1]))
    assert str(booleans) == "#nv_tileaa.elements<[true, false, true] : tensor<3xi1>>"
    assert reread(booleans) == booleans
    lowest = ElementsAttr(TensorType(i64, [8]), (-(2**63)).to_bytes(8, "little", signed=True))
    assert lowest.is_splat
    assert reread(lowest) == lowest


FLOATS: list[AnyFloat] = [
    f16,
    bf16,
    f32,
    f64,
    Float8E4M3FNType(),
    Float8E8M0FNUType(),
    Float4E2M1FNType(),
    FloatTF32Type(),
]


@pytest.mark.parametrize("element", FLOATS, ids=str)
@given(bits=st.lists(st.integers(0, 2**64 - 1), min_size=4, max_size=4))
def test_every_bit_pattern_survives(element: AnyFloat, bits: list[int]):
    width, size = element.bitwidth, element.compile_time_size
    data = b"".join((n % (1 << width)).to_bytes(size, "little") for n in bits)
    attribute = ElementsAttr(TensorType(element, [2, 2]), data)
    assert reread(attribute) == attribute


@given(values=st.lists(st.integers(-128, 127), min_size=4, max_size=4))
def test_every_integer_survives(values: list[int]):
    attribute = ElementsAttr(TensorType(i8, [4]), struct.pack("<4b", *values))
    assert reread(attribute) == attribute


def test_elements_are_numbers():
    with pytest.raises(VerifyException, match="expects elements that are numbers"):
        ElementsAttr(TensorType(TensorType(IntegerType(8), [2]), [2]), b"")


@pytest.mark.parametrize("element", ["i128", "i0", "f80", "f128", "index"])
def test_elements_have_up_to_64_bits(element: str):
    text = f"#nv_tileaa.elements<1 : tensor<2x{element}>>"
    with pytest.raises(ParseError, match="expected elements that are numbers of up to 64 bits"):
        Parser(context(), text).parse_attribute()


@pytest.mark.parametrize(
    ("number", "element"),
    [
        ("9223372036854775807", "i32"),
        ("-2147483649", "i32"),
        ("4294967296", "ui32"),
        ("2", "i1"),
        ("1.5", "i32"),
        ("-1", "f32"),
        ("0x100000000", "f32"),
        ("1.0e39", "f32"),
    ],
)
def test_numbers_that_do_not_fit(number: str, element: str):
    text = f"#nv_tileaa.elements<{number} : tensor<2x{element}>>"
    with pytest.raises(ParseError, match=f"does not fit elements of type {element}"):
        Parser(context(), text).parse_attribute()


@given(bits=st.integers(0, 2**64 - 1), width=st.sampled_from([8, 16, 32, 64]))
def test_integers_by_their_bits(bits: int, width: int):
    bits %= 1 << width
    text = f"#nv_tileaa.elements<{bits} : tensor<2xi{width}>>"
    attribute = Parser(context(), text).parse_attribute()
    assert isinstance(attribute, ElementsAttr)
    assert attribute.data.data == bits.to_bytes(width // 8, "little")
