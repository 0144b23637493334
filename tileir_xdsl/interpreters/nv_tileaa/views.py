"""Memory objects, views of their tiles, and the accesses of one tile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects.nv_tileaa import views
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType
from tileir_xdsl.interpreters.element_types import element_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.memory import ordering_of
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable
from tileir_xdsl.interpreters.views import (
    Padding,
    TensorView,
    TileView,
    extents,
    load_tile,
    promise_inside,
    store_tile,
)


def _make_memref(op: views.MakeMemRefOp, *values: Any) -> Any:
    operands = Operands(op, values)
    memref = op.result.type
    assert isinstance(memref, MemRefType)
    base = int(operands[op.base])
    if op.offset is not None:
        base += int(operands[op.offset])
    return TensorView(
        base,
        extents(memref.get_shape(), operands.several(op.sizes)),
        extents(memref.get_strides(), operands.several(op.strides)),
        element_of(memref.element_type),
    )


def _block_tile(op: views.BlockTileOp, tensor: Any) -> Any:
    sizes, groups = op.get_tile_sizes(), op.get_dim_groups()
    if any(len(group) != 1 for group in groups):
        raise ExecutionError(f"dimension groups must hold one dimension each, but are {groups}")
    return TileView(tensor, sizes, sizes, tuple(dim for (dim,) in groups))


def _accessed_view(
    op: views.LoadTileOp | views.StoreTileOp, operands: Operands
) -> tuple[TileView, list[Array]]:
    """The view with the padding of the access, and its coordinates."""
    view: TileView = operands[op.view]
    if op.padding_value is not None:
        view = replace(view, padding=Padding(op.padding_value.data.value))
    coordinates = [as_unsigned(c) for c in operands.several(op.coords)]
    if op.in_bounds is not None:
        promise_inside(view, coordinates, [bool(b) for b in op.in_bounds.get_values()])
    return view, coordinates


def load(execution: Execution, op: views.LoadTileOp, *values: object) -> PythonValues:
    """One tile of a view; and a token if asked for."""
    operands = Operands(op, values)
    view, coordinates = _accessed_view(op, operands)

    def action() -> Array:
        return load_tile(execution.memory, view, coordinates)

    results = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return results[: len(op.results)]


def store(execution: Execution, op: views.StoreTileOp, *values: object) -> PythonValues:
    """Writes one tile of a view; a token if asked for."""
    operands = Operands(op, values)
    view, coordinates = _accessed_view(op, operands)
    tile = operands[op.tile]

    def action() -> None:
        store_tile(execution.memory, view, coordinates, tile)

    _, token = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return (token,)[: len(op.results)]


VIEWS: PureTable = {
    views.MakeMemRefOp: _make_memref,
    views.BlockTileOp: _block_tile,
}

ACCESSES: StatefulTable = {views.TiledLoadOp: load, views.TiledStoreOp: store}
