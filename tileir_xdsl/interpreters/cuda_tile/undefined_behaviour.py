"""Undefined behaviour of `cuda_tile` ops, which strict mode reports before the op runs.

Without strict mode, an op does what NVIDIA hardware does. Out-of-bounds accesses, nonexistent
slices, steps that are not positive and broken `inbounds` promises are errors in every mode, and not
checked here. Sources: Tile IR specification, section 8, the warnings of each op, and shifts by the
width or more. For tiles outside of a view's index space: cuTile's documentation of `load` and
`store`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.dialects.cuda_tile.attributes import (
    AssumePredicateAttr,
    BoundedAttr,
    DivByAttr,
    SameElementsAttr,
)
from tileir_xdsl.dialects.cuda_tile.enums import IntegerOverflow
from tileir_xdsl.interpreters.cuda_tile.blocks import CheckTable
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.cuda_tile.views import AccessOp
from tileir_xdsl.interpreters.element_types import element_of, pointee_of
from tileir_xdsl.interpreters.errors import UndefinedError
from tileir_xdsl.interpreters.integer_operations import as_signed, as_unsigned, width_of
from tileir_xdsl.interpreters.numerics import POINTER, Array, to_double
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.undefined_notes import outside_tile
from tileir_xdsl.interpreters.views import TensorView, TileView

_ADDRESS_BITS = 64

_SIGNED = (IntegerOverflow.NO_SIGNED_WRAP, IntegerOverflow.NO_WRAP)
_UNSIGNED = (IntegerOverflow.NO_UNSIGNED_WRAP, IntegerOverflow.NO_WRAP)


def _refuse(wrong: Array, message: str) -> None:
    """Raises `UndefinedError` for the first element that is `wrong`."""
    wrong = np.asarray(wrong, np.bool_)
    if wrong.any():
        index = [int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape)]
        where = f"element {index} " if index else ""
        raise UndefinedError(f"undefined behaviour: {where}{message}")


def _outside(exact: Array, width: int, signed: bool) -> Array:
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    return (exact < low) | (exact >= high)


def _exactly(function: Callable[..., Any]) -> Callable[..., None]:
    """Makes a check that the exact result fits the type, as the op's overflow flag promises."""

    def check(op: Any, *operands: Array) -> None:
        overflow, width = op.overflow.data, width_of(operands[0])
        for flags, read, signed in ((_SIGNED, as_signed, True), (_UNSIGNED, as_unsigned, False)):
            if overflow in flags:
                exact = function(*(read(operand).astype(object) for operand in operands))
                kind = "signed" if signed else "unsigned"
                _refuse(_outside(exact, width, signed), f"wraps around as {kind} integer")

    return check


def _negate(op: dialect.NegIOp, source: Array) -> None:
    # As unsigned numbers all but 0 wrap around, which nothing promises.
    if op.overflow.data in _SIGNED:
        exact = -as_signed(source).astype(object)
        _refuse(_outside(exact, width_of(source), True), "wraps around as signed integer")


def _shift_left(op: dialect.ShLIOp, lhs: Array, rhs: Array) -> None:
    _shift_amount(op, lhs, rhs)
    amount = as_unsigned(rhs).astype(object)

    def shifted(value: Any) -> Any:
        return value << amount

    _exactly(shifted)(op, lhs)


def _shift_amount(_op: Operation, lhs: Array, rhs: Array) -> None:
    _refuse(as_unsigned(rhs) >= width_of(lhs), f"is shifted by {width_of(lhs)} bits or more")


def _divide(op: dialect.DivIOp, lhs: Array, rhs: Array) -> None:
    _divide_by_zero(op, lhs, rhs)
    if is_signed(op.signedness):
        minimum = -(1 << (width_of(lhs) - 1))
        overflows = (as_signed(lhs) == minimum) & (as_signed(rhs) == -1)
        _refuse(overflows, f"is {minimum} divided by -1")


def _divide_by_zero(_op: Operation, _lhs: Array, rhs: Array) -> None:
    _refuse(as_unsigned(rhs) == 0, "is divided by zero")


def _truncate(op: dialect.TruncIOp, source: Array) -> None:
    width = width_of(np.zeros(0, element_of(op.result.type).dtype))
    if op.overflow.data in _SIGNED:
        _refuse(_outside(as_signed(source), width, True), f"loses signed bits as i{width}")
    if op.overflow.data in _UNSIGNED:
        _refuse(as_unsigned(source) >= 1 << width, f"loses unsigned bits as i{width}")


def _access(op: AccessOp, *operands: Any) -> None:
    values = Operands(op, operands)
    indices = [as_unsigned(index) for index in values.several(op.indices)]
    if (tile := outside_tile(values[op.view], indices)) is not None:
        raise UndefinedError(f"undefined behaviour: {tile}")


def _float_to_integer(op: dialect.FToIOp, source: Array) -> None:
    # As an i1 infinity is nonzero, like any other number but 0.
    if element_of(op.result.type).dtype != np.bool_:
        _refuse(np.isinf(to_double(source)), "is infinite")


def _offset(op: dialect.OffsetOp, pointers: Array, offsets: Array) -> None:
    bits = pointee_of(op.result.type).bits
    exact = as_signed(offsets).astype(object) * bits // 8
    _refuse(_outside(exact, _ADDRESS_BITS, True), "overflows in bytes")
    moved = as_unsigned(pointers).astype(object) + exact
    _refuse(_outside(moved, _ADDRESS_BITS, False), "leaves the address space")


def _index_space_shape(op: dialect.GetIndexSpaceShapeOp, view: TileView) -> None:
    _sizes(op, view.index_space())


def _tensor_shape(op: dialect.GetTensorShapeOp, tensor: TensorView) -> None:
    _sizes(op, tensor.shape)


def _sizes(op: Operation, sizes: tuple[int, ...]) -> None:
    element = element_of(op.results[0].type)
    width = width_of(np.zeros(0, element.dtype))
    for dimension, size in enumerate(sizes):
        message = f"dimension {dimension} has {size} elements, too many for {element.name}"
        _refuse(np.asarray(size >= 1 << width), message)


def _assume(op: dialect.AssumeOp, value: Any) -> None:
    if isinstance(value, TensorView):
        value, element = np.asarray(value.base), POINTER
        step = 1
    else:
        element = element_of(op.value.type)
        step = pointee_of(op.value.type).bits // 8 if element is POINTER else 1
    predicate = op.predicate
    assert isinstance(predicate, AssumePredicateAttr)
    match predicate:
        case BoundedAttr():
            _bounded(predicate, as_signed(value))
        case DivByAttr():
            _divisible(predicate, as_signed(value), step)
        case SameElementsAttr():
            _same_elements(predicate, value)
        case _:
            raise TypeError(f"{predicate} is not a predicate of the dialect")


def _bounded(predicate: BoundedAttr, values: Array) -> None:
    low, high = predicate.lower_bound, predicate.upper_bound
    if low is not None:
        _refuse(values < low, f"is less than the assumed bound {low}")
    if high is not None:
        _refuse(values > high, f"is greater than the assumed bound {high}")


def _divisible(predicate: DivByAttr, values: Array, step: int) -> None:
    divisor, every, along = predicate.divisor.data, predicate.every_value, predicate.along_value
    if every == 0:
        # Groups of no elements state nothing.
        return
    if every is None or along is None:
        _refuse(values % divisor != 0, f"is not divisible by {divisor}, as assumed")
        return
    along_first = np.moveaxis(values.astype(object), along, 0)
    positions = np.arange(len(along_first))
    leaders = along_first[positions // every * every]
    inside = (positions % every * step).reshape(-1, *(1,) * (along_first.ndim - 1))
    wrong = (leaders % divisor != 0) | (along_first != leaders + inside)
    message = f"is not part of an ascending group that starts at a multiple of {divisor}"
    _refuse(np.moveaxis(wrong, 0, along), message)


def _same_elements(predicate: SameElementsAttr, values: Array) -> None:
    groups = zip(values.shape, predicate.get_values(), strict=True)
    places = ((np.arange(size), max(1, group)) for size, group in groups)
    leaders = values[np.ix_(*(place // group * group for place, group in places))]
    _refuse(values != leaders, "differs from the first of its group, assumed to be the same")


UNDEFINED_BEHAVIOUR: CheckTable = {
    dialect.AddIOp: _exactly(operator.add),
    dialect.AssumeOp: _assume,
    dialect.AtomicRedViewTkoOp: _access,
    dialect.DivIOp: _divide,
    dialect.FToIOp: _float_to_integer,
    dialect.GetIndexSpaceShapeOp: _index_space_shape,
    dialect.GetTensorShapeOp: _tensor_shape,
    dialect.LoadViewTkoOp: _access,
    dialect.MulIOp: _exactly(operator.mul),
    dialect.MultimemLoadReduceViewTkoOp: _access,
    dialect.MultimemReduceViewTkoOp: _access,
    dialect.MultimemStoreViewTkoOp: _access,
    dialect.NegIOp: _negate,
    dialect.OffsetOp: _offset,
    dialect.RemIOp: _divide_by_zero,
    dialect.ShLIOp: _shift_left,
    dialect.ShRIOp: _shift_amount,
    dialect.StoreViewTkoOp: _access,
    dialect.SubIOp: _exactly(operator.sub),
    dialect.TruncIOp: _truncate,
}
"""Checks of strict mode before an op runs."""
