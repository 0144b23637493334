"""Views at run time: a tensor in memory and the tiles that cut it, shared by all dialects.

A tile access turns its indices into one range of tensor positions per dimension; positions
outside the tensor are neither read nor written. All index arithmetic is exact: indices, sizes
and strides are Python integers or, for gathered positions, 64-bit, clipped to the tensor before
anything is multiplied. Source: Tile IR specification, "Views" and the type section on views.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX

from tileir_xdsl.interpreters.errors import MemoryAccessError
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.memory import AddressSpace
from tileir_xdsl.interpreters.numerics import Array, Element


class Padding(StrEnum):
    """The value of elements outside the tensor, spelled as in `padding_value = ..`."""

    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


_PADDING_VALUES: dict[Padding | None, float] = {
    # Unspecified padding: zero, as a bulk tensor copy gives.
    None: 0.0,
    Padding.ZERO: 0.0,
    Padding.NEG_ZERO: -0.0,
    Padding.NAN: float("nan"),
    Padding.POS_INF: float("inf"),
    Padding.NEG_INF: float("-inf"),
}


@dataclass(frozen=True)
class TensorView:
    """A tensor in global memory: address of element 0, sizes, strides in elements."""

    base: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element: Element


@dataclass(frozen=True)
class TileView:
    """Tiles of a tensor. Tile dimension `i` runs along tensor dimension `dims[i]`.

    Index `i` starts the tile at `index * steps[i]`, except along `sparse_dim`, where the index
    is a row of positions, one per element of the tile.
    """

    tensor: TensorView
    tile: tuple[int, ...]
    steps: tuple[int, ...]
    dims: tuple[int, ...]
    padding: Padding | None = None
    sparse_dim: int | None = None

    def index_space(self) -> tuple[int, ...]:
        """The number of tiles along each dimension: the size over the step, rounded up."""
        sizes = (self.tensor.shape[d] for d in self.dims)
        return tuple(-(-size // step) for size, step in zip(sizes, self.steps, strict=True))


def extents(static: Sequence[int], dynamic: Sequence[Array]) -> tuple[int, ...]:
    """Sizes or strides; the dynamic ones are the values of `dynamic`, read as unsigned."""
    values = iter(dynamic)
    return tuple(int(as_unsigned(next(values))) if n == DYNAMIC_INDEX else n for n in static)


def load_tile(memory: AddressSpace, view: TileView, indices: Sequence[Array]) -> Array:
    """The tile of `view` at `indices`, elements outside the tensor being its padding.

    Indices are arrays of unsigned values: rank 0, or rank 1 along the sparse dimension. Raises
    `MemoryAccessError` where the tensor itself runs out of its allocation.
    """
    element = view.tensor.element
    result = np.full(view.tile, _padding_value(view), element.dtype)
    if view.sparse_dim is None:
        base, extents, strides = _box(view, indices)
        inside = tuple(slice(0, extent) for extent in extents)
        result[inside] = memory.load_box(base, extents, strides, element)
        return result
    addresses, mask = tile_addresses(view, indices)
    return np.where(mask, memory.load(addresses, element, mask), result)


def store_tile(
    memory: AddressSpace, view: TileView, indices: Sequence[Array], values: Array
) -> None:
    """Write the elements of a tile that lie inside the tensor. Raises as `load_tile`."""
    element = view.tensor.element
    if view.sparse_dim is None:
        base, extents, strides = _box(view, indices)
        inside = tuple(slice(0, extent) for extent in extents)
        memory.store_box(base, strides, values[inside], element)
        return
    addresses, mask = tile_addresses(view, indices)
    memory.store(addresses, values, element, mask)


def tile_addresses(view: TileView, indices: Sequence[Array]) -> tuple[Array, Array]:
    """The addresses of the elements of a tile, and which of them lie in the tensor."""
    tensor, rank = view.tensor, len(view.tile)
    addresses = np.full(view.tile, tensor.base, np.int64)
    mask = np.ones(view.tile, np.bool_)
    for axis, (index, step, dim) in enumerate(zip(indices, view.steps, view.dims, strict=True)):
        size = tensor.shape[dim]
        if axis == view.sparse_dim:
            inside = index < np.uint64(size)
            positions = np.where(inside, index, 0).astype(np.int64)
        else:
            start = min(int(index) * step, size)
            positions = start + np.arange(view.tile[axis], dtype=np.int64)
            inside = positions < size
        along = [1] * rank
        along[axis] = -1
        stride = tensor.strides[dim] * (tensor.element.bits // 8)
        addresses = addresses + (np.where(inside, positions, 0) * stride).reshape(along)
        mask = mask & inside.reshape(along)
    return addresses, mask


def promise_inside(view: TileView, indices: Sequence[Array], promised: Sequence[bool]) -> None:
    """Check the promise that a tile lies inside the tensor along the `promised` dimensions.

    Raises `MemoryAccessError` for the first element of the tile that does not.
    """
    for axis, (index, step, dim) in enumerate(zip(indices, view.steps, view.dims, strict=True)):
        if not promised[axis]:
            continue
        size, extent = view.tensor.shape[dim], view.tile[axis]
        if axis == view.sparse_dim:
            outside = index >= np.uint64(size)
            first = int(np.argmax(outside)) if outside.any() else extent
        else:
            first = max(0, size - int(index) * step)
        if first < extent:
            position = tuple(first if a == axis else 0 for a in range(len(view.tile)))
            raise MemoryAccessError(
                position,
                f"is outside of the tensor along dimension {dim}, where the access is in bounds",
            )


def _padding_value(view: TileView) -> Array:
    value = np.float64(_PADDING_VALUES[view.padding])
    return np.asarray(value).astype(view.tensor.element.dtype)


def _box(view: TileView, indices: Sequence[Array]) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Address, extents and strides of the part of the tile that lies in the tensor.

    As indices are unsigned, that part begins at the tile's first element or is empty.
    """
    tensor = view.tensor
    offset = 0
    extents: list[int] = []
    for index, step, tile, dim in zip(indices, view.steps, view.tile, view.dims, strict=True):
        start = min(int(index) * step, tensor.shape[dim])
        extents.append(min(tile, tensor.shape[dim] - start))
        offset += start * tensor.strides[dim]
    strides = tuple(tensor.strides[dim] for dim in view.dims)
    return tensor.base + offset * (tensor.element.bits // 8), tuple(extents), strides
