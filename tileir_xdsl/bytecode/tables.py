"""Tables of strings, types and constants, which operations and attributes refer to by index."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.constants import StoredConstant, encode_constant
from tileir_xdsl.bytecode.container import ALIGNMENT, Container, Section, read_table, write_table
from tileir_xdsl.bytecode.encoding import Cursor, write_varint
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.types import TypeTableReader, TypeTableWriter
from tileir_xdsl.bytecode.version import Version
from tileir_xdsl.dialects.cuda_tile import DenseConstantAttr


class ReadTables:
    """The tables of a file. Strings and types are read immediately, constants when they are used.

    The methods read an index and return what it refers to; they raise `BytecodeError` if there is
    no such entry.
    """

    def __init__(self, container: Container):
        self.version = container.version
        self._data = container.data
        self.strings = self._read_strings(container)
        types = self._entries(container, Section.TYPE, "type")
        self.types: Sequence[Attribute | BytecodeError] = TypeTableReader(
            self._data, types, self.version, Section.TYPE.title
        ).read_all()
        self._constants = self._entries(container, Section.CONSTANT, "constant")
        self._known_constants: dict[tuple[int, Attribute], DenseConstantAttr] = {}
        self._stored_constants: dict[int, StoredConstant] = {}

    @staticmethod
    def _entries(container: Container, section: Section, what: str) -> list[tuple[int, int]]:
        cursor = container.cursor(section)
        if cursor is None:
            return []
        return read_table(cursor, ALIGNMENT[section], what, cursor.position)

    def _read_strings(self, container: Container) -> list[str]:
        strings: list[str] = []
        for index, (start, end) in enumerate(self._entries(container, Section.STRING, "string")):
            try:
                strings.append(self._data[start:end].decode())
            except UnicodeDecodeError as error:
                cursor = Cursor(self._data, start + error.start, end, Section.STRING.title)
                cursor.fail(f"string {index} is not UTF-8")
        return strings

    def string(self, cursor: Cursor) -> str:
        """A string."""
        start = cursor.position
        index = cursor.varint()
        if index >= len(self.strings):
            cursor.fail(f"string index {index} out of bounds", start)
        return self.strings[index]

    def type(self, cursor: Cursor) -> Attribute:
        """A type."""
        start = cursor.position
        index = cursor.varint()
        if index >= len(self.types):
            cursor.fail(f"type index {index} out of bounds", start)
        type_ = self.types[index]
        # Only here, where the operation that uses it is known.
        if isinstance(type_, BytecodeError):
            raise type_
        return type_

    def check_types(self) -> None:
        """Raises `BytecodeError` for an invalid type, even if no operation uses it."""
        for type_ in self.types:
            if isinstance(type_, BytecodeError):
                raise type_

    def constant(self, cursor: Cursor, type_: Attribute) -> DenseConstantAttr:
        """A constant of type `type_`."""
        start = cursor.position
        index = cursor.varint()
        constant = self._known_constants.get((index, type_))
        if constant is None:
            if index >= len(self._constants):
                cursor.fail(f"constant index {index} out of bounds", start)
            constant = self._known_constants[index, type_] = self._read_constant(index, type_)
        return constant

    def _read_constant(self, index: int, type_: Attribute) -> DenseConstantAttr:
        start, end = self._constants[index]
        cursor = Cursor(self._data, start, end, Section.CONSTANT.title)
        stored = self._stored_constants.get(index)
        if stored is None:
            stored = StoredConstant(cursor.bytes(cursor.varint()))
            self._stored_constants[index] = stored
        try:
            return stored.read_as(type_)
        except VerifyException as error:
            cursor.fail(str(error), start)


class WriteTables:
    """The tables of a file to be written; entries are numbered in the order of their first use."""

    def __init__(self, version: Version):
        self.version = version
        self._strings: dict[str, int] = {}
        self._constants: dict[bytes, int] = {}
        self._types = TypeTableWriter(version)
        self.type = self._types.type

    def string(self, text: str) -> int:
        """The index of a string."""
        return self._strings.setdefault(text, len(self._strings))

    def constant(self, constant: DenseConstantAttr) -> int:
        """The index of the elements of a constant."""
        return self._constants.setdefault(encode_constant(constant), len(self._constants))

    def string_section(self) -> bytes:
        """Payload of the section of strings."""
        return _table(Section.STRING, [text.encode() for text in self._strings])

    def type_section(self) -> bytes:
        """Payload of the section of types."""
        return _table(Section.TYPE, self._types.entries)

    def constant_section(self) -> bytes | None:
        """Payload of the section of constants, or None without constants."""
        entries: list[bytes] = []
        for data in self._constants:
            entry = bytearray()
            write_varint(entry, len(data))
            entries.append(bytes(entry) + data)
        return _table(Section.CONSTANT, entries) if entries else None


def _table(section: Section, entries: Sequence[bytes]) -> bytes:
    buffer = bytearray()
    write_table(buffer, ALIGNMENT[section], entries)
    return bytes(buffer)
