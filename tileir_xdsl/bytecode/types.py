"""The type table: every type of a module, referred to by its index.

Source: Tile IR specification, bytecode. An entry is a tag and a payload; `SIMPLE` and `COMPOSITE`
list all of them. The sizes `DYNAMIC` of the dialect have the same number in bytecode.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Protocol, TypeVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    FunctionType,
    IntegerType,
    NoneAttr,
)
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.bytecode.encoding import Cursor, write_array, write_varint
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.version import V13_1, V13_2, V13_3, V13_4, V13_5, Version
from tileir_xdsl.dialects import cuda_tile

EnumT = TypeVar("EnumT", bound=Enum)

MAX_TYPE_DEPTH = 16
"""The most types nested in each other; a function of tiles of pointers has four levels."""


@dataclass(frozen=True)
class SimpleType:
    """A type whose entry is its tag alone. `name` is the name in the specification."""

    tag: int
    name: str
    type: Attribute
    since: Version = V13_1


SIMPLE: tuple[SimpleType, ...] = (
    SimpleType(0, "Int1", IntegerType(1)),
    SimpleType(1, "Int8", IntegerType(8)),
    SimpleType(2, "Int16", IntegerType(16)),
    SimpleType(3, "Int32", IntegerType(32)),
    SimpleType(4, "Int64", IntegerType(64)),
    SimpleType(5, "Float16", Float16Type()),
    SimpleType(6, "BFloat16", BFloat16Type()),
    SimpleType(7, "Float32", Float32Type()),
    SimpleType(8, "TFloat32", FloatTF32Type()),
    SimpleType(9, "Float64", Float64Type()),
    SimpleType(10, "Float8E4M3FN", Float8E4M3FNType()),
    SimpleType(11, "Float8E5M2", Float8E5M2Type()),
    SimpleType(17, "TokenType", cuda_tile.TokenType()),
    SimpleType(18, "Float8E8M0FNU", Float8E8M0FNUType(), V13_2),
    SimpleType(19, "Float4E2M1FN", Float4E2M1FNType(), V13_3),
    SimpleType(22, "Int4", IntegerType(4), V13_3),
    SimpleType(130, "fnv8E5M3FNU", cuda_tile.Float8E5M3FNUType(), V13_4),
)


class Reader(Protocol):
    """Reads the types that the payload of a composite type refers to."""

    version: Version

    def type(self, cursor: Cursor) -> Attribute:
        """The type whose index is read."""
        ...


class Writer(Protocol):
    """Numbers the types that the payload of a composite type refers to."""

    version: Version

    def type(self, type_: Attribute) -> int:
        """The index of a type."""
        ...


class CompositeType(ABC):
    """A type whose entry has a payload. `fields` describes the payload for the documentation."""

    tag: ClassVar[int]
    name: ClassVar[str]
    cls: ClassVar[type[Attribute]]
    since: ClassVar[Version] = V13_1
    fields: ClassVar[str]

    @abstractmethod
    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        """Reads the payload; may raise `VerifyException`."""

    @abstractmethod
    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        """Appends the payload; raises `BytecodeError` if the version cannot express the type."""


_HAS_OPTION = 1
"""Bit of the flags of a type: its optional part is present."""


def read_enumerated(cursor: Cursor, members: Sequence[EnumT]) -> EnumT:
    """Reads the number of one of `members`."""
    start = cursor.position
    number = cursor.varint()
    if number >= len(members):
        cursor.fail(f"invalid integer value for enum type: {number}", start)
    return members[number]


def _read_flags(cursor: Cursor, version: Version, since: Version) -> int:
    if version < since:
        return 0
    start = cursor.position
    flags = cursor.varint()
    if flags > _HAS_OPTION:
        cursor.fail(f"unknown type flags {flags:#x}", start)
    return flags


_KIND_SINCE = {
    cuda_tile.PointerKind.NONE: V13_4,
    cuda_tile.PointerKind.UNICAST: V13_5,
    cuda_tile.PointerKind.MULTICAST: V13_5,
}


def _read_kind(cursor: Cursor, version: Version, flags: int) -> cuda_tile.PointerKindAttr | None:
    if not flags:
        return None
    start = cursor.position
    kind = read_enumerated(cursor, list(cuda_tile.PointerKind))
    if _KIND_SINCE[kind] > version:
        number = list(cuda_tile.PointerKind).index(kind)
        cursor.fail(f"enum value {number} is not available in bytecode version {version}", start)
    return cuda_tile.PointerKindAttr(kind)


def _write_kind_flags(
    buffer: bytearray, version: Version, kind: cuda_tile.PointerKindAttr | NoneAttr
) -> None:
    if isinstance(kind, cuda_tile.PointerKindAttr) and _KIND_SINCE[kind.data] > version:
        raise BytecodeError(
            f"pointer attribute '{kind.data.value}' requires bytecode version "
            f"{_KIND_SINCE[kind.data]}+, targeting {version}"
        )
    if version >= V13_4:
        buffer.append(_HAS_OPTION if isinstance(kind, cuda_tile.PointerKindAttr) else 0)


def _write_kind(buffer: bytearray, kind: cuda_tile.PointerKindAttr | NoneAttr) -> None:
    if isinstance(kind, cuda_tile.PointerKindAttr):
        buffer.append(list(cuda_tile.PointerKind).index(kind.data))


def _read_padding(cursor: Cursor, version: Version, flags: int) -> cuda_tile.PaddingValue | None:
    if version < V13_3:
        start = cursor.position
        flags = cursor.byte()
        if flags > _HAS_OPTION:
            cursor.fail(f"invalid flag of a padding value: {flags}", start)
    return read_enumerated(cursor, list(cuda_tile.PaddingValue)) if flags else None


def _write_padding_flags(
    buffer: bytearray, version: Version, padding: cuda_tile.PaddingValueAttr | NoneAttr
) -> None:
    if version >= V13_3:
        buffer.append(_HAS_OPTION if isinstance(padding, cuda_tile.PaddingValueAttr) else 0)


def _write_padding(
    buffer: bytearray, version: Version, padding: cuda_tile.PaddingValueAttr | NoneAttr
) -> None:
    if version < V13_3:
        buffer.append(_HAS_OPTION if isinstance(padding, cuda_tile.PaddingValueAttr) else 0)
    if isinstance(padding, cuda_tile.PaddingValueAttr):
        buffer.append(list(cuda_tile.PaddingValue).index(padding.data))


def _read_tensor_view(cursor: Cursor, types: Reader) -> cuda_tile.TensorViewType:
    start = cursor.position
    tensor_view = types.type(cursor)
    if not isinstance(tensor_view, cuda_tile.TensorViewType):
        cursor.fail(f"expected 'tensor_view' type, but got '{tensor_view}'", start)
    return tensor_view


class _Pointer(CompositeType):
    tag, name, cls = 12, "PointerType", cuda_tile.PointerType
    fields = "[13.4: flags] pointee [ptr_attr]"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        flags = _read_flags(cursor, types.version, V13_4)
        return cuda_tile.PointerType(types.type(cursor), _read_kind(cursor, types.version, flags))

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.PointerType)
        _write_kind_flags(buffer, types.version, type_.kind)
        write_varint(buffer, types.type(type_.pointee_type))
        _write_kind(buffer, type_.kind)


class _Tile(CompositeType):
    tag, name, cls = 13, "TileType", cuda_tile.TileType
    fields = "element, shape (i64)"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        element_type = types.type(cursor)
        return cuda_tile.TileType(cursor.array(8), element_type)

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.TileType)
        write_varint(buffer, types.type(type_.element_type))
        write_array(buffer, 8, type_.get_shape())


class _TensorView(CompositeType):
    tag, name, cls = 14, "TensorViewType", cuda_tile.TensorViewType
    fields = "[13.4: flags] element, shape (i64), strides (i64) [ptr_attr]"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        flags = _read_flags(cursor, types.version, V13_4)
        element_type = types.type(cursor)
        shape, strides = cursor.array(8), cursor.array(8)
        return cuda_tile.TensorViewType(
            shape, element_type, strides, _read_kind(cursor, types.version, flags)
        )

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.TensorViewType)
        _write_kind_flags(buffer, types.version, type_.kind)
        write_varint(buffer, types.type(type_.element_type))
        write_array(buffer, 8, type_.get_shape())
        write_array(buffer, 8, type_.get_strides())
        _write_kind(buffer, type_.kind)


class _PartitionView(CompositeType):
    tag, name, cls = 15, "PartitionViewType", cuda_tile.PartitionViewType
    fields = "[13.3: flags] tile shape (i32), tensor_view, dim_map (i32) [padding value]"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        flags = _read_flags(cursor, types.version, V13_3)
        tile_shape = cursor.array(4)
        tensor_view = _read_tensor_view(cursor, types)
        dim_map = cursor.array(4)
        padding = _read_padding(cursor, types.version, flags)
        return cuda_tile.PartitionViewType(tile_shape, tensor_view, dim_map, padding)

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.PartitionViewType)
        _write_padding_flags(buffer, types.version, type_.padding_value)
        write_array(buffer, 4, type_.get_tile_shape())
        write_varint(buffer, types.type(type_.tensor_view))
        write_array(buffer, 4, type_.get_dim_map())
        _write_padding(buffer, types.version, type_.padding_value)


class _Function(CompositeType):
    tag, name, cls = 16, "FunctionType", FunctionType
    fields = "count, inputs, count, results"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        inputs = self._read_types(cursor, types, "function inputs")
        return FunctionType.from_lists(inputs, self._read_types(cursor, types, "function results"))

    @staticmethod
    def _read_types(cursor: Cursor, types: Reader, what: str) -> list[Attribute]:
        start = cursor.position
        found = [types.type(cursor) for _ in range(cursor.count(what))]
        if any(isinstance(type_, FunctionType) for type_ in found):
            # Shared types would make the whole endless; besides, no value is a function.
            cursor.fail(f"{what} must not be functions", start)
        return found

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, FunctionType)
        for part in (type_.inputs.data, type_.outputs.data):
            write_varint(buffer, len(part))
            for inner in part:
                write_varint(buffer, types.type(inner))


class _GatherScatterView(CompositeType):
    tag, name, cls, since = 20, "GatherScatterViewType", cuda_tile.GatherScatterViewType, V13_3
    fields = "flags, tile shape (i32), tensor_view, sparse_dim [padding value]"

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        flags = _read_flags(cursor, types.version, self.since)
        tile_shape = cursor.array(4)
        tensor_view = _read_tensor_view(cursor, types)
        sparse_dim = cursor.varint()
        padding = _read_padding(cursor, types.version, flags)
        return cuda_tile.GatherScatterViewType(tile_shape, tensor_view, sparse_dim, padding)

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.GatherScatterViewType)
        _write_padding_flags(buffer, types.version, type_.padding_value)
        write_array(buffer, 4, type_.get_tile_shape())
        write_varint(buffer, types.type(type_.tensor_view))
        write_varint(buffer, type_.sparse_dim.data)
        _write_padding(buffer, types.version, type_.padding_value)


class _StridedView(CompositeType):
    tag, name, cls, since = 21, "StridedViewType", cuda_tile.StridedViewType, V13_3
    fields = (
        "flags, tile shape (i32), traversal strides (i32), tensor_view, dim_map (i32) "
        "[padding value]"
    )

    def read(self, cursor: Cursor, types: Reader) -> Attribute:
        flags = _read_flags(cursor, types.version, self.since)
        tile_shape, strides = cursor.array(4), cursor.array(4)
        tensor_view = _read_tensor_view(cursor, types)
        dim_map = cursor.array(4)
        padding = _read_padding(cursor, types.version, flags)
        return cuda_tile.StridedViewType(tile_shape, strides, tensor_view, dim_map, padding)

    def write(self, buffer: bytearray, types: Writer, type_: Attribute) -> None:
        assert isinstance(type_, cuda_tile.StridedViewType)
        _write_padding_flags(buffer, types.version, type_.padding_value)
        write_array(buffer, 4, type_.get_tile_shape())
        write_array(buffer, 4, type_.get_traversal_strides())
        write_varint(buffer, types.type(type_.tensor_view))
        write_array(buffer, 4, type_.get_dim_map())
        _write_padding(buffer, types.version, type_.padding_value)


COMPOSITE: tuple[CompositeType, ...] = (
    _Pointer(),
    _Tile(),
    _TensorView(),
    _PartitionView(),
    _Function(),
    _GatherScatterView(),
    _StridedView(),
)

TYPES: Mapping[int, SimpleType | CompositeType] = {
    row.tag: row for row in sorted((*SIMPLE, *COMPOSITE), key=lambda row: row.tag)
}
"""Every type of the table by its tag."""

_SIMPLE_BY_TYPE = {simple.type: simple for simple in SIMPLE}
_COMPOSITE_BY_CLASS = {composite.cls: composite for composite in COMPOSITE}


class TypeTableReader:
    """Reads every type of a table whose `entries` lie in `data`; they may refer to each other."""

    def __init__(
        self, data: bytes, entries: Sequence[tuple[int, int]], version: Version, section: str
    ):
        self.version = version
        self._data = data
        self._entries = entries
        self._section = section
        self._types: list[Attribute | None] = [None] * len(entries)
        self._open: list[int] = []

    def read_all(self) -> list[Attribute | BytecodeError]:
        """The types in the order of the table, and the errors of entries that are not types."""
        return [self._resolve_or_fail(index) for index in range(len(self._entries))]

    def _resolve_or_fail(self, index: int) -> Attribute | BytecodeError:
        try:
            return self._resolve(index)
        except BytecodeError as error:
            self._open.clear()
            return error

    def type(self, cursor: Cursor) -> Attribute:
        start = cursor.position
        index = cursor.varint()
        if index >= len(self._entries):
            cursor.fail(f"type index {index} out of bounds", start)
        if index in self._open:
            cursor.fail(f"type {index} contains itself", start)
        if len(self._open) >= MAX_TYPE_DEPTH:
            cursor.fail(f"types are nested deeper than {MAX_TYPE_DEPTH}", start)
        return self._resolve(index)

    def _resolve(self, index: int) -> Attribute:
        type_ = self._types[index]
        if type_ is None:
            self._open.append(index)
            type_ = self._types[index] = self._read(index)
            self._open.pop()
        return type_

    def _read(self, index: int) -> Attribute:
        start, end = self._entries[index]
        cursor = Cursor(self._data, start, end, self._section)
        tag = cursor.varint()
        row = TYPES.get(tag)
        if row is None:
            cursor.fail(f"unknown type tag: {tag}", start)
        if row.since > self.version:
            cursor.fail(
                f"type '{row.name}' requires bytecode version {row.since}+, "
                f"file version is {self.version}",
                start,
            )
        if isinstance(row, SimpleType):
            type_ = row.type
        else:
            try:
                type_ = row.read(cursor, self)
            except VerifyException as error:
                cursor.fail(str(error), start)
        if cursor.remaining:
            cursor.fail(f"{cursor.remaining} bytes are left over after a type")
        return type_


class TypeTableWriter:
    """Collects types, and the bytes of their entries, in the order of their first use."""

    def __init__(self, version: Version):
        self.version = version
        self.entries: list[bytes] = []
        self._indices: dict[Attribute, int] = {}
        # Equal types are often the same object, which the module keeps alive. So its identity
        # stands for it; a hash of its parts takes longer.
        self._by_identity: dict[int, int] = {}

    def type(self, type_: Attribute) -> int:
        index = self._by_identity.get(id(type_))
        if index is None:
            index = self._indices.get(type_)
            if index is None:
                entry = self._entry(type_)
                index = self._indices[type_] = len(self.entries)
                self.entries.append(entry)
            self._by_identity[id(type_)] = index
        return index

    def _entry(self, type_: Attribute) -> bytes:
        row = _SIMPLE_BY_TYPE.get(type_) or _COMPOSITE_BY_CLASS.get(type(type_))
        if row is None:
            raise BytecodeError(f"unsupported type in bytecode writer: '{type_}'")
        if row.since > self.version:
            raise BytecodeError(
                f"type '{row.name}' requires bytecode version {row.since}+, "
                f"targeting {self.version}"
            )
        buffer = bytearray()
        write_varint(buffer, row.tag)
        if not isinstance(row, SimpleType):
            row.write(buffer, self, type_)
        return bytes(buffer)
