"""Elementwise arithmetic of `nv_tileaa`."""

from __future__ import annotations

from tileir_xdsl.dialects.nv_tileaa import arithmetic, integer
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.numerics import Array, RoundingMode
from tileir_xdsl.interpreters.registration import PureTable


def _add_floats(op: arithmetic.AddFOp, lhs: Array, rhs: Array) -> Array:
    mode = RoundingMode(op.rounding_mode.data.value)
    fmt = float_format_of(op.result.type)
    return floats.add(lhs, rhs, fmt, mode, flush=op.flush_to_zero is not None)


ARITHMETIC: PureTable = {
    arithmetic.AddFOp: _add_floats,
    integer.AddIOp: without_op(integers.add),
}
