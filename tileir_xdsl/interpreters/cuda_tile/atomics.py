"""Atomic operations of `cuda_tile`: every element in a transaction of its own.

Tile blocks run one after the other, so that semantics and scope change nothing here. Elements of
one operation that share an address follow each other in row-major order.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.cuda_tile.memory import ordering_of
from tileir_xdsl.interpreters.cuda_tile.views import accessed_tile
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array, Element, FloatFormat
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import tile_addresses

_INTEGER_MODIFICATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "add": integers.add,
    "and": np.bitwise_and,
    "max": lambda old, arg: integers.maximum(old, arg, signed=True),
    "min": lambda old, arg: integers.minimum(old, arg, signed=True),
    "or": np.bitwise_or,
    "umax": lambda old, arg: integers.maximum(old, arg, signed=False),
    "umin": lambda old, arg: integers.minimum(old, arg, signed=False),
    "xor": np.bitwise_xor,
}

_FLOAT_MODIFICATIONS: dict[str, Callable[[Array, Array, FloatFormat], Array]] = {
    "add": floats.add,
    "addf": floats.add,
    "max": floats.maximum,
    "min": floats.minimum,
}


def _modify(mode: str, element: Element, old: Array, arg: Array) -> Array:
    """The new values of elements that hold `old`; floating-point sums round to nearest even."""
    if mode == "xchg":
        return arg
    if element.float_format is None:
        return _INTEGER_MODIFICATIONS[mode](old, arg)
    return _FLOAT_MODIFICATIONS[mode](old, arg, element.float_format)


def update(
    execution: Execution,
    mode: str,
    addresses: Array,
    arg: Array,
    element: Element,
    mask: Array | None,
) -> Array:
    """Change the elements at `addresses` by an atomic mode; returns the old ones."""
    args = arg.reshape(-1)

    def change(old: Array, where: Array) -> Array:
        return _modify(mode, element, old, args[where])

    return execution.memory.update(addresses, change, element, mask)


def _read_modify_write(
    execution: Execution, op: dialect.AtomicRMWTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    element, mask = pointee_of(op.pointers.type), operands.optional(op.mask)
    pointers, arg = operands[op.pointers], operands[op.arg]

    def action() -> Array:
        return update(execution, op.mode.value, pointers, arg, element, mask)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _compare_and_swap(
    execution: Execution, op: dialect.AtomicCASTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    element, mask = pointee_of(op.pointers.type), operands.optional(op.mask)
    bits = np.dtype(f"u{element.dtype.itemsize}")
    pointers, compared = operands[op.pointers], operands[op.cmp]
    wanted, new = compared.reshape(-1), operands[op.val].reshape(-1)

    def change(old: Array, where: Array) -> Array:
        # Floats are compared by their bits.
        return np.where(old.view(bits) == wanted[where].view(bits), new[where], old)

    def action() -> Array:
        old = execution.memory.update(pointers, change, element, mask)
        return old if mask is None else np.where(mask, old, compared)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _reduce_view(
    execution: Execution, op: dialect.AtomicRedViewTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    view, indices = accessed_tile(op, operands)
    addresses, mask = tile_addresses(view, indices)
    value, element = operands[op.value], view.tensor.element

    def action() -> None:
        update(execution, op.mode.value, addresses, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


ATOMICS: StatefulTable = {
    dialect.AtomicCASTkoOp: _compare_and_swap,
    dialect.AtomicRedViewTkoOp: _reduce_view,
    dialect.AtomicRMWTkoOp: _read_modify_write,
}
