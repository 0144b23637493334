"""Views at run time: a tensor in memory and the tiles that cut it, shared by all dialects.

A tile access turns its indices into one range of tensor positions per dimension; positions outside
the tensor are neither read nor written. Positions do not overflow: indices and sizes are Python
integers, and 64-bit gathered positions are clipped to the tensor before they are multiplied.
Offsets are computed modulo 2**64, like addresses. Source: Tile IR specification, "Views" and the
type section on views.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX

from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import PaddingAttr, padding_of
from tileir_xdsl.interpreters.address_space import AddressSpace, element_addresses
from tileir_xdsl.interpreters.errors import MemoryAccessError
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import (
    ADDRESS_DTYPE,
    F8E5M3FNU,
    F8E8M0FNU,
    Array,
    Element,
    round_to_format,
)


class Padding(StrEnum):
    """The value of elements outside the tensor, as spelled in `padding_value = ..`."""

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
    """A tensor in global memory: address of element 0, sizes, strides in elements.

    Strides are modulo 2**64, read as signed (see `wrapped`).
    """

    base: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    element: Element


class View(Protocol):
    """Selects tiles of a tensor by indices: arrays of unsigned values."""

    @property
    def tensor(self) -> TensorView:
        """The tensor below."""
        ...

    @property
    def tile(self) -> tuple[int, ...]:
        """The shape of every tile."""
        ...

    @property
    def padding(self) -> Padding | float | None:
        """The value of elements outside the tensor, None where it is unspecified."""
        ...

    def offsets(self, indices: Sequence[Array]) -> tuple[Array, Array]:
        """For each element of a tile its offset from element 0, and whether it is inside.

        The offset of an element outside the tensor is arbitrary.
        """
        ...

    def within(self, axis: int, index: Array) -> Array:
        """Which positions along dimension `axis` of the tile at `index` lie in the tensor."""
        ...


@dataclass(frozen=True)
class TileView:
    """Tiles of a tensor. Tile dimension `i` runs along the tensor dimensions in `groups[i]`.

    The dimensions of a group are flattened in row-major order. Index `i` starts the tile at
    `index * steps[i]`, except along `sparse_dim`, where the index is a row of positions, one per
    element of the tile.
    """

    tensor: TensorView
    tile: tuple[int, ...]
    steps: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    padding: Padding | float | None = None
    sparse_dim: int | None = None

    def sizes(self) -> tuple[int, ...]:
        """The number of tensor positions along each tile dimension."""
        return tuple(math.prod(self.tensor.shape[d] for d in group) for group in self.groups)

    def index_space(self) -> tuple[int, ...]:
        """The number of tiles along each dimension: the size over the step, rounded up."""
        return tuple(-(-n // step) for n, step in zip(self.sizes(), self.steps, strict=True))

    def is_inside(self, indices: Sequence[Array]) -> bool:
        """Whether all elements of the tile at `indices` are elements of the tensor."""
        return all(
            bool(self.within(axis, index).all())
            if axis == self.sparse_dim
            else int(index) * self.steps[axis] + self.tile[axis] <= size
            for axis, (index, size) in enumerate(zip(indices, self.sizes(), strict=True))
        )

    def offsets(self, indices: Sequence[Array]) -> tuple[Array, Array]:
        """As `View.offsets`."""
        rank = len(self.tile)
        offsets = np.zeros(self.tile, np.int64)
        inside = np.ones(self.tile, np.bool_)
        for axis, index in enumerate(indices):
            positions, within = self._positions(axis, index)
            along = [1] * rank
            along[axis] = -1
            group = self._group_offsets(self.groups[axis], np.where(within, positions, 0))
            offsets = offsets + group.reshape(along)
            inside = inside & within.reshape(along)
        return offsets, inside

    def within(self, axis: int, index: Array) -> Array:
        """As `View.within`."""
        return self._positions(axis, index)[1]

    def _positions(self, axis: int, index: Array) -> tuple[Array, Array]:
        size = self.sizes()[axis]
        if axis == self.sparse_dim:
            within = index < np.uint64(size)
            return np.where(within, index, 0).astype(np.int64), within
        start = min(int(index) * self.steps[axis], size)
        positions = start + np.arange(self.tile[axis], dtype=np.int64)
        return positions, positions < size

    def _group_offsets(self, group: tuple[int, ...], positions: Array) -> Array:
        offsets = np.zeros_like(positions)
        for dim in reversed(group):
            size = max(1, self.tensor.shape[dim])
            offsets += positions % size * self.tensor.strides[dim]
            positions = positions // size
        return offsets

    def box(self, indices: Sequence[Array]) -> tuple[int, tuple[int, ...], tuple[int, ...]] | None:
        """Address, extents and strides of the part of a tile in the tensor; None if not a box.

        As indices are unsigned, the part in the tensor begins at the tile's first element or is
        empty.
        """
        if self.sparse_dim is not None or any(len(group) != 1 for group in self.groups):
            return None
        if self.tensor.element.bits < 8:
            return None
        offset = 0
        extents: list[int] = []
        strides: list[int] = []
        tensor = self.tensor
        for index, step, tile, (dim,) in zip(
            indices, self.steps, self.tile, self.groups, strict=True
        ):
            start = min(int(index) * step, tensor.shape[dim])
            extents.append(min(tile, tensor.shape[dim] - start))
            strides.append(tensor.strides[dim])
            offset += start * tensor.strides[dim]
        address = tensor.base + offset * (tensor.element.bits // 8)
        return wrapped(address), tuple(extents), tuple(strides)


def strides_of(static: Sequence[int], dynamic: Sequence[Array]) -> tuple[int, ...]:
    """Strides modulo 2**64, from arguments like those of `extents`."""
    return tuple(map(wrapped, extents(static, dynamic)))


def wrapped(number: int) -> int:
    """A number modulo 2**64, read as signed."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def extents(static: Sequence[int], dynamic: Sequence[Array]) -> tuple[int, ...]:
    """Sizes or strides; the dynamic ones are the values of `dynamic`, read as unsigned."""
    values = iter(dynamic)
    return tuple(int(as_unsigned(next(values))) if n == DYNAMIC_INDEX else n for n in static)


def load_tile(
    memory: AddressSpace, view: View, indices: Sequence[Array], chosen: Array | None = None
) -> Array:
    """The tile of `view` at `indices`, with padding outside the tensor and where not `chosen`.

    Indices are arrays of unsigned values: rank 0, or rank 1 along the sparse dimension. Raises
    `MemoryAccessError` if the tensor exceeds its allocation.
    """
    element = view.tensor.element
    result = np.full(view.tile, padding_value(view), element.dtype)
    box = view.box(indices) if isinstance(view, TileView) and chosen is None else None
    if box is None:
        addresses, mask = tile_addresses(view, indices)
        mask = mask if chosen is None else mask & chosen
        return np.where(mask, memory.load(addresses, element, mask), result)
    address, shape, strides = box
    inside = tuple(slice(0, extent) for extent in shape)
    result[inside] = memory.load_box(address, shape, strides, element)
    return result


def load_tile_grid(memory: AddressSpace, view: TileView, indices: Sequence[Array]) -> Array | None:
    """The tiles of `view` at a grid of indices, by one access: the axes of the grid, then the tile.

    Each index is one number, or an array of the grid's rank that changes along one axis in equal
    steps. None where indices do not form such a grid, or where a tile is not inside the tensor.
    Raises `MemoryAccessError` if the tensor exceeds its allocation.
    """
    if view.sparse_dim is not None or any(len(group) != 1 for group in view.groups):
        return None
    tensor, rank = view.tensor, max(index.ndim for index in indices)
    if tensor.element.bits < 8:
        return None
    offset, extents, strides = 0, [1] * rank, [0] * rank
    for index, step, tile, (dim,) in zip(indices, view.steps, view.tile, view.groups, strict=True):
        numbers = [int(number) for number in index.reshape(-1)]
        first, stride = numbers[0], tensor.strides[dim]
        advance = numbers[1] - first if len(numbers) > 1 else 0
        along = [axis for axis in range(index.ndim) if index.shape[axis] > 1]
        if len(along) > 1 or numbers != [first + n * advance for n in range(len(numbers))]:
            return None
        if max(numbers) * step + tile > tensor.shape[dim]:
            return None
        offset += first * step * stride
        for axis in along:
            extents[axis] = len(numbers)
            strides[axis] += advance * step * stride
    address = wrapped(tensor.base + offset * (tensor.element.bits // 8))
    inner = [tensor.strides[dim] for (dim,) in view.groups]
    return memory.load_box(address, (*extents, *view.tile), (*strides, *inner), tensor.element)


def store_tile(
    memory: AddressSpace,
    view: View,
    indices: Sequence[Array],
    values: Array,
    chosen: Array | None = None,
) -> None:
    """Writes the chosen elements of a tile that lie inside the tensor. Raises as `load_tile`."""
    element = view.tensor.element
    box = view.box(indices) if isinstance(view, TileView) and chosen is None else None
    if box is None:
        addresses, mask = tile_addresses(view, indices)
        mask = mask if chosen is None else mask & chosen
        memory.store(addresses, values, element, mask)
        return
    address, shape, strides = box
    inside = tuple(slice(0, extent) for extent in shape)
    memory.store_box(address, strides, values[inside], element)


def tile_addresses(view: View, indices: Sequence[Array]) -> tuple[Array, Array]:
    """The addresses of the elements of a tile, and which of them lie in the tensor."""
    offsets, inside = view.offsets(indices)
    base = np.asarray(view.tensor.base, ADDRESS_DTYPE)
    return element_addresses(base, offsets, view.tensor.element), inside


def promise_inside(view: View, indices: Sequence[Array], promised: Sequence[bool]) -> None:
    """Checks the promise of an op that a tile lies inside the tensor along `promised` dimensions.

    Raises `MemoryAccessError` for the tile's first element outside the tensor.
    """
    for axis, index in enumerate(indices):
        within = view.within(axis, index)
        if promised[axis] and not within.all():
            first = int(np.argmin(within))
            position = tuple(first if a == axis else 0 for a in range(len(view.tile)))
            raise MemoryAccessError(
                position,
                f"is outside of the tensor along index {axis}, but the access is marked in bounds",
            )


def padding_value(view: View) -> Array:
    """The value that a load returns for elements outside the tensor of a view."""
    value, element = view.padding, view.tensor.element
    if value is None or isinstance(value, Padding):
        value = _PADDING_VALUES[value]
    # It has no zero: what is filled with zeros is its smallest number.
    if value == 0 and element.float_format is F8E8M0FNU:
        value = F8E8M0FNU.min_normal
    if element.float_format is F8E5M3FNU:
        return round_to_format(np.asarray(value), F8E5M3FNU)
    return np.asarray(value).astype(element.dtype)


def access_padding(attribute: PaddingAttr) -> Padding | float:
    """The value that a load returns for elements outside the tensor, as `View.padding`."""
    padding = padding_of(attribute)
    assert padding is not None
    return Padding(padding.value) if isinstance(padding, PaddingValue) else padding
