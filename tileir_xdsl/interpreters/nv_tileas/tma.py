"""Bulk copies of boxes between an object in global memory and buffers.

Coordinates count elements, as the hardware's do, and may be negative; elements outside of the
object are loaded as zero or NaN and not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.tma import TmaTransferOp
from tileir_xdsl.interpreters.buffers import Buffer, tiles_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_signed
from tileir_xdsl.interpreters.memory import element_addresses
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE, Array
from tileir_xdsl.interpreters.nv_tileas.async_work import Work, start
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import TensorView, TileView


@dataclass(frozen=True)
class TensorMap:
    """An object in global memory, the extents of the boxes copied, and what is outside."""

    tensor: TensorView
    box: tuple[int, ...]
    fill: float

    def addresses(self, axes: Sequence[Array]) -> tuple[Array, Array]:
        """The elements at positions along each axis, and which of them the object has."""
        offsets = np.zeros((), np.int64)
        inside = np.ones((), np.bool_)
        for axis, extent, stride in zip(axes, self.tensor.shape, self.tensor.strides, strict=True):
            within = (axis >= 0) & (axis < extent)
            offsets = np.add.outer(offsets, np.where(within, axis, 0) * stride)
            inside = np.logical_and.outer(inside, within)
        base = np.asarray(self.tensor.base, ADDRESS_DTYPE)
        return element_addresses(base, offsets, self.tensor.element), inside


def _make_map(_execution: Execution, op: dialect.MakeTiledTmaDescOp, *values: Any) -> PythonValues:
    operands = Operands(op, values)
    view = operands[op.view]
    tensor = view.tensor if isinstance(view, TileView) else view
    box = tuple(int(extent) for extent in operands.several(op.box_dims))
    if len(box) != len(tensor.shape):
        raise ExecutionError(f"a box of {len(box)} dimensions of an object of {len(tensor.shape)}")
    mode = "zero" if op.oob_mode is None else op.oob_mode.data.value
    if mode == "constant":
        raise ExecutionError("a constant outside of the object is not supported")
    return (TensorMap(tensor, box, float("nan") if mode == "nan" else 0.0),)


def _box(tensor_map: TensorMap, coordinates: Sequence[Array]) -> list[Array]:
    """The positions along each axis; coordinates that are left out are zero."""
    starts = [int(as_signed(c)) for c in coordinates]
    starts = [0] * (len(tensor_map.box) - len(starts)) + starts
    return [start + np.arange(n) for start, n in zip(starts, tensor_map.box, strict=True)]


def _rows(tensor_map: TensorMap, rows: Array, coordinates: Sequence[Array]) -> list[Array]:
    """The rows of a gathered box, and its columns."""
    return [as_signed(rows).astype(np.int64), _box(tensor_map, coordinates)[-1]]


def _reader(
    execution: Execution, tensor_map: TensorMap, axes: Sequence[Array]
) -> Callable[[], Array]:
    addresses, inside = tensor_map.addresses(axes)
    element = tensor_map.tensor.element

    def read() -> Array:
        loaded = execution.memory.load(addresses, element, inside)
        return np.where(inside, loaded, np.asarray(tensor_map.fill).astype(element.dtype))

    return read


def _load(
    execution: Execution,
    op: dialect.AsyncTiledTmaLoadOp | dialect.AsyncGatherTmaLoadOp,
    *values: object,
) -> PythonValues:
    operands = Operands(op, values)
    tensor_map, destination = operands[op.descriptor], operands[op.destination]
    if not isinstance(destination, Buffer):
        raise ExecutionError("loads to a tile that is in no memory")
    coordinates = operands.several(op.coords)
    if isinstance(op, dialect.AsyncGatherTmaLoadOp):
        (rows,) = tiles_of((operands[op.rows],))
        axes = _rows(tensor_map, rows, coordinates)
    else:
        axes = _box(tensor_map, coordinates)
    return (start(execution, op, _reader(execution, tensor_map, axes), destination),)


def _writer(
    execution: Execution,
    op: TmaTransferOp,
    tensor_map: TensorMap,
    axes: Sequence[Array],
    source: object,
) -> Callable[[], None]:
    addresses, inside = tensor_map.addresses(axes)
    element = tensor_map.tensor.element
    atom = op.atom.copy_atom
    reduction = "" if atom is None else atom.reduction

    def write() -> None:
        (tile,) = tiles_of((source,))
        if tile.shape != addresses.shape:
            raise ExecutionError(
                f"a box of {list(addresses.shape)} elements takes no tile of {list(tile.shape)}"
            )
        if reduction:
            modify(execution.memory, reduction, addresses, tile, element, inside)
        else:
            execution.memory.store(addresses, tile, element, inside)

    return write


def _store(
    execution: Execution,
    op: dialect.AsyncTiledTmaStoreOp
    | dialect.AsyncTiledTmaReduceOp
    | dialect.AsyncScatterTmaStoreOp,
    *values: object,
) -> PythonValues:
    operands = Operands(op, values)
    tensor_map, coordinates = operands[op.descriptor], operands.several(op.coords)
    if isinstance(op, dialect.AsyncScatterTmaStoreOp):
        (rows,) = tiles_of((operands[op.rows],))
        axes = _rows(tensor_map, rows, coordinates)
    else:
        axes = _box(tensor_map, coordinates)
    work: Work = start(execution, op, _writer(execution, op, tensor_map, axes, operands[op.source]))
    return (work,)


TMA: StatefulTable = {
    dialect.AsyncGatherTmaLoadOp: _load,
    dialect.AsyncScatterTmaStoreOp: _store,
    dialect.AsyncTiledTmaLoadOp: _load,
    dialect.AsyncTiledTmaReduceOp: _store,
    dialect.AsyncTiledTmaStoreOp: _store,
    dialect.MakeTiledTmaDescOp: _make_map,
}
