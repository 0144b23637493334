"""`arith` ops on numpy values: scalars are rank-0 arrays, tensors are arrays, `index` is 64 bits.

xDSL's own functions compute on Python numbers; those here wrap, round and compare as the types say.
Floating-point ops round to nearest even; fast-math flags have no effect.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from tileir_xdsl.dialects.arith import OPERATIONS
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.element_types import (
    constant_value,
    element_of,
    float_format_of,
)
from tileir_xdsl.interpreters.integer_operations import Division
from tileir_xdsl.interpreters.numerics import Array, FloatFormat, to_double
from tileir_xdsl.interpreters.registration import PureTable

INTEGER_PREDICATES: tuple[tuple[str, bool], ...] = (
    ("equal", True),
    ("not_equal", True),
    ("less_than", True),
    ("less_than_or_equal", True),
    ("greater_than", True),
    ("greater_than_or_equal", True),
    ("less_than", False),
    ("less_than_or_equal", False),
    ("greater_than", False),
    ("greater_than_or_equal", False),
)
"""For each predicate number of `arith.cmpi`: the relation, and whether operands are signed."""

FLOAT_PREDICATES: tuple[tuple[str | bool, bool], ...] = (
    (False, False),
    ("equal", True),
    ("greater_than", True),
    ("greater_than_or_equal", True),
    ("less_than", True),
    ("less_than_or_equal", True),
    ("not_equal", True),
    ("ordered", True),
    ("equal", False),
    ("greater_than", False),
    ("greater_than_or_equal", False),
    ("less_than", False),
    ("less_than_or_equal", False),
    ("not_equal", False),
    ("unordered", False),
    (True, False),
)
"""For each predicate number of `arith.cmpf`: relation or constant, and whether it is ordered."""


def without_op(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts a function of the operands to a function of op and operands."""

    def run(_op: Operation, *operands: Array) -> Array:
        return function(*operands)

    return run


def of_format(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts a function of operands and float format to a function of op and operands."""

    def run(op: Operation, *operands: Array) -> Array:
        return function(*operands, float_format_of(op.results[0].type))

    return run


def _by_sign(function: Callable[..., Array], signed: bool) -> Callable[..., Array]:
    def run(_op: Operation, *operands: Array) -> Array:
        return function(*operands, signed)

    return run


def _divide_rounding(rounding: Division, signed: bool) -> Callable[..., Array]:
    def run(_op: Operation, lhs: Array, rhs: Array) -> Array:
        return integers.divide(lhs, rhs, signed, rounding)

    return run


def _maximum(lhs: Array, rhs: Array, fmt: FloatFormat) -> Array:
    return floats.maximum(lhs, rhs, fmt, propagate_nan=True)


def _minimum(lhs: Array, rhs: Array, fmt: FloatFormat) -> Array:
    return floats.minimum(lhs, rhs, fmt, propagate_nan=True)


def _constant(op: arith.ConstantOp) -> Array:
    return constant_value(op.value, op.result.type)


def _compare_integers(op: arith.CmpiOp, lhs: Array, rhs: Array) -> Array:
    predicate, signed = INTEGER_PREDICATES[_number(op.predicate)]
    return integers.compare(predicate, lhs, rhs, signed)


def _compare_floats(op: arith.CmpfOp, lhs: Array, rhs: Array) -> Array:
    predicate, ordered = FLOAT_PREDICATES[_number(op.predicate)]
    if isinstance(predicate, bool):
        return np.full(np.broadcast_shapes(lhs.shape, rhs.shape), predicate)
    return floats.compare(predicate, lhs, rhs, ordered)


def _number(predicate: IntegerAttr) -> int:
    return predicate.value.data


def _bitcast(op: arith.BitcastOp, source: Array) -> Array:
    return source.view(element_of(op.result.type).dtype)


def _wrap_to_result(op: Operation, source: Array) -> Array:
    return integers.wrap(source, element_of(op.results[0].type).dtype)


def _extend(signed: bool) -> Callable[..., Array]:
    def run(op: Operation, source: Array) -> Array:
        return integers.extend(source, element_of(op.results[0].type).dtype, signed)

    return run


def _index_cast(op: arith.IndexCastOp, source: Array) -> Array:
    return integers.wrap(integers.as_signed(source), element_of(op.result.type).dtype)


def _to_integer(signed: bool) -> Callable[..., Array]:
    def run(op: Operation, source: Array) -> Array:
        dtype = element_of(op.results[0].type).dtype
        return integers.from_float(to_double(source), dtype, signed)

    return run


def _from_integer(signed: bool) -> Callable[..., Array]:
    def run(op: Operation, source: Array) -> Array:
        return floats.from_integer(source, float_format_of(op.results[0].type), signed)

    return run


def convert_float(op: Operation, source: Array) -> Array:
    """Converts to another float format, rounding to nearest even."""
    return floats.convert(
        source, float_format_of(op.operands[0].type), float_format_of(op.results[0].type)
    )


STOCK_ARITH: PureTable = {
    arith.ConstantOp: _constant,
    arith.AddiOp: without_op(integers.add),
    arith.SubiOp: without_op(integers.subtract),
    arith.MuliOp: without_op(integers.multiply),
    arith.DivUIOp: _by_sign(integers.divide, signed=False),
    arith.DivSIOp: _by_sign(integers.divide, signed=True),
    arith.FloorDivSIOp: _divide_rounding(Division.NEGATIVE_INF, signed=True),
    arith.CeilDivSIOp: _divide_rounding(Division.POSITIVE_INF, signed=True),
    arith.CeilDivUIOp: _divide_rounding(Division.POSITIVE_INF, signed=False),
    arith.RemUIOp: _by_sign(integers.remainder, signed=False),
    arith.RemSIOp: _by_sign(integers.remainder, signed=True),
    arith.MinSIOp: _by_sign(integers.minimum, signed=True),
    arith.MaxSIOp: _by_sign(integers.maximum, signed=True),
    arith.MinUIOp: _by_sign(integers.minimum, signed=False),
    arith.MaxUIOp: _by_sign(integers.maximum, signed=False),
    arith.AndIOp: without_op(np.bitwise_and),
    arith.OrIOp: without_op(np.bitwise_or),
    arith.XOrIOp: without_op(np.bitwise_xor),
    arith.ShLIOp: without_op(integers.shift_left),
    arith.ShRUIOp: _by_sign(integers.shift_right, signed=False),
    arith.ShRSIOp: _by_sign(integers.shift_right, signed=True),
    arith.AddfOp: of_format(floats.add),
    arith.SubfOp: of_format(floats.subtract),
    arith.MulfOp: of_format(floats.multiply),
    arith.DivfOp: of_format(floats.divide),
    arith.NegfOp: without_op(floats.negate),
    arith.MinimumfOp: of_format(_minimum),
    arith.MaximumfOp: of_format(_maximum),
    arith.MinnumfOp: of_format(floats.minimum),
    arith.MaxnumfOp: of_format(floats.maximum),
    arith.CmpiOp: _compare_integers,
    arith.CmpfOp: _compare_floats,
    arith.SelectOp: without_op(np.where),
    arith.BitcastOp: _bitcast,
    arith.IndexCastOp: _index_cast,
    arith.FPToSIOp: _to_integer(signed=True),
    arith.FPToUIOp: _to_integer(signed=False),
    arith.SIToFPOp: _from_integer(signed=True),
    arith.UIToFPOp: _from_integer(signed=False),
    arith.ExtFOp: convert_float,
    arith.TruncFOp: convert_float,
    arith.TruncIOp: _wrap_to_result,
    arith.ExtSIOp: _extend(signed=True),
    arith.ExtUIOp: _extend(signed=False),
}
"""The ops of xDSL's `arith` with one result."""

ARITH: PureTable = STOCK_ARITH | {
    op: function
    for op in OPERATIONS
    for base, function in STOCK_ARITH.items()
    if issubclass(op, base)
}
"""`STOCK_ARITH`, and the ops of this package that replace xDSL's."""
