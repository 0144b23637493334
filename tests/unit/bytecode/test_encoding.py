"""Integers as bytecode stores them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.bytecode.building import cursor, error_of
from tileir_xdsl.bytecode.encoding import (
    Cursor,
    write_array,
    write_padding,
    write_signed_varint,
    write_varint,
)

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(st.integers(0, (1 << 64) - 1)))
def test_varints(values: list[int]):
    buffer = bytearray()
    for value in values:
        write_varint(buffer, value)
    source = cursor(bytes(buffer))
    assert [source.varint() for _ in values] == values
    assert source.remaining == 0


@given(st.lists(INT64))
def test_signed_varints(values: list[int]):
    buffer = bytearray()
    for value in values:
        write_signed_varint(buffer, value)
    source = cursor(bytes(buffer))
    assert [source.signed_varint() for _ in values] == values


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (0xFFFFFFFF, "ffffffff0f"),
        ((1 << 64) - 1, "ffffffffffffffffff01"),
    ],
)
def test_bytes_of_varints(value: int, data: str):
    buffer = bytearray()
    write_varint(buffer, value)
    assert buffer.hex() == data


@pytest.mark.parametrize(("value", "data"), [(0, "00"), (-1, "01"), (1, "02"), (-65, "8101")])
def test_bytes_of_signed_varints(value: int, data: str):
    buffer = bytearray()
    write_signed_varint(buffer, value)
    assert buffer.hex() == data


@given(st.sampled_from([(4, 31), (8, 63)]), st.data())
def test_arrays(size_and_bits: tuple[int, int], data: st.DataObject):
    size, bits = size_and_bits
    values = data.draw(st.lists(st.integers(-(1 << bits), (1 << bits) - 1)))
    buffer = bytearray()
    write_array(buffer, size, values)
    assert list(cursor(bytes(buffer)).array(size)) == values


@pytest.mark.parametrize(
    ("data", "message", "offset"),
    [
        (b"", "unexpected end of data", 0),
        (b"\x80", "unexpected end of data", 1),
        (b"\x80" * 10 + b"\x00", "varint is longer than 10 bytes", 0),
        (b"\xff" * 9 + b"\x02", "varint does not fit in 64 bits", 0),
    ],
)
def test_bad_varints(data: bytes, message: str, offset: int):
    error = error_of(lambda: cursor(data).varint())
    assert (error.message, error.section, error.offset) == (message, "test", offset)


def test_a_cursor_stops_at_its_end():
    source = Cursor(b"\x01\x02\x03", 1, 2, "test")
    assert source.byte() == 2
    assert error_of(source.byte).offset == 2
    assert error_of(source.varint).offset == 2
    assert error_of(lambda: source.bytes(1)).offset == 2


def test_counts_and_arrays_beyond_the_end():
    error = error_of(lambda: cursor(b"\x03\x00\x00").count("results"))
    assert error.message == "number of results (3) exceeds the remaining data size 2"
    error = error_of(lambda: cursor(b"\x02" + bytes(15)).array(8))
    assert error.message == "number of elements (2) exceeds the remaining data size 15"


@pytest.mark.parametrize(("position", "origin", "skipped"), [(5, 0, 3), (8, 0, 0), (5, 3, 6)])
def test_alignment(position: int, origin: int, skipped: int):
    source = Cursor(bytes(16), position, 16, "test")
    source.align(8, origin)
    assert source.position == position + skipped


def test_padding():
    buffer = bytearray(b"\x01")
    write_padding(buffer, 4)
    assert buffer == b"\x01\xcb\xcb\xcb"
    write_padding(buffer, 4)
    assert len(buffer) == 4
