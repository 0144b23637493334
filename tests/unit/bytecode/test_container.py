"""Headers, sections and tables."""

import pytest

from tests.unit.bytecode import reference
from tests.unit.bytecode.building import cursor, error_of, with_section, written
from tileir_xdsl.bytecode import VERSIONS, is_bytecode, read
from tileir_xdsl.bytecode.container import (
    MAGIC,
    Section,
    read_container,
    read_table,
    write_container,
    write_table,
)
from tileir_xdsl.bytecode.version import Version

HEADER = MAGIC + b"\x0d\x03\0\0"


def fail(data: bytes) -> tuple[str, str | None, int | None]:
    error = error_of(lambda: read(data))
    return error.message, error.section, error.offset


def test_versions():
    assert list(map(str, VERSIONS)) == ["13.1", "13.2", "13.3", "13.4", "13.5"]
    assert Version.parse("13.2") == Version(13, 2)
    assert error_of(lambda: Version.parse("13.6")).message == (
        "unsupported Tile version 13.6, the supported versions are [13.1 - 13.5]"
    )


def test_magic():
    assert is_bytecode(HEADER)
    assert not is_bytecode(b"entry @kernel() {}")
    assert not is_bytecode(b"")


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_sections_come_back(version: Version):
    payloads = {
        Section.FUNC: b"f" * 5,
        Section.GLOBAL: b"g",
        Section.STRING: b"",
        Section.TYPE: b"t",
    }
    data = write_container(version, payloads)
    container = read_container(data)
    assert container.version == version
    assert {s: data[a:b] for s, (a, b) in container.payloads.items()} == payloads
    assert container.payloads[Section.FUNC][0] % 8 == 0
    assert container.cursor(Section.DEBUG) is None


def test_the_smallest_file():
    data = HEADER + b"\x82\x01\x08\xcb\0" + b"\x81\x01\x04" + b"\0" + b"\0"
    assert list(read(data).walk())[1].name == "cuda_tile.module"
    assert reference.disassemble(data) == "\n"


@pytest.mark.parametrize(
    ("data", "message", "section", "offset"),
    [
        (b"", "unexpected end of data", "header", 0),
        (b"\x7fTyle", "invalid magic number at position 2, got 121 expected 105", "header", 2),
        (HEADER[:-1], "unexpected end of data", "header", 10),
        (
            MAGIC + b"\x12\0\0\0",
            "unsupported Tile version 18.0, the supported versions are [13.1 - 13.5]",
            "header",
            8,
        ),
        (
            MAGIC + b"\x0d\x05\1\0",
            "header flags 0x0001 mark preview content, which is not supported",
            "header",
            10,
        ),
        (HEADER, "unexpected end of data", "section header", 12),
        (HEADER + b"\0", "string section is mandatory", "section header", 13),
        (HEADER + b"\x81\1\4\0\0\0", "function section is mandatory", "section header", 18),
        (HEADER + b"\x08", "unknown section ID: 8", "section header", 12),
        (HEADER + b"\x80", "end section should not have alignment flag set", "section header", 12),
        (HEADER + b"\0\0", "end section is not the last section", "section header", 13),
        (
            HEADER + b"\x06\5abcd",
            "section length 5 exceeds remaining data size 4",
            "section header",
            12,
        ),
        (HEADER + b"\x81\0\0", "invalid alignment value: 0", "section header", 12),
        (HEADER + b"\x81\0\6", "invalid alignment value: 6", "section header", 12),
        (
            HEADER + b"\x01\0",
            "String section must have alignment that is a multiple of 4 bytes, but has no "
            "alignment flag set",
            "section header",
            12,
        ),
        (
            HEADER + b"\x82\0\4",
            "Func section must have alignment that is a multiple of 8 bytes, but has alignment of 4",
            "section header",
            12,
        ),
        (HEADER + b"\x06\1a\x06\1a", "Global section is repeated", "section header", 17),
    ],
)
def test_bad_files(data: bytes, message: str, section: str, offset: int):
    assert fail(data) == (message, section, offset)


def test_larger_alignments_are_read():
    data = written("return")
    start, end = read_container(data).payloads[Section.FUNC]
    rest = with_section(data, Section.FUNC, lambda _: None)
    assert rest.endswith(b"\0")
    padding = -(len(rest) - 1 + 3) % 32
    moved = (
        rest[:-1] + b"\x82" + bytes([end - start, 32]) + bytes(padding) + data[start:end] + b"\0"
    )
    assert reference.disassemble(moved) == reference.disassemble(data)
    assert str(read(moved)) == str(read(data))


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("entries", [[], [b""], [b"one", b"", b"three"]])
def test_tables(entries: list[bytes], width: int):
    buffer = bytearray(b"abc")
    write_table(buffer, width, entries)
    source = cursor(bytes(buffer))
    source.position = 3
    bounds = read_table(source, width, "string", 0)
    assert [buffer[start:end] for start, end in bounds] == entries


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b"\x03\xcb\xcb\xcb" + bytes(8),
            "number of strings (3) exceeds the maximum of 2 that can fit in the remaining payload "
            "of 8 bytes.",
        ),
        (
            b"\x02\xcb\xcb\xcb\x02\0\0\0\x01\0\0\0abc",
            "invalid string start indices: end (1) is less than start (2) for string 0",
        ),
        (
            b"\x01\xcb\xcb\xcb\x04\0\0\0abc",
            "invalid string start indices: end (3) is less than start (4) for string 0",
        ),
        (
            b"\x01\xcb\xcb\xcb\xff\xff\xff\xffabc",
            "invalid string start indices: end (3) is less than start (-1) for string 0",
        ),
    ],
)
def test_bad_tables(data: bytes, message: str):
    assert error_of(lambda: read_table(cursor(data), 4, "string", 0)).message == message
