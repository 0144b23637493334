"""The section of debug information: a location for every function and operation.

Source: Tile IR specification, bytecode. A table holds scopes and locations; entry k of it has the
index k + 1, and index 0 is the unknown location. Each function with a location has a run of
indices: its own, then one per operation in program order, an operation before its regions.
Locations without a scope are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TypeVar

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

from tileir_xdsl.bytecode.container import Container, Section, read_table, write_table
from tileir_xdsl.bytecode.encoding import Cursor, write_integers, write_padding, write_varint
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.tables import ReadTables, WriteTables
from tileir_xdsl.bytecode.version import V13_5
from tileir_xdsl.dialects.cuda_tile import (
    DICompileUnitAttr,
    DIFileAttr,
    DILexicalBlockAttr,
    DILocalScopeAttr,
    DISubprogramAttr,
    location_in_scope,
    scoped_location,
)

AttributeT = TypeVar("AttributeT", bound=Attribute)

MAX_CALL_SITES = 1000
"""The most call sites in one location, counted as often as they occur in it.

Entries may share nested entries, so a short table could describe an endless location.
"""

_WIDTH = 4
"""The bytes of an offset in the table."""


class DebugTag(IntEnum):
    """The kind of an entry of the table."""

    UNKNOWN = 0
    COMPILE_UNIT = 1
    FILE = 2
    LEXICAL_BLOCK = 3
    LOCATION = 4
    SUBPROGRAM = 5
    CALL_SITE = 6


DEBUG_FIELDS: Mapping[DebugTag, str] = {
    DebugTag.UNKNOWN: "",
    DebugTag.COMPILE_UNIT: "file",
    DebugTag.FILE: "name, directory (strings)",
    DebugTag.LEXICAL_BLOCK: "scope, file, line, column",
    DebugTag.LOCATION: "scope, file name (string), line, column",
    DebugTag.SUBPROGRAM: (
        "file, line, name, linkage name (strings), compile unit, scope line [13.5: flags, 0]"
    ),
    DebugTag.CALL_SITE: "callee, caller",
}
"""The payload of each entry, for the documentation; other fields are indices."""


class _UnreadError(Exception):
    """An entry refers to another entry that has to be read first."""

    def __init__(self, index: int):
        super().__init__(index)
        self.index = index


_LOCATIONS = (UnknownLoc, FusedLoc, CallSiteLoc)
"""Kinds of locations that an operation or a call site can have."""


class DebugInfoReader:
    """The locations of a file; all are unknown if the file has no such section."""

    def __init__(self, container: Container, tables: ReadTables):
        self._tables = tables
        self._data = container.data
        self._runs: list[Sequence[int]] = []
        self._entries: list[tuple[int, int]] = []
        self._known: dict[int, Attribute] = {0: UNKNOWN_LOC}
        self._open: dict[int, None] = {}
        self._call_sites: dict[int, int] = {}
        cursor = container.cursor(Section.DEBUG)
        if cursor is not None:
            self._read_section(cursor)

    def _read_section(self, cursor: Cursor) -> None:
        origin = cursor.position
        functions = cursor.count("functions with debug info")
        cursor.align(4, origin)
        starts = cursor.integers(4, functions)
        count = cursor.count("debug info indices")
        cursor.align(8, origin)
        position = cursor.position
        indices = cursor.integers(8, count)
        bounds = [*starts, count]
        for function in range(functions):
            start, end = bounds[function : function + 2]
            if not 0 <= start <= end <= count:
                cursor.fail(
                    f"invalid debug info indices of function {function}: from {start} to {end}",
                    position,
                )
            self._runs.append(indices[start:end])
        self._entries = read_table(cursor, _WIDTH, "debug info attribute", origin)

    def function(self, cursor: Cursor) -> FunctionLocations:
        """Reads the index of a function in this section, 0 for none; returns its locations."""
        start = cursor.position
        index = cursor.varint()
        if index > len(self._runs):
            cursor.fail(f"debug info index {index} of a function out of bounds", start)
        return FunctionLocations(self, self._runs[index - 1] if index else None)

    def location(self, cursor: Cursor, index: int) -> LocationAttr:
        """The location with this index; `cursor` is at its operation."""
        attribute = self._known.get(index)
        if attribute is None:
            if not 0 < index <= len(self._entries):
                cursor.fail(f"debug info index {index} out of bounds")
            attribute = self._resolve(index)
        if not isinstance(attribute, _LOCATIONS):
            cursor.fail(f"debug info index {index} is not a location")
        return attribute

    def _resolve(self, index: int) -> Attribute:
        """Reads an entry, after the entries nested in it, at any depth."""
        self._open[index] = None
        while self._open:
            current = next(reversed(self._open))
            try:
                self._known[current] = self._read(current)
                del self._open[current]
            except _UnreadError as inside:
                self._open[inside.index] = None
        return self._known[index]

    def _reference(self, cursor: Cursor, *classes: type[AttributeT]) -> AttributeT:
        start = cursor.position
        index = cursor.varint()
        if index > len(self._entries):
            cursor.fail(f"debug info index {index} out of bounds", start)
        if index in self._open:
            cursor.fail(f"debug info attribute {index} contains itself", start)
        attribute = self._known.get(index)
        if attribute is None:
            raise _UnreadError(index)
        if not isinstance(attribute, classes):
            expected = " or ".join(cls.name for cls in classes)
            cursor.fail(f"debug info index {index} is {attribute.name}, expected {expected}", start)
        return attribute

    def _read(self, index: int) -> Attribute:
        start, end = self._entries[index - 1]
        cursor = Cursor(self._data, start, end, Section.DEBUG.title)
        tag = cursor.varint()
        match tag:
            case DebugTag.UNKNOWN:
                return UNKNOWN_LOC
            case DebugTag.COMPILE_UNIT:
                return DICompileUnitAttr(self._reference(cursor, DIFileAttr))
            case DebugTag.FILE:
                name, directory = self._string(cursor), self._string(cursor)
                return DIFileAttr(name, directory)
            case DebugTag.LEXICAL_BLOCK:
                scope = self._scope(cursor)
                file = self._reference(cursor, DIFileAttr)
                line, column = cursor.varint(), cursor.varint()
                return DILexicalBlockAttr(scope, file, line, column)
            case DebugTag.LOCATION:
                scope = self._scope(cursor)
                name = self._string(cursor)
                line, column = cursor.varint(), cursor.varint()
                return location_in_scope(name, line, column, scope)
            case DebugTag.SUBPROGRAM:
                return self._subprogram(cursor)
            case DebugTag.CALL_SITE:
                return self._call_site(cursor)
            case _:
                cursor.fail(f"unknown debug info tag: {tag}", start)

    def _string(self, cursor: Cursor) -> str:
        return self._tables.string(cursor)

    def _scope(self, cursor: Cursor) -> DILocalScopeAttr:
        return self._reference(cursor, DISubprogramAttr, DILexicalBlockAttr)

    def _call_site(self, cursor: Cursor) -> CallSiteLoc:
        callee = self._reference(cursor, *_LOCATIONS)
        caller = self._reference(cursor, *_LOCATIONS)
        inside = [self._call_sites.get(id(location), 0) for location in (callee, caller)]
        location = CallSiteLoc(callee, caller)
        # `_known` keeps every location alive, so that its identity stands for it.
        self._call_sites[id(location)] = count = 1 + sum(inside)
        if count > MAX_CALL_SITES:
            cursor.fail(f"a location consists of more than {MAX_CALL_SITES} call sites")
        return location

    def _subprogram(self, cursor: Cursor) -> DISubprogramAttr:
        file = self._reference(cursor, DIFileAttr)
        line = cursor.varint()
        source_name, linkage_name = self._string(cursor), self._string(cursor)
        compile_unit = self._reference(cursor, DICompileUnitAttr)
        scope_line = cursor.varint()
        if self._tables.version >= V13_5:
            cursor.varint()  # Flags; none has a meaning yet.
        return DISubprogramAttr(file, line, source_name, linkage_name, compile_unit, scope_line)


def _parts(attribute: Attribute) -> Sequence[Attribute]:
    """The attributes to which the entry of a location or scope refers, in their order."""
    match attribute:
        case DICompileUnitAttr():
            return (attribute.file,)
        case DILexicalBlockAttr():
            return (attribute.scope, attribute.file)
        case DISubprogramAttr():
            return (attribute.file, attribute.compile_unit)
        case CallSiteLoc():
            return (attribute.callee, attribute.caller)
        case _:
            scoped = scoped_location(attribute)
            return () if scoped is None else scoped[1:]


class FunctionLocations:
    """The locations of a function and its operations, one after the other."""

    def __init__(self, debug_info: DebugInfoReader, indices: Sequence[int] | None):
        self._debug_info = debug_info
        self._indices = indices
        self._position = 0

    def next(self, cursor: Cursor) -> LocationAttr:
        """The location of the function at the first call, then that of each operation."""
        if self._indices is None:
            return UNKNOWN_LOC
        if self._position == len(self._indices):
            cursor.fail("an operation has no debug info index")
        index = self._indices[self._position]
        self._position += 1
        return self._debug_info.location(cursor, index)


class DebugInfoWriter:
    """Collects the locations of functions and operations."""

    def __init__(self, tables: WriteTables):
        self._tables = tables
        self._entries: list[bytes] = []
        # Equal entries have equal bytes; to compare deep attributes would take recursion.
        self._by_entry: dict[bytes, int] = {}
        # As for types: the module keeps its locations, and what is inside of them, alive.
        self._by_identity: dict[int, int] = {}
        self._runs: list[list[int]] = []

    def start_function(self, location: LocationAttr) -> tuple[int, list[int] | None]:
        """The index of a function in this section, and the list to put locations into.

        The results are 0 and None if the function has no location that can be stored.
        """
        index = self.location(location)
        if index == 0:
            return 0, None
        self._runs.append([index])
        return len(self._runs), self._runs[-1]

    def location(self, location: Attribute) -> int:
        """The index of a location; raises `BytecodeError` for a kind that cannot be stored."""
        waiting = [location]
        while waiting:
            inner = waiting[-1]
            # Entries come after those they refer to.
            unwritten = [part for part in _parts(inner) if id(part) not in self._by_identity]
            waiting += reversed(unwritten)
            if not unwritten:
                waiting.pop()
                self._by_identity[id(inner)] = self._add(inner)
        return self._by_identity[id(location)]

    def _add(self, attribute: Attribute) -> int:
        """The index of an attribute whose nested attributes already have indices."""
        if isinstance(attribute, FileLineColLoc | UnknownLoc):
            return 0
        entry = self._entry(attribute)
        if entry not in self._by_entry:
            self._entries.append(entry)
            self._by_entry[entry] = len(self._entries)
        return self._by_entry[entry]

    def _entry(self, attribute: Attribute) -> bytes:
        buffer = bytearray()
        match attribute:
            case DICompileUnitAttr():
                self._write(buffer, DebugTag.COMPILE_UNIT, attribute.file)
            case DIFileAttr():
                self._write(buffer, DebugTag.FILE, attribute.file_name, attribute.directory)
            case DILexicalBlockAttr():
                self._write(
                    buffer,
                    DebugTag.LEXICAL_BLOCK,
                    attribute.scope,
                    attribute.file,
                    attribute.line,
                    attribute.column,
                )
            case DISubprogramAttr():
                self._write(
                    buffer,
                    DebugTag.SUBPROGRAM,
                    attribute.file,
                    attribute.line,
                    attribute.source_name,
                    attribute.linkage_name,
                    attribute.compile_unit,
                    attribute.scope_line,
                )
                if self._tables.version >= V13_5:
                    write_varint(buffer, 0)
            case CallSiteLoc():
                self._write(buffer, DebugTag.CALL_SITE, attribute.callee, attribute.caller)
            case _:
                scoped = scoped_location(attribute)
                if scoped is None:
                    raise BytecodeError(
                        f"unsupported location, got {type(attribute).__name__}, "
                        "expected DILocAttr or CallSiteLoc"
                    )
                location, scope = scoped
                self._write(
                    buffer,
                    DebugTag.LOCATION,
                    scope,
                    location.filename,
                    location.line,
                    location.column,
                )
        return bytes(buffer)

    def _write(self, buffer: bytearray, tag: DebugTag, *fields: Attribute) -> None:
        buffer.append(tag)
        for value in fields:
            match value:
                case IntAttr():
                    write_varint(buffer, value.data)
                case StringAttr():
                    write_varint(buffer, self._tables.string(value.data))
                case _:
                    write_varint(buffer, self._by_identity[id(value)])

    def section(self) -> bytes | None:
        """Payload of the section, or None if no function has a location."""
        if not self._runs:
            return None
        buffer = bytearray()
        write_varint(buffer, len(self._runs))
        write_padding(buffer, 4)
        start = 0
        starts: list[int] = []
        for run in self._runs:
            starts.append(start)
            start += len(run)
        write_integers(buffer, 4, starts)
        write_varint(buffer, start)
        write_padding(buffer, 8)
        for run in self._runs:
            write_integers(buffer, 8, run)
        write_table(buffer, _WIDTH, self._entries)
        return bytes(buffer)
