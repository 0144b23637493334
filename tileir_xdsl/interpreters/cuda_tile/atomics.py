"""Atomic operations of `cuda_tile`: each element is a separate transaction.

Tile blocks run one after another, so semantics and scope have no effect here. Elements of one
operation at the same address are processed in row-major order.
"""

from __future__ import annotations

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.cuda_tile.pointer_accesses import ordering_of
from tileir_xdsl.interpreters.cuda_tile.views import accessed_tile
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.modifications import compare_and_swap, modify
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import tile_addresses


def _read_modify_write(
    execution: Execution, op: dialect.AtomicRMWTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    element, mask = pointee_of(op.pointers.type), operands.optional(op.mask)
    pointers, arg = operands[op.pointers], operands[op.arg]
    if execution.undefined is not None:
        execution.undefined.note_mask(op, mask)

    def action() -> Array:
        return modify(execution.memory, op.mode.value, pointers, arg, element, mask)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _compare_and_swap(
    execution: Execution, op: dialect.AtomicCASTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    element, mask = pointee_of(op.pointers.type), operands.optional(op.mask)
    pointers, compared = operands[op.pointers], operands[op.cmp]
    replacement = operands[op.val]

    def action() -> Array:
        memory = execution.memory
        return compare_and_swap(memory, pointers, compared, replacement, element, mask)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _reduce_view(
    execution: Execution, op: dialect.AtomicRedViewTkoOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    view, indices = accessed_tile(execution, op, operands)
    addresses, mask = tile_addresses(view, indices)
    value, element = operands[op.value], view.tensor.element

    def action() -> None:
        modify(execution.memory, op.mode.value, addresses, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


ATOMICS: StatefulTable = {
    dialect.AtomicCASTkoOp: _compare_and_swap,
    dialect.AtomicRedViewTkoOp: _reduce_view,
    dialect.AtomicRMWTkoOp: _read_modify_write,
}
