"""Pointers, accesses through tiles of pointers, tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa import memory
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.memory import element_addresses
from tileir_xdsl.interpreters.memory_order import Ordering, Token, join_tokens
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _add_to_pointers(op: memory.AddPtrOp, pointers: Array, offsets: Array) -> Array:
    return element_addresses(pointers, offsets, pointee_of(op.pointer.type))


def ordering_of(op: Any) -> Ordering:
    """The ordering semantics and scope of a memory operation, scopes named as in `cuda_tile`."""
    scope = None if op.mem_scope is None else op.mem_scope.data.value
    return Ordering(op.mem_semantic.data.value, "device" if scope == "gpu" else scope)


def token(_execution: Execution, _op: Operation, *tokens: Token) -> PythonValues:
    """A token that waits for all of `tokens`."""
    return (join_tokens(tokens),)


def load(execution: Execution, op: memory.LoadThroughPointersOp, *values: object) -> PythonValues:
    """The elements behind a tile of pointers, masked ones replaced; and a token if asked for."""
    operands = Operands(op, values)
    mask, other = operands.optional(op.mask), operands.optional(op.other)
    pointers, element = operands[op.pointers], pointee_of(op.pointers.type)

    def action() -> Array:
        loaded = execution.memory.load(pointers, element, mask)
        return loaded if mask is None or other is None else np.where(mask, loaded, other)

    results = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return results[: len(op.results)]


def store(execution: Execution, op: memory.StoreThroughPointersOp, *values: object) -> PythonValues:
    """Writes a tile through a tile of pointers; a token if asked for."""
    operands = Operands(op, values)
    pointers, value = operands[op.pointers], operands[op.value]
    mask, element = operands.optional(op.mask), pointee_of(op.pointers.type)

    def action() -> None:
        execution.memory.store(pointers, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)[: len(op.results)]


POINTERS: PureTable = {memory.AddPtrOp: _add_to_pointers}

MEMORY: StatefulTable = {
    memory.CreateMemTokenOp: token,
    memory.JoinMemTokenOp: token,
    memory.LoadOp: load,
    memory.StoreOp: store,
}
