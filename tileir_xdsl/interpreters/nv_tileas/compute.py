"""Synchronous and asynchronous mma, and reductions and scans along one dimension."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import Float4E2M1FNType
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.interpreters.buffers import tiles_of
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.collectives import reduce, scan
from tileir_xdsl.interpreters.nv_tileaa.matrix import mma
from tileir_xdsl.interpreters.nv_tileas.async_work import finished, start
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, RegionTable, StatefulTable
from tileir_xdsl.interpreters.tile_operations import reinterpret_bits


def _dot(op: MMAOp, *values: Array) -> Array:
    operands = Operands(op, values)
    a, b = operands[op.a], operands[op.b]
    if op.has_pairs:
        a, b = _numbers(a, -1), _numbers(b, -2)
    return mma(
        op.accumulator_type,
        a,
        b,
        operands[op.c],
        operands.several(op.scales),
        (op.signedness_a, op.signedness_b),
        None if op.input_precision is None else op.input_precision.data,
    )


def _numbers(pairs: Array, axis: int) -> Array:
    """Unpacks 4-bit numbers from bytes: twice as many along an axis."""
    element, rows = element_of(Float4E2M1FNType()), np.moveaxis(pairs, axis, -1)
    shape = (*rows.shape[:-1], 2 * rows.shape[-1])
    numbers = reinterpret_bits(np.ascontiguousarray(rows), 8, element, 4, shape)
    return np.moveaxis(numbers, -1, axis)


def _wgmma(op: dialect.WgmmaOp, a: Array, b: Array, c: Array) -> Array:
    return mma(op.c.type, a, b, c, (), (op.signedness_a, op.signedness_b), None)


def _async_dot(execution: Execution, op: dialect.AsyncDotOp, *values: object) -> PythonValues:
    """Starts an asynchronous mma, which reads the contents that buffers have when it executes."""

    def work() -> Array:
        return _dot(op, *tiles_of([finished(value) for value in values]))

    return (start(execution, op, work),)


MMA_OPS: PureTable = {dialect.DotOp: _dot, dialect.WgmmaOp: _wgmma}

ASYNC_MMA_OPS: StatefulTable = {dialect.AsyncDotOp: _async_dot}

COLLECTIVES: RegionTable = {dialect.ReduceOp: reduce, dialect.ScanOp: scan}
