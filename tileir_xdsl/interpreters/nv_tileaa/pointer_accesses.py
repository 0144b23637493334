"""Pointers, accesses through tiles of pointers, and tokens of `nv_tileaa`."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.interpreters.accesses import Ordering, Token, join_tokens
from tileir_xdsl.interpreters.address_space import move_pointers
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_signed
from tileir_xdsl.interpreters.modifications import compare_and_swap, modify
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE, Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _add_to_pointers(op: dialect.AddPtrOp, pointers: Array, offsets: Array) -> Array:
    return move_pointers(pointers, as_signed(offsets), pointee_of(op.pointer.type))


def ordering_of(op: Any) -> Ordering:
    """The ordering semantics and scope of a memory operation, with scope names of `cuda_tile`."""
    scope = None if op.mem_scope is None else op.mem_scope.data.value
    return Ordering(op.mem_semantic.data.value, "device" if scope == "gpu" else scope)


def token(_execution: Execution, _op: Operation, *tokens: Token) -> PythonValues:
    """A token that waits for all of `tokens`."""
    return (join_tokens(tokens),)


def load(execution: Execution, op: LoadThroughPointersOp, *values: object) -> PythonValues:
    """Loads the elements at a tile of pointers, masked ones replaced; and a token if used."""
    operands = Operands(op, values)
    mask, other = operands.optional(op.mask), operands.optional(op.other)
    pointers, element = operands[op.pointers], pointee_of(op.pointers.type)

    def action() -> Array:
        loaded = execution.memory.load(pointers, element, mask)
        return loaded if mask is None or other is None else np.where(mask, loaded, other)

    results = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return results[: len(op.results)]


def store(execution: Execution, op: StoreThroughPointersOp, *values: object) -> PythonValues:
    """Stores a tile through a tile of pointers; returns a token if the op has one."""
    operands = Operands(op, values)
    pointers, value = operands[op.pointers], operands[op.value]
    mask, element = operands.optional(op.mask), pointee_of(op.pointers.type)

    def action() -> None:
        execution.memory.store(pointers, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)[: len(op.results)]


def _allocate(execution: Execution, op: dialect.AllocaOp) -> PythonValues:
    name, count = f"an allocation of '{op.name}'", op.num_elements.value.data
    address = execution.memory.reserve(name, count, pointee_of(op.result.type))
    return (np.asarray(address, ADDRESS_DTYPE),)


def _read_modify_write(
    execution: Execution, op: dialect.AtomicRMWOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    pointers, value = operands[op.pointers], operands[op.value]
    mask, element = operands.optional(op.mask), pointee_of(op.pointers.type)

    def action() -> Array:
        mode = op.rmw_mode.data.value
        return modify(execution.memory, mode, pointers, value, element, mask)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def _compare_and_swap(
    execution: Execution, op: dialect.AtomicCASOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    pointers, compared = operands[op.pointers], operands[op.compare]
    replacement = operands[op.replacement]
    mask, element = operands.optional(op.mask), pointee_of(op.pointers.type)

    def action() -> Array:
        memory = execution.memory
        return compare_and_swap(memory, pointers, compared, replacement, element, mask)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


POINTERS: PureTable = {dialect.AddPtrOp: _add_to_pointers}

MEMORY: StatefulTable = {
    dialect.AllocaOp: _allocate,
    dialect.AtomicCASOp: _compare_and_swap,
    dialect.AtomicRMWOp: _read_modify_write,
    dialect.CreateMemTokenOp: token,
    dialect.GdcLaunchDependentsOp: token,
    dialect.GdcWaitOp: token,
    dialect.JoinMemTokenOp: token,
    dialect.LoadOp: load,
    dialect.MemoryFenceAliasOp: token,
    dialect.StoreOp: store,
}
