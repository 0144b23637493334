"""Elementwise arithmetic of `nv_tileaa`."""

from __future__ import annotations

from tileir_xdsl.dialects.nv_tileaa import arithmetic
from tileir_xdsl.dialects.nv_tileaa.attributes import ComparisonPredicate
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.element_types import element_of, float_format_of
from tileir_xdsl.interpreters.numerics import Array, RoundingMode
from tileir_xdsl.interpreters.registration import PureTable

PREDICATES: dict[ComparisonPredicate, tuple[str, bool]] = {
    ComparisonPredicate.EQ: ("equal", True),
    ComparisonPredicate.NE: ("not_equal", True),
    ComparisonPredicate.SLT: ("less_than", True),
    ComparisonPredicate.SLE: ("less_than_or_equal", True),
    ComparisonPredicate.SGT: ("greater_than", True),
    ComparisonPredicate.SGE: ("greater_than_or_equal", True),
    ComparisonPredicate.ULT: ("less_than", False),
    ComparisonPredicate.ULE: ("less_than_or_equal", False),
    ComparisonPredicate.UGT: ("greater_than", False),
    ComparisonPredicate.UGE: ("greater_than_or_equal", False),
}
"""Predicate -> relation, and whether the operands are signed."""


def _add_floats(op: arithmetic.AddFOp, lhs: Array, rhs: Array) -> Array:
    mode = RoundingMode(op.rounding_mode.data.value)
    fmt = float_format_of(op.result.type)
    return floats.add(lhs, rhs, fmt, mode, flush=op.flush_to_zero is not None)


def _compare_integers(op: arithmetic.CmpIOp, lhs: Array, rhs: Array) -> Array:
    predicate, signed = PREDICATES[op.predicate.data]
    return integers.compare(predicate, lhs, rhs, signed)


def _sign_extend(op: arithmetic.ExtSIOp, source: Array) -> Array:
    return integers.extend(source, element_of(op.result.type).dtype, signed=True)


def _zero_extend(op: arithmetic.ExtUIOp, source: Array) -> Array:
    return integers.extend(source, element_of(op.result.type).dtype, signed=False)


ARITHMETIC: PureTable = {
    arithmetic.AddFOp: _add_floats,
    arithmetic.AddIOp: without_op(integers.add),
    arithmetic.CmpIOp: _compare_integers,
    arithmetic.ExtSIOp: _sign_extend,
    arithmetic.ExtUIOp: _zero_extend,
}
