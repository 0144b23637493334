"""Core operations of `cuda_tile`: sources of values, shapes, mma."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _constant(op: dialect.ConstantOp) -> Array:
    return op.value.to_numpy()


def _iota(op: dialect.IotaOp) -> Array:
    (length,) = shape_of(op.result.type)
    return np.arange(length, dtype=np.uint64).astype(element_of(op.result.type).dtype)


def _scalars(coordinates: Coordinates) -> PythonValues:
    return tuple(np.asarray(c, np.int32) for c in coordinates)


def _tile_block_id(execution: Execution, op: dialect.GetTileBlockIdOp) -> PythonValues:
    return _scalars(execution.block)


def _num_tile_blocks(execution: Execution, op: dialect.GetNumTileBlocksOp) -> PythonValues:
    return _scalars(execution.grid)


CORE: PureTable = {dialect.ConstantOp: _constant, dialect.IotaOp: _iota}

GRID: StatefulTable = {
    dialect.GetTileBlockIdOp: _tile_block_id,
    dialect.GetNumTileBlocksOp: _num_tile_blocks,
}
