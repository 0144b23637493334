"""The text form of layouts: what the parser accepts, and what it says when it does not."""

import pytest
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.dialects.nv_tileas.layout import (
    LayoutAttr,
    LayoutDescriptor,
    register_layout,
    tile_layout,
)
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.shared import shared
from tileir_xdsl.testing.tools import context, roundtrip


def parse_attribute(text: str):
    return Parser(context(), text).parse_attribute()


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("<(1,1),(0,0)>", "<(1, 1), (0, 0)>"),
        ("<(16,16),(1,16)>", "<(16, 16), (1, 16)>"),
        ("<(16,16),(1,16),swizzle<2,5,2>>", "<(16, 16), (1, 16), swizzle<2, 5, 2>>"),
        ("<(16,(8,2)),(1,(16,8))>", "<(16, (8, 2)), (1, (16, 8))>"),
        (
            "<(128,64),(64,1),swizzle<3,4,3>,elem=nvfp4>",
            "<(128, 64), (64, 1), swizzle<3, 4, 3>, elem=nvfp4>",
        ),
        ("<((4,32),64),((1,512),16),elem=mxf4>", "<((4, 32), 64), ((1, 512), 16), elem=mxf4>"),
        ("<1,0>", "<1, 0>"),
        ("<128,1>", "<128, 1>"),
        ("<(128),(1)>", "<128, 1>"),
        ("<((4,2)),((1,8))>", "<((4, 2)), ((1, 8))>"),
        ("<64,2,swizzle<1,4,3>,elem=f16>", "<64, 2, swizzle<1, 4, 3>, elem=f16>"),
    ],
)
def test_descriptor_round_trips(text: str, printed: str):
    attribute = parse_attribute(f"#nv_tileas.layout{text}")
    assert isinstance(attribute, LayoutAttr)
    assert str(attribute) == f"#nv_tileas.layout{printed}"
    assert parse_attribute(str(attribute)) == attribute


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("<(16, 16), (1, 16), swizzle<3, 3, 3>>", "swizzle", "unsupported swizzle, got <3, 3, 3>"),
        ("<(16, 16), (1, 16), elem=f128>", "f128", "unknown element type 'f128' in layout"),
        ("<(16, 0), (1), swizzle<9, 9, 9>, elem=f128>", "f128", "unknown element type"),
        ("<(16, 16), (1)>", "(16", "must have the same nesting"),
        ("<(16, 0), (1, 16)>", "(16", "layout extents must be positive, got 0"),
        ("<(24, 64), (64, 1), swizzle<3, 4, 3>>", "(24", "expected a power of two, got 24"),
        ("<(16, 16)>", ">", "Expected"),
    ],
)
def test_bad_descriptor_is_a_parse_error_with_a_place(text: str, place: str, message: str):
    whole = f"#nv_tileas.layout{text}"
    with pytest.raises(ParseError) as caught:
        parse_attribute(whole)
    assert message in str(caught.value)
    assert whole[caught.value.span.start :].startswith(place)


DECIMAL = "Expected a decimal integer without leading zeros"


@pytest.mark.parametrize("integer", ["0x10", "0X10", "0o20", "0b10", "010", "00"])
@pytest.mark.parametrize(
    "text",
    ["<N, 1>", "<16, N>", "<(N, 2), (1, 2)>", "<(2, (N, 2)), (1, (2, 4))>"]
    + [f"<(16, 16), (1, 16), swizzle<{triple}>>" for triple in ("N, 4, 3", "2, N, 2", "3, 4, N")],
)
def test_integers_are_decimal(integer: str, text: str):
    whole = f"#nv_tileas.layout{text.replace('N', integer)}"
    with pytest.raises(ParseError, match=DECIMAL) as caught:
        parse_attribute(whole)
    assert whole[caught.value.span.start :].startswith(integer)


@pytest.mark.parametrize("shape", [(), (1,), (128,), (4, 8), (2, 4, 8)])
def test_layout_of_each_rank_is_read_back(shape: tuple[int, ...]):
    attribute = LayoutAttr(LayoutDescriptor(shared(shape, 16).layout))
    assert parse_attribute(str(attribute)) == attribute
    tile = "x".join([*map(str, shape), "f16"])
    bare = str(attribute).removeprefix("#nv_tileas.layout")
    buffer = f"tensor<{tile}, #nv_tileas.memory<smem, {bare}>>"
    assert buffer in roundtrip(f"%a = nv_tileas.alloc_tensor : {buffer}")


def test_register_layout_is_read_back_from_the_type():
    linear = blocked((64, 32), vector=4, warps=4)
    encoding = register_layout(linear)
    tensor = Parser(context(), f"tensor<64x32xf32, {encoding}>").parse_type()
    assert tile_layout(tensor) == linear


def test_types_without_encoding_have_no_layout():
    assert tile_layout(Parser(context(), "tensor<64x32xf32>").parse_type()) is None
    assert tile_layout(Parser(context(), "f32").parse_type()) is None
