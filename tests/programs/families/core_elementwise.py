"""Comparison, selection, pointer arithmetic."""

from __future__ import annotations

from tests.programs.builder import Builder, Row, Rows
from tests.programs.draft import INPUT_COUNT
from tests.programs.elements import (
    ELEMENT_TYPES,
    MEMORY_ELEMENTS,
    WIDE_INTEGERS,
    shape_of,
    tile,
    type_of,
)
from tests.programs.pointers import addresses, spread_pointers
from tests.programs.values import SIGNEDNESSES, below
from tileir_xdsl.dialects.cuda_tile import (
    CmpFOp,
    CmpIOp,
    ComparisonOrdering,
    ComparisonPredicate,
    OffsetOp,
    SelectOp,
    SubIOp,
)
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS, STANDARD_FLOATS

_PREDICATES = tuple(ComparisonPredicate)
_SELECTABLE = tuple(name for name in ELEMENT_TYPES if name != "f4E2M1FN")


def _emit_float_comparison(b: Builder) -> None:
    lhs = b.some_value(STANDARD_FLOATS)
    rhs = b.value(type_of(lhs))
    ordering = b.choose(tuple(ComparisonOrdering))
    b.keep(b.add(CmpFOp(b.choose(_PREDICATES), ordering, lhs, rhs)).result)


def _emit_integer_comparison(b: Builder) -> None:
    lhs = b.some_value(INTEGERS)
    rhs = b.value(type_of(lhs))
    b.keep(b.add(CmpIOp(b.choose(_PREDICATES), lhs, rhs, b.choose(SIGNEDNESSES))).result)


def _emit_selection(b: Builder) -> None:
    first = b.some_value(_SELECTABLE)
    second = b.value(type_of(first))
    condition = b.value(tile("i1", shape_of(first)))
    b.keep(b.add(SelectOp(condition, first, second)).result)


def _emit_distance(b: Builder) -> None:
    """How many bytes pointers into an array are from its beginning: no address is told."""
    array = b.draft.input(b.choose(MEMORY_ELEMENTS))
    offsets = below(b, b.some_value(WIDE_INTEGERS), INPUT_COUNT)
    integers = addresses(b, spread_pointers(b, array, offsets))
    start = b.spread(addresses(b, array), shape_of(offsets))
    b.keep(b.add(SubIOp(integers, start)).result)


ROWS: Rows = {
    CmpFOp: Row(1.5, _emit_float_comparison),
    CmpIOp: Row(1.5, _emit_integer_comparison),
    OffsetOp: Row(1, _emit_distance),
    SelectOp: Row(1.5, _emit_selection),
}
