"""Views of `cuda_tile`, and accesses to their tiles."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Attribute, Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.dialects.cuda_tile.types import dense_integers
from tileir_xdsl.dialects.cuda_tile.view_types import (
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TileView,
)
from tileir_xdsl.interpreters.cuda_tile.pointer_accesses import ordering_of
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable
from tileir_xdsl.interpreters.views import (
    Padding,
    TensorView,
    extents,
    load_tile,
    promise_inside,
    store_tile,
    strides_of,
)
from tileir_xdsl.interpreters.views import TileView as RuntimeTileView


def _make_tensor_view(op: dialect.MakeTensorViewOp, *values: Any) -> TensorView:
    operands = Operands(op, values)
    type_ = op.view_type
    return TensorView(
        int(operands[op.base]),
        extents(type_.get_shape(), operands.several(op.dynamic_shape)),
        strides_of(type_.get_strides(), operands.several(op.dynamic_strides)),
        element_of(type_.element_type),
    )


def _geometry(type_: Attribute) -> tuple[tuple[int, ...], tuple[int, ...], int | None]:
    """Distances of adjacent tiles in elements, tensor dimensions, sparse dimension of a type."""
    match type_:
        case PartitionViewType():
            return type_.get_tile_shape(), type_.get_dim_map(), None
        case StridedViewType():
            return type_.get_traversal_strides(), type_.get_dim_map(), None
        case GatherScatterViewType():
            rank = len(type_.get_tile_shape())
            # Every index of such a view counts elements.
            return (1,) * rank, tuple(range(rank)), type_.sparse_dim.data
        case _:
            raise TypeError(f"{type_} is not a view of tiles")


_MakeViewOp: TypeAlias = (
    dialect.MakePartitionViewOp | dialect.MakeStridedViewOp | dialect.MakeGatherScatterViewOp
)


def _make_view(op: _MakeViewOp, tensor: TensorView) -> RuntimeTileView:
    type_ = op.result.type
    assert isinstance(type_, TileView)
    steps, dims, sparse_dim = _geometry(type_)
    padding = type_.get_padding_value()
    return RuntimeTileView(
        tensor,
        type_.get_tile_shape(),
        steps,
        tuple((dim,) for dim in dims),
        None if padding is None else Padding(padding.value),
        sparse_dim,
    )


LoadOp: TypeAlias = dialect.LoadViewTkoOp | dialect.MultimemLoadReduceViewTkoOp
StoreOp: TypeAlias = dialect.StoreViewTkoOp | dialect.MultimemStoreViewTkoOp
AccessOp: TypeAlias = (
    LoadOp | StoreOp | dialect.AtomicRedViewTkoOp | dialect.MultimemReduceViewTkoOp
)


def accessed_tile(
    execution: Execution, op: AccessOp, operands: Operands
) -> tuple[RuntimeTileView, list[Array]]:
    """The view that an op accesses, and the indices of the tile.

    Raises `MemoryAccessError` if the tile breaks the promise of `inbounds`.
    """
    view: RuntimeTileView = operands[op.view]
    indices = [as_unsigned(index) for index in operands.several(op.indices)]
    if execution.undefined is not None:
        execution.undefined.note_tile(op, view, indices, isinstance(op, LoadOp))
    if op.inbounds is not None:
        promise_inside(view, indices, [bool(b) for b in dense_integers(op.inbounds)])
    return view, indices


def load_view(execution: Execution, op: LoadOp, *values: object) -> PythonValues:
    """Loads the tile of a view at the op's indices; returns it and a token."""
    operands = Operands(op, values)
    view, indices = accessed_tile(execution, op, operands)

    def action() -> Array:
        return load_tile(execution.memory, view, indices)

    return execution.perform(op, operands.optional(op.token), action, ordering_of(op))


def store_view(execution: Execution, op: StoreOp, *values: object) -> PythonValues:
    """Stores a tile to a view at the op's indices; returns a token."""
    operands = Operands(op, values)
    view, indices = accessed_tile(execution, op, operands)
    tile = operands[op.tile]

    def action() -> None:
        store_tile(execution.memory, view, indices, tile)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


def _numbers(op: Operation, numbers: tuple[int, ...]) -> PythonValues:
    dtype = element_of(op.results[0].type).dtype
    return tuple(np.asarray(number, np.uint64).astype(dtype) for number in numbers)


def _tensor_shape(
    _execution: Execution, op: dialect.GetTensorShapeOp, tensor: TensorView
) -> PythonValues:
    return _numbers(op, tensor.shape)


def _index_space_shape(
    _execution: Execution, op: dialect.GetIndexSpaceShapeOp, view: RuntimeTileView
) -> PythonValues:
    return _numbers(op, view.index_space())


VIEWS: PureTable = {
    dialect.MakeGatherScatterViewOp: _make_view,
    dialect.MakePartitionViewOp: _make_view,
    dialect.MakeStridedViewOp: _make_view,
    dialect.MakeTensorViewOp: _make_tensor_view,
}

SHAPES: StatefulTable = {
    dialect.GetIndexSpaceShapeOp: _index_space_shape,
    dialect.GetTensorShapeOp: _tensor_shape,
}

ACCESSES: StatefulTable = {dialect.LoadViewTkoOp: load_view, dialect.StoreViewTkoOp: store_view}
