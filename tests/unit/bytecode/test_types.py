"""The type table."""

import pytest
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    IntegerType,
    f32,
    i1,
    i32,
)
from xdsl.ir import Attribute

from tests.unit.bytecode.building import cursor, error_of, read_tables
from tileir_xdsl.bytecode.errors import BytecodeError
from tileir_xdsl.bytecode.tables import WriteTables
from tileir_xdsl.bytecode.types import (
    COMPOSITE,
    MAX_TYPE_DEPTH,
    SIMPLE,
    TYPES,
    TypeTableReader,
)
from tileir_xdsl.bytecode.version import V13_1, V13_3, V13_4, V13_5, VERSIONS, Version
from tileir_xdsl.dialects.cuda_tile import (
    DYNAMIC,
    GatherScatterViewType,
    PaddingValue,
    PartitionViewType,
    PointerKind,
    PointerKindAttr,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
)

VIEW = TensorViewType([DYNAMIC, 64], f32, [64, 1])
MULTICAST = PointerKindAttr(PointerKind.MULTICAST)
UNICAST = PointerKindAttr(PointerKind.UNICAST)
NO_KIND = PointerKindAttr(PointerKind.NONE)

EXAMPLES: list[tuple[Attribute, Version]] = [
    *((row.type, row.since) for row in SIMPLE),
    (PointerType(f32), V13_1),
    (PointerType(f32, NO_KIND), V13_4),
    (PointerType(f32, UNICAST), V13_5),
    (PointerType(f32, MULTICAST), V13_5),
    (TileType([], PointerType(i1)), V13_1),
    (TileType([1 << 12, 1 << 12], i32), V13_1),
    (TensorViewType([], f32, []), V13_1),
    (VIEW, V13_1),
    (TensorViewType([32], f32, [1], NO_KIND), V13_4),
    (TensorViewType([32], f32, [DYNAMIC], MULTICAST), V13_5),
    (PartitionViewType([4, 8], VIEW), V13_1),
    (PartitionViewType([4, 8], VIEW, [1, 0], PaddingValue.NEG_INF), V13_1),
    (StridedViewType([4, 8], [3, 1], VIEW), V13_3),
    (StridedViewType([4, 8], [3, 1], VIEW, [1, 0], PaddingValue.ZERO), V13_3),
    (GatherScatterViewType([4, 8], VIEW, 1), V13_3),
    (GatherScatterViewType([4, 8], VIEW, 0, PaddingValue.NAN), V13_3),
    (FunctionType.from_lists([TileType([], f32), TileType([], i32)], []), V13_1),
    (FunctionType.from_lists([], [f32]), V13_1),
]


@pytest.mark.parametrize("version", VERSIONS, ids=str)
@pytest.mark.parametrize(("type_", "since"), EXAMPLES, ids=str)
def test_types_come_back(type_: Attribute, since: Version, version: Version):
    tables = WriteTables(version)
    if since > version:
        error = error_of(lambda: tables.type(type_))
        assert error.message.endswith(f" requires bytecode version {since}+, targeting {version}")
        return
    index = tables.type(type_)
    assert tables.type(type_) == index
    assert read_tables(tables).types[index] == type_


def test_every_tag_has_an_example():
    assert len(TYPES) == len(SIMPLE) + len(COMPOSITE)
    covered = {type(type_) for type_, _ in EXAMPLES}
    assert covered >= {row.cls for row in COMPOSITE}


def test_equal_types_share_an_entry():
    tables = WriteTables(V13_3)
    assert tables.type(TileType([2], f32)) == tables.type(TileType([2], f32)) == 1
    assert tables.type(f32) == 0


@pytest.mark.parametrize("type_", [IndexType(), IntegerType(7)], ids=str)
def test_other_types_are_refused(type_: Attribute):
    error = error_of(lambda: WriteTables(V13_3).type(type_))
    assert error.message == f"unsupported type in bytecode writer: '{type_}'"


def types_of(*entries: bytes, version: Version = V13_5) -> list[Attribute]:
    """The types of a table with these entries."""
    bounds: list[tuple[int, int]] = []
    data = b"".join(entries)
    position = 0
    for entry in entries:
        bounds.append((position, position + len(entry)))
        position += len(entry)
    types = list[Attribute]()
    for type_ in TypeTableReader(data, bounds, version, "test").read_all():
        if isinstance(type_, BytecodeError):
            raise type_
        types.append(type_)
    return types


I32, F32 = b"\3", b"\7"


def le64(*values: int) -> bytes:
    return bytes([len(values)]) + b"".join(v.to_bytes(8, "little", signed=True) for v in values)


def le32(*values: int) -> bytes:
    return bytes([len(values)]) + b"".join(v.to_bytes(4, "little", signed=True) for v in values)


def test_types_refer_to_later_ones():
    tile = b"\x0d\1" + le64(4)
    assert types_of(tile, F32) == [TileType([4], f32), f32]


@pytest.mark.parametrize(
    ("entries", "version", "message", "offset"),
    [
        ([b"\x17"], V13_5, "unknown type tag: 23", 0),
        ([b""], V13_5, "unexpected end of data", 0),
        ([b"\x13"], V13_1, "type 'Float4E2M1FN' requires bytecode version 13.3+, file version is 13.1", 0),
        ([F32, b"\x14"], V13_1, "type 'GatherScatterViewType' requires bytecode version 13.3+, file version is 13.1", 1),
        ([F32 + b"\0"], V13_5, "1 bytes are left over after a type", 1),
        ([b"\x0d\1" + le64(4)], V13_5, "type index 1 out of bounds", 1),
        ([b"\x0d\0" + le64(4)], V13_5, "type 0 contains itself", 1),
        ([b"\x0d\1" + le64(4), b"\x0d\0" + le64(4)], V13_5, "type 0 contains itself", 12),
        ([F32, b"\x0d\0" + le64(3)], V13_5, "all dimensions must be powers of two, got 3", 1),
        ([F32, b"\x0d\0" + le64(1 << 25)], V13_5, "tile would exceed the maximum of 16777216 elements", 1),
        ([F32, b"\x0d\0\xff\xff\3"], V13_5, "number of elements (65535) exceeds the remaining data size 0", 3),
        ([F32, b"\x0c\2\0"], V13_5, "unknown type flags 0x2", 2),
        ([F32, b"\x0c\1\0\3"], V13_5, "invalid integer value for enum type: 3", 4),
        ([F32, b"\x0c\1\0\2"], V13_4, "enum value 2 is not available in bytecode version 13.4", 4),
        ([F32, b"\x0f\0" + le32(4) + b"\0" + le32(0)], V13_5, "expected 'tensor_view' type, but got 'f32'", 8),
        ([F32, b"\x0f" + le32(4) + b"\2" + le32(0) + b"\2", b"\x0e\0" + le64(4) + le64(1)], V13_1, "invalid flag of a padding value: 2", 13),
        ([F32, b"\x0f\1" + le32(4) + b"\2" + le32(0) + b"\5", b"\x0e\0" + le64(4) + le64(1)], V13_3, "invalid integer value for enum type: 5", 14),
        ([b"\x10\x05\0\0"], V13_5, "number of function inputs (5) exceeds the remaining data size 2", 1),
    ],
)  # fmt: skip
def test_bad_entries(entries: list[bytes], version: Version, message: str, offset: int):
    error = error_of(lambda: types_of(*entries, version=version))
    assert (error.message, error.section, error.offset) == (message, "test", offset)


def test_deep_types():
    pointers = [b"\x0c\0" + bytes([index + 1]) for index in range(100)]
    error = error_of(lambda: types_of(*pointers, F32))
    assert error.message == f"types are nested deeper than {MAX_TYPE_DEPTH}"


def test_functions_of_functions():
    functions = [b"\x10\2" + bytes([index + 1, index + 1]) + b"\0" for index in range(10)]
    error = error_of(lambda: types_of(*functions, F32))
    assert error.message == "function inputs must not be functions"


def test_indices_are_checked():
    tables = read_tables(WriteTables(V13_5))
    encoded = b"\xac\x02"
    for read, what in ((tables.type, "type"), (tables.string, "string")):
        error = error_of(lambda read=read: read(cursor(encoded)))
        assert error.message == f"{what} index 300 out of bounds"
    error = error_of(lambda: tables.constant(cursor(encoded), TileType([2], f32)))
    assert error.message == "constant index 300 out of bounds"
