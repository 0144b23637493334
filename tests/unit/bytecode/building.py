"""Small files of bytecode, and parts of them, for tests that break one thing."""

from collections.abc import Callable, Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from tests.unit import tools
from tileir_xdsl.bytecode import BytecodeError, Version, write
from tileir_xdsl.bytecode.container import Section, read_container, write_container
from tileir_xdsl.bytecode.encoding import Cursor
from tileir_xdsl.bytecode.tables import ReadTables, WriteTables
from tileir_xdsl.bytecode.version import V13_5

NO_FUNCTIONS = b"\0"
"""Payload of a section of functions without any."""


def parse(body: str, arguments: str = "") -> ModuleOp:
    """A module with one kernel."""
    return tools.parse(f"cuda_tile.module @kernels {{ entry @kernel({arguments}) {{ {body} }} }}")


def with_section(data: bytes, section: Section, change: Callable[[bytes], bytes | None]) -> bytes:
    """The file `data` with another payload of `section`, or without it."""
    container = read_container(data)
    payloads = {s: data[start:end] for s, (start, end) in container.payloads.items()}
    changed = change(payloads.pop(section, b""))
    if changed is not None:
        payloads[section] = changed
    return write_container(container.version, payloads)


def read_tables(tables: WriteTables) -> ReadTables:
    """The tables as they come back from a file."""
    payloads = {
        Section.STRING: tables.string_section(),
        Section.FUNC: NO_FUNCTIONS,
        Section.TYPE: tables.type_section(),
    }
    if (constants := tables.constant_section()) is not None:
        payloads[Section.CONSTANT] = constants
    return ReadTables(read_container(write_container(tables.version, payloads)))


def tables_of(
    types: Sequence[Attribute] = (), strings: Sequence[str] = (), version: Version = V13_5
) -> ReadTables:
    """Tables with these types and strings."""
    tables = WriteTables(version)
    for type_ in types:
        tables.type(type_)
    for text in strings:
        tables.string(text)
    return read_tables(tables)


def cursor(data: bytes) -> Cursor:
    """A cursor over all of `data`."""
    return Cursor(data, 0, len(data), "test")


def error_of(action: Callable[[], object]) -> BytecodeError:
    """The `BytecodeError` that `action` raises."""
    with pytest.raises(BytecodeError) as caught:
        action()
    return caught.value


def written(body: str, arguments: str = "", version: str = "13.5") -> bytes:
    """Bytecode of a module with one kernel."""
    return write(parse(body, arguments), version)
