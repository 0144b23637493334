"""Locations of accesses: tiles of a view, whole buffers, or tiles in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tileir_xdsl.dialects.nv_tileaa.views import TiledAccessOp
from tileir_xdsl.dialects.nv_tileas import PadOp
from tileir_xdsl.interpreters.buffers import Buffer, tiles_of
from tileir_xdsl.interpreters.convolution import ConvolutionView
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.views import (
    TileView,
    View,
    access_padding,
    load_tile,
    promise_inside,
    store_tile,
)


@dataclass(frozen=True)
class ViewedTile:
    """One tile of a view: its indices as unsigned values, and which elements are accessed."""

    view: View
    indices: Sequence[Array]
    mask: Array | None = None

    def read(self, execution: Execution) -> Array:
        return load_tile(execution.memory, self.view, self.indices, self.mask)

    def write(self, execution: Execution, tile: Array) -> None:
        store_tile(execution.memory, self.view, self.indices, tile, self.mask)


@dataclass(frozen=True)
class WholeBuffer:
    """All of a buffer."""

    buffer: Buffer

    def read(self, execution: Execution) -> Array:
        return self.buffer.array.copy()

    def write(self, execution: Execution, tile: Array) -> None:
        self.buffer.fill(tile)


@dataclass(frozen=True)
class Value:
    """A tile in registers, not in memory."""

    tile: Array

    def read(self, execution: Execution) -> Array:
        return self.tile

    def write(self, execution: Execution, tile: Array) -> None:
        raise ExecutionError("stores to a tile that is in registers, not in memory")


Location = ViewedTile | WholeBuffer | Value


def location_of(value: Any) -> Location:
    """The location of a tile, a buffer, or the first tile of a view."""
    (value,) = wait_for((value,))
    match value:
        case Buffer():
            return WholeBuffer(value)
        case TileView() | ConvolutionView():
            return ViewedTile(value, [np.asarray(0, np.uint64)] * len(value.tile))
        case np.ndarray():
            return Value(value)
        case _:
            raise ExecutionError(f"expected a tile, a buffer or a view, got {type(value).__name__}")


def accessed_location(op: TiledAccessOp | PadOp, operands: Operands) -> Location:
    """The location of an access: a tile of a view at its coordinates, or a buffer.

    Offsets count elements. Raises `MemoryAccessError` for a tile that is out of bounds despite a
    promise.
    """
    access: Any = op
    location = location_of(operands[access.view])
    if not isinstance(location, ViewedTile):
        return location
    view = location.view
    assert isinstance(view, TileView | ConvolutionView)
    indices = [as_unsigned(c) for c in operands.several(access.coords)]
    offsets = operands.several(getattr(access, "offsets", ()))
    if op.padding_value is not None:
        view = replace(view, padding=access_padding(op.padding_value))
    if offsets:
        if isinstance(view, ConvolutionView):
            raise ExecutionError("tiles of a convolution cannot have offsets")
        # Indices of a view whose tiles start at every element.
        indices = [
            np.asarray(int(i) * step + int(o), np.uint64)
            for i, step, o in zip(indices, view.steps, offsets, strict=True)
        ]
        view = replace(view, steps=(1,) * len(view.tile))
    if op.in_bounds is not None:
        promise_inside(view, indices, [bool(b) for b in op.in_bounds.get_values()])
    mask = operands.optional(getattr(access, "mask", None))
    return ViewedTile(view, indices, None if mask is None else tiles_of((mask,))[0])
