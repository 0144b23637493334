"""Integers as bytecode stores them.

Source: Tile IR specification, bytecode. A varint is an unsigned LEB128 number of at most 64 bits. A
signed varint is the zigzag form of a 64-bit number. All other integers are little endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NoReturn

from tileir_xdsl.bytecode.errors import BytecodeError

MAX_VARINT_BYTES = 10
PADDING = b"\xcb"
"""The byte between aligned parts; readers ignore its value."""

_FORMATS = {1: "b", 4: "i", 8: "q"}


class Cursor:
    """Reads `data` from `position` up to `end`, both counted from the start of the file.

    `section` names the part of the file for diagnostics. Every method advances `position`, and
    raises `BytecodeError` rather than read at or beyond `end`.
    """

    __slots__ = ("data", "end", "position", "section")

    def __init__(self, data: bytes, position: int, end: int, section: str):
        self.data = data
        self.position = position
        self.end = end
        self.section = section

    def fail(self, message: str, offset: int | None = None) -> NoReturn:
        """Raises `BytecodeError` at `offset` (default: where the cursor stands)."""
        where = self.position if offset is None else offset
        raise BytecodeError(message, section=self.section, offset=where)

    @property
    def remaining(self) -> int:
        """Bytes left."""
        return self.end - self.position

    def byte(self) -> int:
        """One byte."""
        position = self.position
        if position >= self.end:
            self.fail("unexpected end of data")
        self.position = position + 1
        return self.data[position]

    def bytes(self, count: int) -> bytes:
        """`count` bytes."""
        position = self.position
        if count > self.end - position:
            self.fail("unexpected end of data")
        self.position = position + count
        return self.data[position : position + count]

    def varint(self) -> int:
        """An unsigned varint."""
        position = self.position
        if position < self.end:
            byte = self.data[position]
            if byte < 0x80:
                self.position = position + 1
                return byte
        value = self.long_varint()
        if value >> 64:
            self.fail("varint does not fit in 64 bits", position)
        return value

    def long_varint(self) -> int:
        """An unsigned varint of up to 70 bits."""
        start, value = self.position, 0
        for shift in range(0, 7 * MAX_VARINT_BYTES, 7):
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        self.fail(f"varint is longer than {MAX_VARINT_BYTES} bytes", start)

    def signed_varint(self) -> int:
        """A zigzag varint."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def count(self, what: str) -> int:
        """The number of `what` that follow, each of at least one byte."""
        start = self.position
        count = self.varint()
        if count > self.end - self.position:
            self.fail(
                f"number of {what} ({count}) exceeds the remaining data size {self.remaining}",
                start,
            )
        return count

    def integers(self, size: int, count: int) -> tuple[int, ...]:
        """`count` signed integers of `size` bytes."""
        return struct.unpack(f"<{count}{_FORMATS[size]}", self.bytes(size * count))

    def array(self, size: int) -> tuple[int, ...]:
        """A counted list of signed integers of `size` bytes."""
        start = self.position
        count = self.varint()
        if count * size > self.remaining:
            self.fail(
                f"number of elements ({count}) exceeds the remaining data size {self.remaining}",
                start,
            )
        return self.integers(size, count)

    def align(self, alignment: int, start: int) -> None:
        """Skips padding up to a multiple of `alignment` from `start`."""
        self.bytes(-(self.position - start) % alignment)


def write_varint(buffer: bytearray, value: int) -> None:
    """Appends an unsigned varint."""
    while value >= 0x80:
        buffer.append(value & 0x7F | 0x80)
        value >>= 7
    buffer.append(value)


def write_signed_varint(buffer: bytearray, value: int) -> None:
    """Appends the zigzag varint of a signed 64-bit number."""
    write_varint(buffer, (value << 1 ^ value >> 63) & (1 << 64) - 1)


def write_integers(buffer: bytearray, size: int, values: Sequence[int]) -> None:
    """Appends signed integers of `size` bytes."""
    buffer += struct.pack(f"<{len(values)}{_FORMATS[size]}", *values)


def write_array(buffer: bytearray, size: int, values: Sequence[int]) -> None:
    """Appends a counted list of signed integers of `size` bytes."""
    write_varint(buffer, len(values))
    write_integers(buffer, size, values)


def write_padding(buffer: bytearray, alignment: int) -> None:
    """Appends padding up to a multiple of `alignment`."""
    buffer += PADDING * (-len(buffer) % alignment)
