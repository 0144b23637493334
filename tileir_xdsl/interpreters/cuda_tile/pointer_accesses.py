"""Loads and stores of `cuda_tile` through tiles of pointers, and tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.accesses import Ordering, Token, join_tokens
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE, Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable


def ordering_of(op: Any) -> Ordering:
    """The ordering semantics and scope of a memory operation."""
    scope = op.memory_scope
    return Ordering(op.memory_ordering_semantics.value, None if scope is None else scope.value)


def _token(_execution: Execution, _op: Operation, *tokens: Token) -> PythonValues:
    return (join_tokens(tokens),)


def _load(execution: Execution, op: dialect.LoadPtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    mask, padding = operands.optional(op.mask), operands.optional(op.padding_value)
    pointers, element = operands[op.source], pointee_of(op.source.type)
    if padding is None and execution.undefined is not None:
        execution.undefined.note_mask(op, mask)

    def action() -> Array:
        loaded = execution.memory.load(pointers, element, mask)
        return loaded if mask is None or padding is None else np.where(mask, loaded, padding)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _store(execution: Execution, op: dialect.StorePtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    pointers, value = operands[op.destination], operands[op.value]
    mask, element = operands.optional(op.mask), pointee_of(op.destination.type)

    def action() -> None:
        execution.memory.store(pointers, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


def _allocate(execution: Execution, op: dialect.AllocaOp) -> PythonValues:
    name, count = f"an allocation of '{op.name}'", op.num_elem.value.data
    if execution.undefined is not None:
        execution.undefined.loads.add(op)
    address = execution.memory.reserve(name, count, pointee_of(op.result.type))
    return (np.asarray(address, ADDRESS_DTYPE),)


MEMORY: StatefulTable = {
    dialect.AllocaOp: _allocate,
    dialect.GdcLaunchDependentsTkoOp: _token,
    dialect.GdcWaitTkoOp: _token,
    dialect.JoinTokensOp: _token,
    dialect.LoadPtrTkoOp: _load,
    dialect.MakeTokenOp: _token,
    dialect.MemoryFenceAliasTkoOp: _token,
    dialect.StorePtrTkoOp: _store,
    dialect.TokenJoinOp: _token,
}
