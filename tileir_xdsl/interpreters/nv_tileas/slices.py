"""Local buffers of tiles, and slices of tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.slices import ExtractOp, InsertOp, SliceOp
from tileir_xdsl.interpreters.buffers import new_buffer
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileas.async_work import Work
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _allocate(_execution: Execution, op: dialect.AllocTensorOp) -> PythonValues:
    return (new_buffer(op.result.type),)


def _positions(op: SliceOp, operands: Operands, extents: tuple[int, ...]) -> Any:
    """The index arrays of a slice. Raises `ExecutionError` for a slice that exceeds the tile."""
    part = op.slice
    axes: list[Array] = []
    for extent, *bounds in zip(extents, part.offsets, part.sizes, part.strides, strict=True):
        offset, size, stride = (x if isinstance(x, int) else int(operands[x]) for x in bounds)
        axis = offset + np.arange(size) * stride
        if size < 0 or (axis < 0).any() or (axis >= extent).any():
            raise ExecutionError(
                f"a slice of {size} elements from {offset} on, with stride {stride}, exceeds a "
                f"dimension of extent {extent}"
            )
        axes.append(axis)
    return np.ix_(*axes)


def _extract(op: ExtractOp, source: Array, *indices: Array) -> Array:
    return source[_positions(op, Operands(op, (source, *indices)), source.shape)]


def _insert(op: InsertOp, source: Array, destination: Array, *indices: Array) -> Array:
    operands = Operands(op, (source, destination, *indices))
    result = destination.copy()
    result[_positions(op, operands, destination.shape)] = source
    return result


def _extract_async(
    _execution: Execution, op: dialect.AsyncExtractSliceOp, source: Work, *indices: Array
) -> PythonValues:
    return (Work(lambda: _extract(op, *wait_for((source.finish(),)), *indices)),)


def _insert_async(
    _execution: Execution,
    op: dialect.AsyncInsertSliceOp,
    source: Work | Array,
    destination: Work,
    *indices: Array,
) -> PythonValues:
    def finish() -> Array:
        tile = source.finish() if isinstance(source, Work) else source
        return _insert(op, *wait_for((tile, destination.finish())), *indices)

    return (Work(finish),)


SLICES: PureTable = {dialect.ExtractSliceOp: _extract, dialect.InsertSliceOp: _insert}

STORAGE: StatefulTable = {
    dialect.AllocTensorOp: _allocate,
    dialect.AsyncExtractSliceOp: _extract_async,
    dialect.AsyncInsertSliceOp: _insert_async,
}
"""The ops that create buffers or asynchronous work."""
