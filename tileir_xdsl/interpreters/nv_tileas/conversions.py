"""Layout conversions, which change no value, and views of tiles and buffers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type, memory_bits
from tileir_xdsl.dialects.nv_tileaa.types import TiledViewType
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.shapes import generate, reshape
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, RegionTable, StatefulTable
from tileir_xdsl.interpreters.tile_operations import reinterpret_bits
from tileir_xdsl.interpreters.views import TensorView, TileView, wrapped


def _same_values(_op: dialect.ConvertLayoutOp | dialect.ShuffleOp, source: Array) -> Array:
    return source


def _part(array: Array, start: int, shape: tuple[int, ...]) -> Array:
    """A view of the elements from `start` on as an array of a shape."""
    count = math.prod(shape)
    if start < 0 or start + count > array.size:
        raise ExecutionError(
            f"the view from element {start} to {start + count - 1} exceeds the {array.size} "
            "elements"
        )
    return array.reshape(-1)[start : start + count].reshape(shape)


def _viewed(source: Buffer | Array, view: Callable[[Array], Array]) -> Buffer | Array:
    """Applies `view` to a tile, or to a buffer, whose storage stays the same."""
    if isinstance(source, Buffer):
        return Buffer(view(source.array), source.storage)
    return view(source)


def _view(_execution: Execution, op: dialect.ViewOp, *values: Any) -> PythonValues:
    operands = Operands(op, values)
    source = operands[op.source]
    indices = [int(as_unsigned(index)) for index in operands.several(op.indices)]
    if isinstance(source, TensorView | TileView):
        return (_first_tile(op, source, indices),)
    start = 0 if op.offset is None else op.offset.value.data
    if op.dynamic_offset is not None:
        start = int(operands[op.dynamic_offset])
    whole = source.array.shape if isinstance(source, Buffer) else source.shape
    start += sum(index * math.prod(whole[i + 1 :]) for i, index in enumerate(indices))
    shape = _extents(op, whole)
    return (_viewed(source, lambda array: _part(array, start, shape)),)


def _first_tile(op: dialect.ViewOp, source: TensorView | TileView, indices: list[int]) -> TileView:
    """A view of an object in memory that begins at the tile with these indices."""
    tile = _extents(op, ())
    tensor = source.tensor if isinstance(source, TileView) else source
    plain = isinstance(source, TensorView) or all(len(group) == 1 for group in source.groups)
    if not plain or len(tile) != len(tensor.shape):
        raise ExecutionError(
            "cannot view part of a view that merges dimensions or changes their number"
        )
    starts = [i * n for i, n in zip(indices or [0] * len(tile), tile, strict=True)]
    offset = sum(i * stride for i, stride in zip(starts, tensor.strides, strict=True))
    rest = tuple(max(0, n - i) for n, i in zip(tensor.shape, starts, strict=True))
    base = wrapped(tensor.base + offset * tensor.element.bits // 8)
    groups = tuple((axis,) for axis in range(len(tile)))
    return TileView(replace(tensor, base=base, shape=rest), tile, tile, groups)


def _extents(op: dialect.ViewOp, whole: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the result; if its type has dynamic extents, that of the source."""
    type_ = op.result.type
    if isinstance(type_, TiledViewType | dialect.TiledViewType):
        return type_.get_shape()
    shape = shape_of(type_)
    return whole if DYNAMIC_INDEX in shape else shape


def _reinterpret(
    _execution: Execution, op: dialect.ReinterpretOp, source: Buffer | Array
) -> PythonValues:
    result = op.result.type
    element, shape = element_of(result), shape_of(result)
    width, element_width = (memory_bits(element_type(each)) for each in (op.source, op.result))
    if _fills_bytes(source, width) and element_width == 8 * element.dtype.itemsize:
        dtype = element.dtype
        return (
            _viewed(
                source, lambda a: np.ascontiguousarray(a).reshape(-1).view(dtype).reshape(shape)
            ),
        )
    if isinstance(source, Buffer):
        # Its elements take a byte each here, so that no view of them shares their storage.
        raise ExecutionError("a buffer with elements of less than a byte cannot be reinterpreted")
    return (reinterpret_bits(source, width, element, element_width, shape),)


def _fills_bytes(source: Buffer | Array, width: int) -> bool:
    array = source.array if isinstance(source, Buffer) else source
    return width == 8 * array.itemsize


def _select(
    _execution: Execution, _op: SelectOp, condition: Array, first: object, second: object
) -> PythonValues:
    return (first if condition else second,)


CONVERSIONS: PureTable = {
    dialect.ConvertLayoutOp: _same_values,
    dialect.ExpandDimsOp: reshape,
    dialect.ShuffleOp: _same_values,
}

VIEWS: StatefulTable = {
    SelectOp: _select,
    dialect.ReinterpretOp: _reinterpret,
    dialect.ViewOp: _view,
}
"""The ops that make views of tiles or buffers, or choose between them."""

GENERATION: RegionTable = {dialect.GenerateOp: generate}
