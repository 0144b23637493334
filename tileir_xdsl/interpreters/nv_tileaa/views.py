"""Memory objects of `nv_tileaa`, views of their tiles, and accesses to tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.gather_scatter import SparseAccessOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp, TiledAccessOp
from tileir_xdsl.interpreters import views
from tileir_xdsl.interpreters.convolution import ConvolutionView
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.pointer_accesses import ordering_of
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _make_memref(op: dialect.MakeMemRefOp, *values: Any) -> views.TensorView:
    operands = Operands(op, values)
    memref = op.result.type
    assert isinstance(memref, MemRefType)
    base = int(operands[op.base])
    if op.offset is not None:
        base += int(operands[op.offset])
    return views.TensorView(
        views.wrapped(base),
        views.extents(memref.get_shape(), operands.several(op.sizes)),
        views.strides_of(memref.get_strides(), operands.several(op.strides)),
        element_of(memref.element_type),
    )


def _block_tile(op: dialect.BlockTileOp, tensor: views.TensorView) -> views.TileView:
    return views.TileView(tensor, op.get_tile_sizes(), op.get_tile_strides(), op.get_dim_groups())


def _conv_tile(op: dialect.ConvTileOp, tensor: views.TensorView) -> ConvolutionView:
    return ConvolutionView(
        tensor,
        op.get_tile_sizes(),
        op.get_dim_groups(),
        op.channel.value.data,
        op.get_filter_size(),
        tuple(op.conv_params.steps),
    )


def _dimension(
    _execution: Execution, op: dialect.GetDimSizeOp, tensor: views.TensorView
) -> PythonValues:
    size = np.asarray(tensor.shape[op.axis.value.data], np.uint64)
    return (size.astype(element_of(op.result.type).dtype),)


def _accessed_tile(
    op: TiledAccessOp, operands: Operands, view: SSAValue, coords: Sequence[SSAValue]
) -> tuple[views.View, list[Array]]:
    """The view, with padding and sparse dimension of the access, and the tile's coordinates."""
    accessed: views.TileView | ConvolutionView = operands[view]
    if op.padding_value is not None:
        accessed = replace(accessed, padding=views.access_padding(op.padding_value))
    if isinstance(op, SparseAccessOp):
        if not isinstance(accessed, views.TileView):
            raise ExecutionError("tiles of a convolution cannot be gathered or scattered")
        # Every coordinate of such an access counts elements.
        steps = (1,) * len(accessed.tile)
        accessed = replace(accessed, steps=steps, sparse_dim=op.sparse_dim.value.data)
    coordinates = [as_unsigned(c) for c in operands.several(coords)]
    if op.in_bounds is not None:
        views.promise_inside(accessed, coordinates, [bool(b) for b in op.in_bounds.get_values()])
    return accessed, coordinates


_Load: TypeAlias = LoadTileOp | dialect.GatherLoadOp | dialect.MultimemLoadReduceOp
_Store: TypeAlias = StoreTileOp | dialect.ScatterStoreOp | dialect.MultimemStoreOp


def load(execution: Execution, op: _Load, *values: object) -> PythonValues:
    """Loads one tile of a view; returns a token, too, if the op has one."""
    operands = Operands(op, values)
    view, coordinates = _accessed_tile(op, operands, op.view, op.coords)

    def action() -> Array:
        return views.load_tile(execution.memory, view, coordinates)

    results = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return results[: len(op.results)]


def store(execution: Execution, op: _Store, *values: object) -> PythonValues:
    """Stores one tile of a view; returns a token if the op has one."""
    operands = Operands(op, values)
    view, coordinates = _accessed_tile(op, operands, op.view, op.coords)
    tile = operands[op.tile]

    def action() -> None:
        views.store_tile(execution.memory, view, coordinates, tile)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)[: len(op.results)]


def _modify_tile(
    execution: Execution,
    op: dialect.TiledAtomicRMWOp | dialect.MultimemReduceOp,
    *values: object,
) -> PythonValues:
    operands = Operands(op, values)
    view, coordinates = _accessed_tile(op, operands, op.view, op.coords)
    value = operands[op.value if isinstance(op, dialect.TiledAtomicRMWOp) else op.tile]
    addresses, mask = views.tile_addresses(view, coordinates)

    def action() -> None:
        mode, element = op.rmw_mode.data.value, view.tensor.element
        modify(execution.memory, mode, addresses, value, element, mask)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)


VIEWS: PureTable = {
    dialect.BlockTileOp: _block_tile,
    dialect.ConvTileOp: _conv_tile,
    dialect.MakeMemRefOp: _make_memref,
}

# A multicast object has one replica here: that of one device. To combine the replicas is to load.
ACCESSES: StatefulTable = {
    dialect.GatherLoadOp: load,
    dialect.GetDimSizeOp: _dimension,
    dialect.MultimemLoadReduceOp: load,
    dialect.MultimemReduceOp: _modify_tile,
    dialect.MultimemStoreOp: store,
    dialect.ScatterStoreOp: store,
    dialect.TiledAtomicRMWOp: _modify_tile,
    dialect.TiledLoadOp: load,
    dialect.TiledStoreOp: store,
}
"""The ops that access memory through a view."""
