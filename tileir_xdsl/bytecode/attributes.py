"""Self-contained attributes: a tag for the kind of attribute, and a payload.

Source: Tile IR specification, bytecode. Self-contained attributes occur in arrays and dictionaries,
as predicates of `assume` and as hints of kernels; `TAGGED` lists all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i1,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.encoding import (
    Cursor,
    write_array,
    write_signed_varint,
    write_varint,
)
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.tables import ReadTables, WriteTables
from tileir_xdsl.dialects.cuda_tile import (
    BoundedAttr,
    DenseConstantAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS
from tileir_xdsl.dialects.cuda_tile.literals import decode_element, encode_element
from tileir_xdsl.dialects.cuda_tile.types import element_name

MAX_ATTRIBUTE_DEPTH = 16
"""The most attributes nested in each other; hints nest two."""


class TaggedAttribute(ABC):
    """A kind of self-contained attribute. `fields` describes its payload for the documentation."""

    tag: ClassVar[int]
    name: ClassVar[str]
    fields: ClassVar[str]

    @abstractmethod
    def holds(self, attribute: Attribute) -> bool:
        """Whether `attribute` is of this kind."""

    @abstractmethod
    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        """Reads the payload; may raise `VerifyException`."""

    @abstractmethod
    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        """Appends the payload."""


def read_integer(cursor: Cursor, type_: IntegerType) -> IntegerAttr[IntegerType]:
    """Reads the bits of an integer of type `type_`, an i1 as one byte."""
    width = type_.width.data
    if width == 1:
        return read_boolean(cursor)
    start = cursor.position
    bits = cursor.varint()
    if bits >> width:
        cursor.fail(f"value {bits} does not fit in {width} bits", start)
    sign = 1 << (width - 1)
    return IntegerAttr((bits ^ sign) - sign, type_)


def write_integer(buffer: bytearray, attribute: IntegerAttr) -> None:
    """Appends the bits of an integer."""
    type_ = attribute.get_type()
    assert isinstance(type_, IntegerType)
    write_varint(buffer, attribute.value.data & ((1 << type_.width.data) - 1))


def read_boolean(cursor: Cursor) -> IntegerAttr[IntegerType]:
    """Reads a byte that is 0 for false."""
    return IntegerAttr.from_bool(cursor.byte() != 0)


def read_dictionary(cursor: Cursor, tables: ReadTables, depth: int = 0) -> dict[str, Attribute]:
    """Reads a counted list of names and attributes."""
    values: dict[str, Attribute] = {}
    for index in range(cursor.count("dictionary entries")):
        start = cursor.position
        key = tables.string(cursor)
        if not key:
            cursor.fail(f"invalid empty attribute name for DictionaryAttr element {index}", start)
        if key in values:
            cursor.fail(f"failed to parse DictionaryAttr, duplicate key found: {key}", start)
        values[key] = read_attribute(cursor, tables, depth)
    return values


def write_dictionary(
    buffer: bytearray, tables: WriteTables, values: Mapping[str, Attribute]
) -> None:
    """Appends a counted list of names and attributes, in the order of the names."""
    write_varint(buffer, len(values))
    for key in sorted(values):
        write_varint(buffer, tables.string(key))
        write_attribute(buffer, tables, values[key])


class _Integer(TaggedAttribute):
    tag, name, fields = 1, "integer", "type, bits"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, IntegerAttr) and isinstance(attribute.type, IntegerType)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        start = cursor.position
        type_ = tables.type(cursor)
        if not isinstance(type_, IntegerType):
            cursor.fail(f"expected an integer type, but got '{type_}'", start)
        return read_integer(cursor, type_)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, IntegerAttr)
        write_varint(buffer, tables.type(attribute.get_type()))
        write_integer(buffer, attribute)


class _Float(TaggedAttribute):
    tag, name, fields = 2, "float", "type, bits (byte up to 8 bits, else signed varint)"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, FloatAttr) and element_name(attribute.type) in FORMATS

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        start = cursor.position
        type_ = tables.type(cursor)
        name = element_name(type_)
        if not isinstance(type_, AnyFloat) or name not in FORMATS:
            cursor.fail(f"expected a float type, but got '{type_}'", start)
        layout = FORMATS[name]
        start = cursor.position
        if layout.width <= 8:
            bits = cursor.byte()
        else:
            zigzag = cursor.long_varint()
            # Some writers store an f64 with a set sign bit as the 65-bit number bits << 1.
            bits = (1 << 64) + ~(zigzag >> 1) if zigzag & 1 else zigzag >> 1
        if bits >> layout.width:
            cursor.fail(f"value {bits} does not fit in {layout.width} bits", start)
        value = decode_element(bits.to_bytes(layout.storage_bytes, "little"), name)
        return FloatAttr(float(value), type_)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, FloatAttr)
        name = element_name(attribute.type)
        assert name is not None
        write_varint(buffer, tables.type(attribute.type))
        bits = int.from_bytes(encode_element(attribute.value.data, name), "little")
        if FORMATS[name].width <= 8:
            buffer.append(bits)
        else:
            write_signed_varint(buffer, bits - (1 << 64) if bits >> 63 else bits)


class _Boolean(TaggedAttribute):
    tag, name, fields = 3, "bool", "byte"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, IntegerAttr) and attribute.type == i1

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return read_boolean(cursor)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, IntegerAttr)
        buffer.append(attribute.value.data != 0)


class _Type(TaggedAttribute):
    tag, name, fields = 4, "type", "type"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, TypeAttribute)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return tables.type(cursor)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        write_varint(buffer, tables.type(attribute))


class _String(TaggedAttribute):
    tag, name, fields = 5, "string", "string"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, StringAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return StringAttr(tables.string(cursor))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, StringAttr)
        write_varint(buffer, tables.string(attribute.data))


class _Array(TaggedAttribute):
    tag, name, fields = 6, "array", "count, attributes"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, ArrayAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        count = cursor.count("array elements")
        return ArrayAttr([read_attribute(cursor, tables, depth) for _ in range(count)])

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, ArrayAttr)
        write_varint(buffer, len(attribute.data))
        for element in attribute.data:
            write_attribute(buffer, tables, element)


class _DenseElements(TaggedAttribute):
    tag, name, fields = 7, "dense elements", "type, constant"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, DenseConstantAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return tables.constant(cursor, tables.type(cursor))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DenseConstantAttr)
        write_varint(buffer, tables.type(attribute.type))
        write_varint(buffer, tables.constant(attribute))


def _read_optional_pair(cursor: Cursor) -> tuple[int | None, int | None]:
    """Reads a byte with a bit for each of two numbers, then those that are present."""
    start = cursor.position
    flags = cursor.byte()
    if flags > 3:
        cursor.fail(f"unknown flags {flags:#x}", start)
    first = cursor.signed_varint() if flags & 1 else None
    second = cursor.signed_varint() if flags & 2 else None
    return first, second


def _write_optional_pair(buffer: bytearray, first: int | None, second: int | None) -> None:
    buffer.append((first is not None) | (second is not None) << 1)
    for value in (first, second):
        if value is not None:
            write_signed_varint(buffer, value)


class _DivBy(TaggedAttribute):
    tag, name, fields = 8, "div_by", "divisor, flags (1 every, 2 along) [every] [along]"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, DivByAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        divisor = cursor.varint()
        every, along = _read_optional_pair(cursor)
        return DivByAttr(divisor, every, along)

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DivByAttr)
        write_varint(buffer, attribute.divisor.data)
        _write_optional_pair(buffer, attribute.every_value, attribute.along_value)


class _SameElements(TaggedAttribute):
    tag, name, fields = 9, "same_elements", "values (i64)"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, SameElementsAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return SameElementsAttr(cursor.array(8))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, SameElementsAttr)
        write_array(buffer, 8, attribute.get_values())


class _Dictionary(TaggedAttribute):
    tag, name, fields = 10, "dictionary", "count, strings and attributes"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, DictionaryAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return DictionaryAttr(read_dictionary(cursor, tables, depth))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, DictionaryAttr)
        write_dictionary(buffer, tables, attribute.data)


class _OptimizationHints(TaggedAttribute):
    tag, name, fields = 11, "optimization_hints", "count, strings and attributes"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, OptimizationHintsAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return OptimizationHintsAttr(read_dictionary(cursor, tables, depth))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, OptimizationHintsAttr)
        write_dictionary(buffer, tables, attribute.value.data)


class _Bounded(TaggedAttribute):
    tag, name, fields = 12, "bounded", "flags (1 lower, 2 upper) [lower] [upper]"

    def holds(self, attribute: Attribute) -> bool:
        return isinstance(attribute, BoundedAttr)

    def read(self, cursor: Cursor, tables: ReadTables, depth: int) -> Attribute:
        return BoundedAttr(*_read_optional_pair(cursor))

    def write(self, buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
        assert isinstance(attribute, BoundedAttr)
        _write_optional_pair(buffer, attribute.lower_bound, attribute.upper_bound)


TAGGED: tuple[TaggedAttribute, ...] = (
    _Boolean(),
    _Integer(),
    _Float(),
    _Type(),
    _String(),
    _Array(),
    _DenseElements(),
    _DivBy(),
    _SameElements(),
    _Dictionary(),
    _OptimizationHints(),
    _Bounded(),
)
"""Every kind; a writer uses the first kind that `holds` an attribute."""

_BY_TAG = {kind.tag: kind for kind in TAGGED}


def read_attribute(cursor: Cursor, tables: ReadTables, depth: int = 0) -> Attribute:
    """Reads a self-contained attribute that is nested in `depth` others."""
    start = cursor.position
    tag = cursor.varint()
    kind = _BY_TAG.get(tag)
    if kind is None:
        cursor.fail(f"unsupported AttributeTag {tag} for self-contained attribute", start)
    if depth >= MAX_ATTRIBUTE_DEPTH:
        cursor.fail(f"attributes are nested more than {MAX_ATTRIBUTE_DEPTH} deep", start)
    try:
        return kind.read(cursor, tables, depth + 1)
    except VerifyException as error:
        cursor.fail(str(error), start)


def write_attribute(buffer: bytearray, tables: WriteTables, attribute: Attribute) -> None:
    """Appends a self-contained attribute; raises `BytecodeError` if bytecode has no form for it."""
    for kind in TAGGED:
        if kind.holds(attribute):
            buffer.append(kind.tag)
            kind.write(buffer, tables, attribute)
            return
    raise BytecodeError(f"unsupported attribute in bytecode writer: {attribute}")
