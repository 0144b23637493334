"""Pointers, accesses through tiles of pointers, tokens."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa import memory
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import TOKEN, Execution, Token
from tileir_xdsl.interpreters.memory import element_addresses
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _add_to_pointers(op: memory.AddPtrOp, pointers: Array, offsets: Array) -> Array:
    return element_addresses(pointers, offsets, pointee_of(op.pointer.type))


def token(_execution: Execution, _op: Operation, *_tokens: Token) -> PythonValues:
    """A token, whatever came before."""
    return (TOKEN,)


def load(execution: Execution, op: memory.LoadThroughPointersOp, *values: object) -> PythonValues:
    """The elements behind a tile of pointers, masked ones replaced; and a token if asked for."""
    operands = Operands(op, values)
    mask, other = operands.optional(op.mask), operands.optional(op.other)
    element = pointee_of(op.pointers.type)
    loaded = execution.memory.load(operands[op.pointers], element, mask)
    if mask is not None and other is not None:
        loaded = np.where(mask, loaded, other)
    return (loaded, TOKEN)[: len(op.results)]


def store(execution: Execution, op: memory.StoreThroughPointersOp, *values: object) -> PythonValues:
    """Writes a tile through a tile of pointers."""
    operands = Operands(op, values)
    mask, element = operands.optional(op.mask), pointee_of(op.pointers.type)
    execution.memory.store(operands[op.pointers], operands[op.value], element, mask)
    return (TOKEN,)[: len(op.results)]


POINTERS: PureTable = {memory.AddPtrOp: _add_to_pointers}

MEMORY: StatefulTable = {
    memory.CreateMemTokenOp: token,
    memory.JoinMemTokenOp: token,
    memory.LoadOp: load,
    memory.StoreOp: store,
}
