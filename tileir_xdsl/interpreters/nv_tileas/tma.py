"""Bulk copies of boxes between an object in global memory and buffers.

A copy moves as many boxes as its buffer holds. Coordinates count elements, as in hardware, and may
be negative; elements outside of the object are loaded as zero or NaN, and not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Attribute

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.attributes import OutOfBoundsMode
from tileir_xdsl.dialects.nv_tileas.tensor_maps import LaunchValue, TensorMapRecipe
from tileir_xdsl.dialects.nv_tileas.tiled_memory import viewed_tile
from tileir_xdsl.dialects.nv_tileas.tma import TmaTransferOp
from tileir_xdsl.interpreters.address_space import element_addresses
from tileir_xdsl.interpreters.buffers import Buffer, tiles_of
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_signed, as_unsigned
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.numerics import ADDRESS_DTYPE, Array
from tileir_xdsl.interpreters.nv_tileas.async_work import Work, start
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import TensorView, TileView, wrapped

_FILLS = {OutOfBoundsMode.ZERO: 0.0, OutOfBoundsMode.NAN: float("nan")}
"""The values that loads return outside of the object."""


@dataclass(frozen=True)
class TensorMap:
    """An object in global memory, the extents of copied boxes, and the value outside."""

    tensor: TensorView
    box: tuple[int, ...]
    fill: float

    def addresses(self, axes: Sequence[Array]) -> tuple[Array, Array]:
        """The addresses of elements at positions along each axis, and which are in the object."""
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
    tensor = _tiled_object(view) if isinstance(view, TileView) else view
    box = tuple(int(extent) for extent in operands.several(op.box_dims))
    if len(box) != len(tensor.shape):
        raise ExecutionError(
            f"a box of {len(box)} dimensions does not fit an object of "
            f"{len(tensor.shape)} dimensions"
        )
    mode = OutOfBoundsMode.ZERO if op.oob_mode is None else op.oob_mode.data
    if mode not in _FILLS:
        raise ExecutionError("a constant value for elements out of bounds is not supported")
    return (TensorMap(tensor, box, _FILLS[mode]),)


def tensor_map(
    recipe: TensorMapRecipe, types: Sequence[Attribute], arguments: Sequence[Array]
) -> TensorMap:
    """The tensor map that a launch makes from arguments of these types, as a kernel parameter.

    Arguments for sizes and strides are unsigned.
    """

    def value(of: LaunchValue) -> int:
        return of if isinstance(of, int) else int(as_unsigned(arguments[of.number]))

    pointer = recipe.pointer.number
    tensor = TensorView(
        int(arguments[pointer]),
        tuple(map(value, recipe.sizes)),
        tuple(wrapped(value(stride)) for stride in recipe.strides),
        pointee_of(types[pointer]),
    )
    return TensorMap(tensor, recipe.box, _FILLS[recipe.outside])


def _make_device_maps(
    _execution: Execution, op: dialect.MakeDeviceTmaDescsOp, *values: Any
) -> PythonValues:
    types = [argument.type for argument in op.arguments]
    return tuple(tensor_map(recipe, types, values) for recipe in op.recipes)


def _tiled_object(view: TileView) -> TensorView:
    """The object with its dimensions in the order of the tile dimensions."""
    if any(len(group) != 1 for group in view.groups):
        raise ExecutionError(
            "a tensor map needs exactly one dimension of the object for each dimension of the tile"
        )
    dims = [dim for (dim,) in view.groups]
    tensor = view.tensor
    return replace(
        tensor,
        shape=tuple(tensor.shape[dim] for dim in dims),
        strides=tuple(tensor.strides[dim] for dim in dims),
    )


def _boxes(
    tensor_map: TensorMap, coordinates: Sequence[Array], extents: Sequence[int]
) -> list[Array]:
    """Along each axis, the positions of the elements of a tile, which boxes of the map cover.

    Coordinates are signed 32-bit numbers; higher bits are dropped. Omitted coordinates are zero.
    Raises `ExecutionError` if boxes cannot make up the tile.
    """
    box = tensor_map.box
    if len(extents) != len(box) or any(n % b for n, b in zip(extents, box, strict=True)):
        raise ExecutionError(
            f"boxes of shape {list(box)} cannot make up a tile of shape {list(extents)}"
        )
    starts = [int(np.asarray(as_signed(c)).astype(np.int32)) for c in coordinates]
    starts = [0] * (len(box) - len(starts)) + starts
    return [start + np.arange(n) for start, n in zip(starts, extents, strict=True)]


def _rows(
    tensor_map: TensorMap, rows: Array, coordinates: Sequence[Array], width: int
) -> list[Array]:
    """The row and column positions of a gathered tile with rows of `width` columns."""
    columns = _boxes(tensor_map, coordinates, (*tensor_map.box[:-1], width))[-1]
    return [as_signed(rows).astype(np.int64), columns]


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
        raise ExecutionError("loads to a destination that is not a buffer in memory")
    coordinates = operands.several(op.coords)
    if isinstance(op, dialect.AsyncGatherTmaLoadOp):
        (rows,) = tiles_of((operands[op.rows],))
        axes = _rows(tensor_map, rows, coordinates, destination.array.shape[-1])
    else:
        axes = _boxes(tensor_map, coordinates, destination.array.shape)
    read = _reader(execution, tensor_map, axes)
    return (start(execution, op, read, destination, operands[op.barrier]),)


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
                f"a box of shape {list(addresses.shape)} cannot store a tile of shape "
                f"{list(tile.shape)}"
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
        axes = _rows(tensor_map, rows, coordinates, viewed_tile(op.source.type).shape[-1])
    else:
        axes = _boxes(tensor_map, coordinates, viewed_tile(op.source.type).shape)
    work: Work = start(execution, op, _writer(execution, op, tensor_map, axes, operands[op.source]))
    return (work,)


TMA: StatefulTable = {
    dialect.AsyncGatherTmaLoadOp: _load,
    dialect.AsyncScatterTmaStoreOp: _store,
    dialect.AsyncTiledTmaLoadOp: _load,
    dialect.AsyncTiledTmaReduceOp: _store,
    dialect.AsyncTiledTmaStoreOp: _store,
    dialect.MakeDeviceTmaDescsOp: _make_device_maps,
    dialect.MakeTiledTmaDescOp: _make_map,
}
