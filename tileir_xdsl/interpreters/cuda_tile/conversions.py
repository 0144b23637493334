"""Conversions between the element types of `cuda_tile`."""

from __future__ import annotations

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.element_types import element_of, float_format_of
from tileir_xdsl.interpreters.modifiers import convert_float, float_to_integer
from tileir_xdsl.interpreters.numerics import Array, from_bits, ieee_mode, to_bits
from tileir_xdsl.interpreters.registration import PureTable


def _same_value(source: Array) -> Array:
    return source


def _bitcast(op: dialect.BitcastOp, source: Array) -> Array:
    bits = to_bits(source, element_of(op.source.type))
    return from_bits(bits, element_of(op.result.type))


def _extend(op: dialect.ExtIOp, source: Array) -> Array:
    return integers.extend(source, element_of(op.result.type).dtype, is_signed(op.signedness))


def _truncate(op: dialect.TruncIOp, source: Array) -> Array:
    return integers.wrap(source, element_of(op.result.type).dtype)


def _integer_to_float(op: dialect.IToFOp, source: Array) -> Array:
    fmt = float_format_of(op.result.type)
    mode = ieee_mode(op.rounding_mode.data.value)
    return floats.from_integer(source, fmt, is_signed(op.signedness), mode)


CONVERSIONS: PureTable = {
    dialect.BitcastOp: _bitcast,
    dialect.ExtIOp: _extend,
    dialect.FToFOp: convert_float,
    dialect.FToIOp: float_to_integer,
    dialect.IntToPtrOp: without_op(_same_value),
    dialect.IToFOp: _integer_to_float,
    dialect.PtrToIntOp: without_op(_same_value),
    dialect.PtrToPtrOp: without_op(_same_value),
    dialect.TruncIOp: _truncate,
}
