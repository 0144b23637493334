"""Elements of dense constants."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import f32, i1, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tests.unit.bytecode import reference
from tests.unit.bytecode.building import parse, with_section
from tileir_xdsl.bytecode import read, write
from tileir_xdsl.bytecode.constants import StoredConstant, encode_constant
from tileir_xdsl.bytecode.container import Section
from tileir_xdsl.bytecode.disassembly import disassemble
from tileir_xdsl.bytecode.types import SIMPLE
from tileir_xdsl.dialects.cuda_tile import DenseConstantAttr, PointerType, TileType
from tileir_xdsl.dialects.cuda_tile.literals import element_bytes
from tileir_xdsl.dialects.cuda_tile.stored_elements import NUMPY_DTYPES
from tileir_xdsl.dialects.cuda_tile.types import element_name

ELEMENTS = [row.type for row in SIMPLE if element_name(row.type) in NUMPY_DTYPES]


@pytest.mark.parametrize("element", ELEMENTS, ids=str)
def test_constants_come_back(element: Attribute):
    tile = TileType([4, 4], element)
    for constant in (
        DenseConstantAttr.splat(tile, 1),
        DenseConstantAttr.from_values(tile, [index % 2 for index in range(16)]),
    ):
        data = encode_constant(constant)
        assert StoredConstant(data).read_as(tile) == constant
        name = element_name(element)
        assert name is not None
        if element != i1:
            assert len(data) == element_bytes(name) * (1 if constant.is_splat else 16)


@given(st.integers(0, 7).flatmap(lambda n: st.lists(st.booleans(), min_size=2**n, max_size=2**n)))
def test_booleans_are_packed(values: list[bool]):
    constant = DenseConstantAttr.from_values(TileType([len(values)], i1), values)
    data = encode_constant(constant)
    if constant.is_splat:
        assert data == (b"\xff" if values[0] else b"\0")
    else:
        assert len(data) == math.ceil(len(values) / 8)
        for index, value in enumerate(values):
            assert bool(data[index // 8] >> index % 8 & 1) == value
    assert StoredConstant(data).read_as(constant.type) == constant


def test_unused_bits_are_ignored():
    tile = TileType([4], i1)
    values = StoredConstant(b"\xf5").read_as(tile).to_numpy()
    np.testing.assert_array_equal(values, [True, False, True, False])


@pytest.mark.parametrize("byte", [0x00, 0x01, 0x02, 0x7F, 0x80, 0xFE, 0xFF])
def test_one_byte_for_more_elements_than_it_has_bits_is_a_splat(byte: int):
    module = parse("%x = constant <i1: true> : tile<16xi1>")
    data = with_section(
        write(module, "13.5"), Section.CONSTANT, lambda section: section[:-1] + bytes([byte])
    )
    text = disassemble(read(data))
    assert f"constant <i1: {'true' if byte & 1 else 'false'}> : tile<16xi1>" in text
    assert text == reference.disassemble(data)


@pytest.mark.parametrize(
    ("type_", "data", "message"),
    [
        (TileType([4], i32), bytes(8), "failed to validate buffer size and format"),
        (TileType([4], i32), b"", "failed to validate buffer size and format"),
        (
            TileType([16], i1),
            bytes(16),
            "i1 dense attribute payload size 16 is not a recognized encoding for 16 elements",
        ),
        (
            TileType([32], i1),
            b"\1\1",
            "i1 dense attribute payload size 2 is not a recognized encoding for 32 elements",
        ),
        (f32, bytes(4), "a constant must be a tile, but got 'f32'"),
    ],
)
def test_bad_constants(type_: Attribute, data: bytes, message: str):
    with pytest.raises(VerifyException, match=f"^{message}$"):
        StoredConstant(data).read_as(type_)


def test_pointers_have_no_constants():
    with pytest.raises(VerifyException, match="expect element type to be one of"):
        StoredConstant(bytes(16)).read_as(TileType([2], PointerType(f32)))


@pytest.mark.parametrize("element", [i1, i32], ids=str)
def test_constants_of_several_types_share_their_bytes(element: Attribute):
    stored = StoredConstant(bytes(range(64)))
    count = 512 if element == i1 else 16
    first = stored.read_as(TileType([count], element))
    second = stored.read_as(TileType([2, count // 2], element))
    assert first.data.data is second.data.data
