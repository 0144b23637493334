"""Loads and stores of `cuda_tile` through tiles of pointers, and tokens."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import TOKEN, Execution, Token
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable


def _token(_execution: Execution, _op: Operation, *_tokens: Token) -> PythonValues:
    return (TOKEN,)


def _load(execution: Execution, op: dialect.LoadPtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    mask, padding = operands.optional(op.mask), operands.optional(op.padding_value)
    loaded = execution.memory.load(operands[op.source], pointee_of(op.source.type), mask)
    if mask is not None and padding is not None:
        loaded = np.where(mask, loaded, padding)
    return loaded, TOKEN


def _store(execution: Execution, op: dialect.StorePtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    mask, element = operands.optional(op.mask), pointee_of(op.destination.type)
    execution.memory.store(operands[op.destination], operands[op.value], element, mask)
    return (TOKEN,)


def _allocate(execution: Execution, op: dialect.AllocaOp) -> PythonValues:
    size = pointee_of(op.result.type).bits // 8 * op.num_elem.value.data
    # All bits set: reading what was never written gives NaN.
    data = np.full(size, 0xFF, np.uint8)
    address = execution.memory.allocate(f"an allocation of '{op.name}'", data)
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
}
