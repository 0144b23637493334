"""Buffers: tiles in memory, which asynchronous work fills while the program continues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas import TiledViewType
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.pending import wait_for

_UNDEFINED_BYTE = 0xFF
"""The byte that fills new buffers: NaN in every floating-point format, -1 as an integer."""


@dataclass(eq=False)
class Buffer:
    """Memory for a tile. Ops that read a tile from it get the present elements.

    `storage` is the whole array of which the buffer is a part.
    """

    array: Array
    storage: Array

    def fill(self, value: Array) -> None:
        """Store a tile. Raises `ExecutionError` for another shape."""
        if np.shape(value) != self.array.shape:
            raise ExecutionError(
                f"a buffer of shape {list(self.array.shape)} cannot hold a tile of shape "
                f"{list(np.shape(value))}"
            )
        self.array[...] = value


def new_buffer(type_: Attribute) -> Buffer:
    """A new buffer for a value of a type: a tile, or the tile of a view."""
    if isinstance(type_, nv_tileaa.TiledViewType | TiledViewType):
        type_ = type_.tile_type
    dtype, shape = element_of(type_).dtype, shape_of(type_)
    array = np.empty(shape, dtype)
    array.reshape(-1).view(np.uint8)[...] = _UNDEFINED_BYTE if dtype != np.bool_ else 1
    return Buffer(array, array)


def tiles_of(values: Sequence[Any]) -> tuple[Any, ...]:
    """Waits for pending `values`, and replaces buffers by their present contents."""
    return tuple(v.array.copy() if isinstance(v, Buffer) else v for v in wait_for(values))
