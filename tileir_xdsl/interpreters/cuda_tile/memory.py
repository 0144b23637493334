"""Loads and stores of `cuda_tile` through tiles of pointers, and tokens."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects.cuda_tile import memory
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import TOKEN, Execution, Token
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable


def _token(_execution: Execution, _op: Operation, *_tokens: Token) -> PythonValues:
    return (TOKEN,)


def _load(execution: Execution, op: memory.LoadPtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    mask, padding = operands.optional(op.mask), operands.optional(op.padding_value)
    loaded = execution.memory.load(operands[op.source], pointee_of(op.source.type), mask)
    if mask is not None and padding is not None:
        loaded = np.where(mask, loaded, padding)
    return loaded, TOKEN


def _store(execution: Execution, op: memory.StorePtrTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    mask, element = operands.optional(op.mask), pointee_of(op.destination.type)
    execution.memory.store(operands[op.destination], operands[op.value], element, mask)
    return (TOKEN,)


MEMORY: StatefulTable = {
    memory.JoinTokensOp: _token,
    memory.LoadPtrTkoOp: _load,
    memory.MakeTokenOp: _token,
    memory.StorePtrTkoOp: _store,
}
