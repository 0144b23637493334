"""Core operations of `cuda_tile`: sources of values, shapes, matrix products."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects.cuda_tile import core
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.execution import Coordinates, Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _constant(op: core.ConstantOp) -> Array:
    return op.value.to_numpy()


def _iota(op: core.IotaOp) -> Array:
    (length,) = shape_of(op.result.type)
    return np.arange(length, dtype=np.uint64).astype(element_of(op.result.type).dtype)


def _scalars(coordinates: Coordinates) -> PythonValues:
    return tuple(np.asarray(c, np.int32) for c in coordinates)


def _tile_block_id(execution: Execution, op: core.GetTileBlockIdOp) -> PythonValues:
    return _scalars(execution.block)


def _num_tile_blocks(execution: Execution, op: core.GetNumTileBlocksOp) -> PythonValues:
    return _scalars(execution.grid)


CORE: PureTable = {core.ConstantOp: _constant, core.IotaOp: _iota}

GRID: StatefulTable = {
    core.GetTileBlockIdOp: _tile_block_id,
    core.GetNumTileBlocksOp: _num_tile_blocks,
}
