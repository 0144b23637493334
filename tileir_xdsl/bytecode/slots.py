"""Attributes of operations: the kind of a slot determines its bytes, so there are no tags.

Source: Tile IR specification, bytecode.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i1,
    i32,
)
from xdsl.ir import Attribute, Data, Operation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.bytecode.attributes import (
    read_attribute,
    read_boolean,
    read_dictionary,
    read_integer,
    write_attribute,
    write_dictionary,
    write_integer,
)
from tileir_xdsl.bytecode.encoding import Cursor, write_array, write_varint
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.tables import ReadTables, WriteTables
from tileir_xdsl.bytecode.version import V13_1, Version
from tileir_xdsl.dialects.cuda_tile import (
    AssumePredicateAttr,
    DenseConstantAttr,
    OptimizationHintsAttr,
)
from tileir_xdsl.dialects.cuda_tile.interfaces import CudaTileOperation
from tileir_xdsl.dialects.cuda_tile.types import dense_integers

_INT32_LIMITS = (-(1 << 31), (1 << 31) - 1)


class Kind(ABC):
    """The content of a slot. `description` is for the documentation."""

    description: ClassVar[str]

    @abstractmethod
    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        """Reads the attribute of an operation with these results; may raise `VerifyException`."""

    @abstractmethod
    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        """Appends the attribute."""


class UnitKind(Kind):
    """A flag tells whether the attribute is present; no bytes."""

    description = "flag"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return UnitAttr()

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        pass


@dataclass(frozen=True)
class EnumKind(Kind):
    """The number of a value of `enum`; in the dialect an attribute of class `cls` or an i32.

    `younger` are the values with a later first version than the operations with such an attribute.
    """

    description: ClassVar[str] = "enum"

    enum: type[StrEnum]
    cls: type[Data[StrEnum]] | None = None
    younger: Mapping[StrEnum, Version] = field(default_factory=dict[StrEnum, Version], hash=False)
    _attributes: tuple[Attribute, ...] = field(init=False, compare=False)
    _numbers: dict[Attribute, int] = field(init=False, compare=False)

    def __post_init__(self):
        cls = self.cls
        attributes: tuple[Attribute, ...] = (
            tuple(IntegerAttr(number, i32) for number in range(len(self.enum)))
            if cls is None
            else tuple(cls(value) for value in self.enum)
        )
        object.__setattr__(self, "_attributes", attributes)
        object.__setattr__(self, "_numbers", {a: i for i, a in enumerate(attributes)})

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        start = cursor.position
        number = cursor.varint()
        if number >= len(self._attributes):
            cursor.fail(f"invalid integer value for enum type: {number}", start)
        attribute = self._attributes[number]
        if self.younger and self._since(attribute) > tables.version:
            cursor.fail(
                f"enum value {number} is not available in bytecode version {tables.version}", start
            )
        return attribute

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        if self.younger and (since := self._since(attribute)) > tables.version:
            raise BytecodeError(
                f"enum value '{self.value(attribute)}' requires bytecode version {since}+, "
                f"targeting {tables.version}"
            )
        buffer.append(self._numbers[attribute])

    def value(self, attribute: Attribute) -> StrEnum:
        """The value that an attribute of the dialect holds."""
        return list(self.enum)[self._numbers[attribute]]

    def _since(self, attribute: Attribute) -> Version:
        return self.younger.get(self.value(attribute), V13_1)


@dataclass(frozen=True)
class IntegerKind(Kind):
    """An integer of type `type`."""

    description: ClassVar[str] = "integer"

    type: IntegerType

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return read_integer(cursor, self.type)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, IntegerAttr)
        write_integer(buffer, attribute)


class BooleanKind(Kind):
    """One byte."""

    description = "bool"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return read_boolean(cursor)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, IntegerAttr)
        buffer.append(attribute.value.data != 0)


class StringKind(Kind):
    """A string."""

    description = "string"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return StringAttr(tables.string(cursor))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, StringAttr)
        write_varint(buffer, tables.string(attribute.data))


class SymbolKind(Kind):
    """The name of a symbol, as a string."""

    description = "symbol"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return SymbolRefAttr(tables.string(cursor))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, SymbolRefAttr)
        write_varint(buffer, tables.string(attribute.root_reference.data))


class ConstantKind(Kind):
    """The elements of a constant, which has the type of the operation's first result."""

    description = "constant"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return tables.constant(cursor, result_types[0])

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DenseConstantAttr)
        write_varint(buffer, tables.constant(attribute))


class ArrayKind(Kind):
    """A counted list of self-contained attributes."""

    description = "array"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        count = cursor.count("array elements")
        return ArrayAttr([read_attribute(cursor, tables) for _ in range(count)])

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, ArrayAttr)
        write_varint(buffer, len(attribute.data))
        for element in attribute.data:
            write_attribute(buffer, tables, element)


class DenseI32Kind(Kind):
    """A counted list of i32 other than the smallest and the largest."""

    description = "i32 array"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        start = cursor.position
        values = cursor.array(4)
        for value in values:
            if value in _INT32_LIMITS:
                cursor.fail(f"array contains unsupported value {value}", start)
        return DenseArrayBase.from_list(i32, values)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DenseArrayBase)
        write_array(buffer, 4, dense_integers(attribute))


class DenseBooleanKind(Kind):
    """A counted list of bytes that are 0 for false."""

    description = "bool array"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return DenseArrayBase.from_list(i1, [int(value != 0) for value in cursor.array(1)])

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DenseArrayBase)
        write_array(buffer, 1, [int(value != 0) for value in dense_integers(attribute)])


class HintsKind(Kind):
    """Optimization hints: the payload of their self-contained form."""

    description = "hints"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        return OptimizationHintsAttr(read_dictionary(cursor, tables))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, OptimizationHintsAttr)
        write_dictionary(buffer, tables, attribute.value.data)


class PredicateKind(Kind):
    """A predicate of `assume`, as a self-contained attribute."""

    description = "predicate"

    def read(
        self, cursor: Cursor, tables: ReadTables, result_types: Sequence[Attribute]
    ) -> Attribute:
        predicate = read_attribute(cursor, tables)
        if not isinstance(predicate, AssumePredicateAttr):
            raise VerifyException("expected assume predicate attribute")
        return predicate

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        write_attribute(buffer, tables, attribute)


class Default(ABC):
    """The attribute that an operation has in a version without this required attribute."""

    @abstractmethod
    def holds(self, attribute: Attribute) -> bool:
        """Whether `attribute` equals the default."""

    @abstractmethod
    def value(self, operation: Operation) -> Attribute:
        """The default attribute of an operation."""


@dataclass(frozen=True)
class Always(Default):
    """A constant default."""

    attribute: Attribute

    def holds(self, attribute: Attribute) -> bool:
        return attribute == self.attribute

    def value(self, operation: Operation) -> Attribute:
        return self.attribute


@dataclass(frozen=True)
class AllFalse(Default):
    """False for each of the operation's `indices`, as if the dialect's attribute were missing."""

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, DenseArrayBase) and not any(dense_integers(attribute))

    def value(self, operation: Operation) -> Attribute:
        assert isinstance(operation, CudaTileOperation)
        return DenseArrayBase.from_list(i1, [0] * len(operation.variadic_operand("indices")))


@dataclass(frozen=True)
class Slot:
    """One attribute of an operation: its name in the dialect, its kind, and its first version.

    A required attribute with a later first version than its operation, or that the dialect may
    omit, has a default.
    """

    name: str
    kind: Kind
    since: Version = V13_1
    optional: bool = False
    default: Default | None = None
