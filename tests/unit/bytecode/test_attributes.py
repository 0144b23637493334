"""Self-contained attributes."""

import math
import struct
from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute

from tests.unit.bytecode.building import cursor, error_of, read_tables, tables_of
from tileir_xdsl.bytecode.attributes import (
    MAX_ATTRIBUTE_DEPTH,
    TAGGED,
    read_attribute,
    write_attribute,
)
from tileir_xdsl.bytecode.tables import WriteTables
from tileir_xdsl.bytecode.types import SIMPLE
from tileir_xdsl.bytecode.version import V13_5
from tileir_xdsl.dialects.cuda_tile import (
    BoundedAttr,
    DenseConstantAttr,
    DivByAttr,
    OptimizationHintsAttr,
    SameElementsAttr,
    TileType,
)

FLOAT_TYPES = [row.type for row in SIMPLE if isinstance(row.type, AnyFloat)]

EXAMPLES: Sequence[Attribute] = [
    IntegerAttr(-1, i32),
    IntegerAttr(127, i8),
    IntegerAttr(-(1 << 63), i64),
    IntegerAttr.from_bool(True),
    IntegerAttr.from_bool(False),
    *(FloatAttr(value, type_) for type_ in FLOAT_TYPES for value in (1.0, 2.0)),
    FloatAttr(-1.5, f32),
    FloatAttr(-0.0, f64),
    FloatAttr(-math.inf, f64),
    FloatAttr(math.inf, f16),
    FloatAttr(-math.inf, bf16),
    StringAttr("text"),
    StringAttr("é"),
    f32,
    TileType([2], f32),
    ArrayAttr([]),
    ArrayAttr([IntegerAttr(1, i32), ArrayAttr([StringAttr("inner")])]),
    DenseConstantAttr.from_values(TileType([2], f32), [1.0, 2.0]),
    DivByAttr(16),
    DivByAttr(1 << 62, 4, 1),
    SameElementsAttr([]),
    SameElementsAttr([1, 1 << 40]),
    DictionaryAttr({}),
    DictionaryAttr({"b": IntegerAttr(1, i32), "a": DictionaryAttr({"c": f32})}),
    OptimizationHintsAttr({}),
    OptimizationHintsAttr({"sm_90": DictionaryAttr({"occupancy": IntegerAttr(2, i32)})}),
    BoundedAttr(None, None),
    BoundedAttr(-5, None),
    BoundedAttr(None, (1 << 63) - 1),
    BoundedAttr(-(1 << 63), 7),
]


def encoded(attribute: Attribute, tables: WriteTables | None = None) -> bytes:
    buffer = bytearray()
    write_attribute(buffer, tables or WriteTables(V13_5), attribute)
    return bytes(buffer)


@pytest.mark.parametrize("attribute", EXAMPLES, ids=str)
def test_attributes_come_back(attribute: Attribute):
    tables = WriteTables(V13_5)
    source = cursor(encoded(attribute, tables))
    assert read_attribute(source, read_tables(tables)) == attribute
    assert source.remaining == 0


def test_every_kind_has_an_example():
    assert len({kind.tag for kind in TAGGED}) == len(TAGGED)
    for kind in TAGGED:
        assert any(kind.holds(example) for example in EXAMPLES), kind.name


def test_dictionaries_are_in_order():
    one, two = IntegerAttr(1, i32), IntegerAttr(2, i32)
    forward, backward = DictionaryAttr({"a": one, "b": two}), DictionaryAttr({"b": two, "a": one})
    assert encoded(forward) == encoded(backward)


@pytest.mark.parametrize("attribute", [UnitAttr(), IntegerAttr(1, IndexType())], ids=str)
def test_other_attributes_are_refused(attribute: Attribute):
    error = error_of(lambda: encoded(attribute))
    assert error.message.startswith("unsupported attribute in bytecode writer: ")


@pytest.mark.parametrize("value", [-1.0, -math.inf, -0.0, 1.0])
def test_doubles_that_some_writers_store_in_65_bits(value: float):
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    doubled = bits << 1
    data = bytearray(b"\2\0")
    while doubled >= 0x80:
        data.append(doubled & 0x7F | 0x80)
        doubled >>= 7
    data.append(doubled)
    assert read_attribute(cursor(bytes(data)), tables_of([f64])) == FloatAttr(value, f64)


def test_an_i1_may_be_an_integer():
    for byte, value in ((0, False), (1, True), (255, True)):
        found = read_attribute(cursor(bytes([1, 0, byte])), tables_of([i1]))
        assert found == IntegerAttr.from_bool(value)


@pytest.mark.parametrize(
    ("data", "message", "offset"),
    [
        (b"", "unexpected end of data", 0),
        (b"\x0d", "unsupported AttributeTag 13 for self-contained attribute", 0),
        (b"\1\2\5", "expected an integer type, but got 'f32'", 1),
        (b"\1\0\x80\2", "value 256 does not fit in 8 bits", 2),
        (b"\1\7\5", "type index 7 out of bounds", 1),
        (b"\2\0\5", "expected a float type, but got 'i8'", 1),
        (b"\2\2\x80\x80\x80\x80\x20", "value 4294967296 does not fit in 32 bits", 2),
        (b"\2\2\1", "value 18446744073709551615 does not fit in 32 bits", 2),
        (b"\5\x02", "string index 2 out of bounds", 1),
        (b"\6\4\3\0", "number of array elements (4) exceeds the remaining data size 2", 1),
        (b"\7\0\0", "constant index 0 out of bounds", 2),
        (b"\x08\4\4", "unknown flags 0x4", 2),
        (b"\x09\2" + bytes(15), "number of elements (2) exceeds the remaining data size 15", 1),
        (b"\x0a\1\0\3\1", "invalid empty attribute name for DictionaryAttr element 0", 2),
        (b"\x0a\2\1\3\1\1\3\1", "failed to parse DictionaryAttr, duplicate key found: key", 5),
        (
            b"\x0b\1\1\3\1",
            "expected dictionary attribute for optimization_hints entry `key` got value=true",
            0,
        ),
        (b"\x0c\3\1", "unexpected end of data", 3),
    ],
)
def test_bad_attributes(data: bytes, message: str, offset: int):
    tables = tables_of([i8, i1, f32], ["", "key"])
    error = error_of(lambda: read_attribute(cursor(data), tables))
    assert (error.message, error.section, error.offset) == (message, "test", offset)


def test_deep_attributes():
    def nested(depth: int) -> bytes:
        return b"\6\1" * (depth - 1) + b"\3\1"

    read_attribute(cursor(nested(MAX_ATTRIBUTE_DEPTH)), tables_of())
    for depth in (MAX_ATTRIBUTE_DEPTH + 1, 100_000):
        error = error_of(lambda depth=depth: read_attribute(cursor(nested(depth)), tables_of()))
        assert error.message == f"attributes are nested more than {MAX_ATTRIBUTE_DEPTH} deep"
