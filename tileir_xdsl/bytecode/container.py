"""The whole file: header, sections, and the tables in several sections.

Source: Tile IR specification, bytecode. A file is the magic number, the version, and sections in
any order; a zero byte ends it. Each section has its length and, if aligned, its alignment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from tileir_xdsl.bytecode.encoding import Cursor, write_integers, write_padding, write_varint
from tileir_xdsl.bytecode.version import SUPPORTED, VERSIONS, Version

MAGIC = b"\x7fTileIR\x00"
DEFAULT_MODULE_NAME = "kernels"
"""The name of the module that is read, because bytecode does not store it."""

_ALIGNED = 0x80
"""Bit of a section's first byte: an alignment and padding follow its length."""


class Section(IntEnum):
    """The parts of a file by their numbers."""

    STRING = 1
    FUNC = 2
    DEBUG = 3
    CONSTANT = 4
    TYPE = 5
    GLOBAL = 6
    PRODUCER = 7

    @property
    def title(self) -> str:
        """Name of the section in diagnostics."""
        return f"{self.name.capitalize()} section"


_END = 0
ALIGNMENT = {
    Section.STRING: 4,
    Section.FUNC: 8,
    Section.DEBUG: 8,
    Section.CONSTANT: 8,
    Section.TYPE: 4,
}
"""The number that a section's alignment must be a multiple of; other sections have no alignment."""

MANDATORY = {
    Section.STRING: "string section is mandatory",
    Section.FUNC: "function section is mandatory",
}
"""The error of a file without the section."""


@dataclass(frozen=True)
class Container:
    """The version of a file, and the position of the payload of each section."""

    data: bytes
    version: Version
    payloads: Mapping[Section, tuple[int, int]]

    def cursor(self, section: Section) -> Cursor | None:
        """A cursor over the payload of `section`, or None if the file has no such section."""
        if section not in self.payloads:
            return None
        start, end = self.payloads[section]
        return Cursor(self.data, start, end, section.title)


def is_bytecode(data: bytes) -> bool:
    """Whether `data` starts as Tile IR bytecode does."""
    return data.startswith(MAGIC)


def read_container(data: bytes) -> Container:
    """Reads the header and finds the sections.

    Raises `BytecodeError` for a wrong header, an unknown, repeated, missing or misaligned section,
    a length beyond the file, or data after the end.
    """
    cursor = Cursor(data, 0, len(data), "header")
    version = _read_header(cursor)
    cursor.section = "section header"
    payloads: dict[Section, tuple[int, int]] = {}
    while (number := cursor.byte()) != _END:
        section, start, end = _read_section(cursor, number)
        if section in payloads:
            cursor.fail(f"{section.title} is repeated", start)
        payloads[section] = start, end
        cursor.position = end
    if cursor.remaining:
        cursor.fail("end section is not the last section")
    for section, message in MANDATORY.items():
        if section not in payloads:
            cursor.fail(message)
    return Container(data, version, payloads)


def _read_header(cursor: Cursor) -> Version:
    for position, expected in enumerate(MAGIC):
        if (byte := cursor.byte()) != expected:
            cursor.fail(
                f"invalid magic number at position {position}, got {byte} expected {expected}",
                position,
            )
    version = Version(cursor.byte(), cursor.byte())
    tag = int.from_bytes(cursor.bytes(2), "little")
    if version not in VERSIONS:
        cursor.fail(f"unsupported Tile version {version}, {SUPPORTED}", len(MAGIC))
    if tag:
        cursor.fail(
            f"header flags {tag:#06x} mark preview content, which is not supported", len(MAGIC) + 2
        )
    return version


def _read_section(cursor: Cursor, number: int) -> tuple[Section, int, int]:
    """Reads the header of a section up to its payload; returns where the payload lies."""
    start = cursor.position - 1
    aligned, number = bool(number & _ALIGNED), number & ~_ALIGNED
    if number == _END:
        cursor.fail("end section should not have alignment flag set", start)
    if number not in list(Section):
        cursor.fail(f"unknown section ID: {number}", start)
    section = Section(number)
    length = cursor.varint()
    alignment = 1
    if aligned:
        alignment = cursor.varint()
        if alignment == 0 or alignment & (alignment - 1):
            cursor.fail(f"invalid alignment value: {alignment}", start)
    required = ALIGNMENT.get(section, 1)
    if alignment % required:
        got = f"has alignment of {alignment}" if aligned else "has no alignment flag set"
        cursor.fail(
            f"{section.title} must have alignment that is a multiple of {required} bytes, "
            f"but {got}",
            start,
        )
    cursor.align(alignment, 0)
    if length > cursor.remaining:
        cursor.fail(
            f"section length {length} exceeds remaining data size {cursor.remaining}", start
        )
    return section, cursor.position, cursor.position + length


def write_container(version: Version, payloads: Mapping[Section, bytes]) -> bytes:
    """The file with these sections, in this order."""
    buffer = bytearray(MAGIC)
    buffer += bytes((version.major, version.minor, 0, 0))
    for section, payload in payloads.items():
        alignment = ALIGNMENT.get(section)
        buffer.append(section if alignment is None else section | _ALIGNED)
        write_varint(buffer, len(payload))
        if alignment is not None:
            write_varint(buffer, alignment)
            write_padding(buffer, alignment)
        buffer += payload
    buffer.append(_END)
    return bytes(buffer)


def read_table(cursor: Cursor, width: int, what: str, origin: int) -> list[tuple[int, int]]:
    """Reads a table whose offsets take `width` bytes; returns where each of its entries lies.

    Alignment counts from `origin`, the start of the section's payload.
    """
    start = cursor.position
    count = cursor.varint()
    if count == 0:
        # Padding after an empty table may be missing.
        return []
    cursor.align(width, origin)
    room = cursor.remaining // width
    if count > room:
        cursor.fail(
            f"number of {what}s ({count}) exceeds the maximum of {room} that can fit in the "
            f"remaining payload of {cursor.remaining} bytes.",
            start,
        )
    offsets = cursor.integers(width, count)
    base = cursor.position
    bounds = [*offsets, cursor.remaining]
    for index in range(count):
        if not 0 <= bounds[index] <= bounds[index + 1] <= cursor.remaining:
            cursor.fail(
                f"invalid {what} start indices: end ({bounds[index + 1]}) is less than start "
                f"({bounds[index]}) for {what} {index}",
                base + (index - count) * width,
            )
    return [(base + bounds[index], base + bounds[index + 1]) for index in range(count)]


def write_table(buffer: bytearray, width: int, entries: Sequence[bytes]) -> None:
    """Appends a table whose offsets take `width` bytes; `buffer` starts where its section does."""
    write_varint(buffer, len(entries))
    write_padding(buffer, width)
    offsets: list[int] = []
    offset = 0
    for entry in entries:
        offsets.append(offset)
        offset += len(entry)
    write_integers(buffer, width, offsets)
    buffer += b"".join(entries)
