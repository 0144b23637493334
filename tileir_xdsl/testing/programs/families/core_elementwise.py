"""Comparisons, selects and pointer arithmetic."""

from __future__ import annotations

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, STANDARD_FLOATS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import (
    ELEMENT_TYPES,
    MEMORY_ELEMENTS,
    WIDE_INTEGERS,
    shape_of,
    tile,
    type_of,
)
from tileir_xdsl.testing.programs.pointers import addresses, spread_pointers
from tileir_xdsl.testing.programs.values import SIGNEDNESSES, below, offsets_below

_PREDICATES = tuple(cuda_tile.ComparisonPredicate)
_SELECTABLE = tuple(name for name in ELEMENT_TYPES if name != "f4E2M1FN")


def _emit_float_comparison(b: Builder) -> None:
    lhs = b.some_value(STANDARD_FLOATS)
    rhs = b.value(type_of(lhs))
    ordering = b.choose(tuple(cuda_tile.ComparisonOrdering))
    b.keep(b.add(cuda_tile.CmpFOp(b.choose(_PREDICATES), ordering, lhs, rhs)).result)


def _emit_integer_comparison(b: Builder) -> None:
    lhs = b.some_value(INTEGERS)
    rhs = b.value(type_of(lhs))
    b.keep(b.add(cuda_tile.CmpIOp(b.choose(_PREDICATES), lhs, rhs, b.choose(SIGNEDNESSES))).result)


def _emit_selection(b: Builder) -> None:
    first = b.some_value(_SELECTABLE)
    second = b.value(type_of(first))
    condition = b.value(tile("i1", shape_of(first)))
    b.keep(b.add(cuda_tile.SelectOp(condition, first, second)).result)


def _emit_distance(b: Builder) -> None:
    """Computes the byte offsets of pointers in an array; the addresses themselves are not
    output.
    """
    array = b.draft.input(b.choose(MEMORY_ELEMENTS))
    offsets = offsets_below(b, b.some_value(WIDE_INTEGERS), b.array)
    integers = addresses(b, spread_pointers(b, array, offsets))
    start = b.spread(addresses(b, array), shape_of(offsets))
    b.keep(b.add(cuda_tile.SubIOp(integers, start)).result)


def _emit_walk(b: Builder) -> None:
    """Sums elements at pointers that a loop carries and increments."""
    element, index = b.choose(WIDE_INTEGERS), tile("i32")
    offsets = offsets_below(b, b.some_value(WIDE_INTEGERS), b.array // 2)
    pointers = spread_pointers(b, b.draft.input(element), offsets)
    shape = shape_of(offsets)
    inits = [pointers, b.value(tile(element, shape))]
    body = b.child([index, *(value.type for value in inits)], repeated=True)
    _, current, total = body.block.args
    following = body.add(cuda_tile.AddIOp(total, body.load(current))).result
    distance = body.spread(b.number(b.integer(1, b.array // 8), "i32"), shape)
    body.add(
        cuda_tile.ContinueOp([body.add(cuda_tile.OffsetOp(current, distance)).result, following])
    )
    count = below(b, b.value(index), 5)
    bounds = b.number(0, "i32"), count, b.number(1, "i32")
    loop = b.add(cuda_tile.ForOp(*bounds, inits, body.region()))
    b.keep(loop.results[1])


def _emit_offset(b: Builder) -> None:
    b.choose((_emit_distance, _emit_walk))(b)


ROWS: Rows = {
    cuda_tile.CmpFOp: Row(1.5, _emit_float_comparison),
    cuda_tile.CmpIOp: Row(1.5, _emit_integer_comparison),
    cuda_tile.OffsetOp: Row(1.5, _emit_offset),
    cuda_tile.SelectOp: Row(1.5, _emit_selection),
}
