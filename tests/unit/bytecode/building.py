"""Small files of bytecode, and parts of them, for tests that break one thing."""

import resource
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from tileir_xdsl.bytecode import BytecodeError, Version, write
from tileir_xdsl.bytecode.container import Section, read_container, write_container
from tileir_xdsl.bytecode.encoding import Cursor
from tileir_xdsl.bytecode.tables import ReadTables, WriteTables
from tileir_xdsl.bytecode.version import V13_5
from tileir_xdsl.testing import tools

SECONDS = 1.0
BYTES = 200 << 20
"""What reading a file that is wrong may take."""

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


@contextmanager
def limited_memory() -> Generator[None]:
    """Lets the process take no more than `BYTES` on top of what it has."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def limited_time() -> Generator[None]:
    """Checks that the process computes for less than `SECONDS`."""
    start = time.process_time()
    yield
    assert time.process_time() - start < SECONDS


def error_of(action: Callable[[], object]) -> BytecodeError:
    """The `BytecodeError` that `action` raises, which must not take long or much memory."""
    with limited_memory(), limited_time(), pytest.raises(BytecodeError) as caught:
        action()
    return caught.value


def written(body: str, arguments: str = "", version: str = "13.5") -> bytes:
    """Bytecode of a module with one kernel."""
    return write(parse(body, arguments), version)
