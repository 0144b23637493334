"""The elements of a tensor that one copy moves (PTX ISA, "Tensors": tiled and im2col modes)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator.tensor_maps import MAX_RANK, Descriptor
from tileir_xdsl.emulator.types import Array, Mask

_ROWS = 4
"""The number of rows that a gathering or scattering copy moves."""

_MOST_HALO = 512
_MOST_OFFSET = 32
_GROUPED_PIXELS, _GROUP, _MOST_GROUP_HALO = 128, 32, 32
"""In mode im2col::w::128: the number of pixels, the pixels between halos, the largest halo."""


@dataclass(frozen=True)
class Box:
    """The elements of one copy: their addresses, and which of them are inside the tensor.

    `outer` has generic addresses in global memory, `inner` offsets in shared memory from the start
    of the box, before swizzling; both are `[elements]`.
    """

    outer: Array
    inner: Array
    inside: Mask

    @staticmethod
    def of(descriptor: Descriptor, positions: Array) -> Box:
        """A box of elements at positions, `[elements, rank]`, packed in this order."""
        size = descriptor.dtype.itemsize
        strides = np.array((size, *descriptor.strides))
        within = (positions >= 0) & (positions < np.array(descriptor.extents))
        inside = np.asarray(within.all(axis=1))
        outer = descriptor.address + positions @ strides
        return Box(outer, np.arange(len(outer)) * size, inside)

    @property
    def count(self) -> int:
        return len(self.outer)


def _grid(axes: list[Array]) -> Array:
    """All combinations of positions, the first axis fastest, `[elements, axes]`."""
    grid = np.meshgrid(*reversed(axes), indexing="ij")
    return np.stack([axis.ravel() for axis in reversed(grid)], axis=1)


def _tile(descriptor: Descriptor, coordinates: tuple[int, ...]) -> Box:
    """A tiled box; its first element, at the coordinates, may be outside of the tensor.

    An element stride n selects every n-th element along a dimension, but not along the fastest one
    (CUDA driver API, "cuTensorMapEncodeTiled").
    """
    steps = (1, *descriptor.steps[1:])
    axes = [
        start + np.arange(0, extent, step)
        for start, extent, step in zip(coordinates, descriptor.box, steps, strict=True)
    ]
    return Box.of(descriptor, _grid(axes))


def _rows(descriptor: Descriptor, coordinates: tuple[int, ...]) -> Box:
    """Four rows of a matrix; the coordinates are the first column and the four row numbers."""
    if descriptor.rank != 2 or descriptor.box[1] != 1:
        raise ValueError(
            "gathering or scattering rows needs a tensor map of rank 2 with boxes of one row"
        )
    columns = coordinates[0] + np.arange(descriptor.box[0])
    return Box.of(descriptor, _grid([columns, np.array(coordinates[1:])]))


def _pixels(descriptor: Descriptor, coordinates: tuple[int, ...]) -> Box:
    """The channels of successive pixels in the bounding box between the map's corners.

    The coordinates are the first channel, the position of the first pixel, and the image. The
    offsets that follow are added to the positions of all pixels.
    """
    corners = descriptor.corners
    if corners is None:
        raise ValueError("the tensor map is for tiles, not for im2col")
    rank = descriptor.rank
    channels = coordinates[0] + np.arange(descriptor.box[0])
    lower, upper = (np.array(corner) for corner in corners)
    step = np.array(descriptor.steps[1:-1])
    extents = np.array(descriptor.extents[1:-1])
    # How many steps a row, a column.. of the box between the corners has.
    counts = np.maximum((extents + upper - 1 - lower) // step + 1, 1)
    position = (np.array(coordinates[1 : rank - 1]) - lower) // step
    first = 0
    for axis in reversed(range(rank - 2)):
        first = first * int(counts[axis]) + int(position[axis])
    linear = first + np.arange(descriptor.box[1])
    positions: list[Array] = []
    for axis in range(rank - 2):
        positions.append(
            lower[axis] + linear % counts[axis] * step[axis] + coordinates[rank + axis]
        )
        linear = linear // counts[axis]
    images = coordinates[rank - 1] + linear * descriptor.steps[-1]
    pixels = np.stack([*positions, images], axis=1)
    repeated = np.repeat(pixels, len(channels), axis=0)
    return Box.of(descriptor, np.c_[np.tile(channels, len(pixels)), repeated])


def _row_pixels(descriptor: Descriptor, coordinates: tuple[int, ...], *, grouped: bool) -> Box:
    """The channels of pixels along W, with a halo after the last pixel or after every 32.

    wHalo and wOffset follow the other coordinates. After the last pixel of a row between the
    corners, the first one of the next image follows. A halo continues along W beyond the corners.
    """
    corners = descriptor.corners
    if corners is None:
        raise ValueError("the tensor map is for tiles, not for im2col")
    if not descriptor.swizzle:
        raise ValueError("im2col::w needs a tensor map with swizzling")
    rank, step = descriptor.rank, descriptor.steps[1]
    halo, offset = coordinates[rank:]
    most = _MOST_GROUP_HALO if grouped else _MOST_HALO
    if not (0 <= halo < most and 0 <= offset < _MOST_OFFSET):
        raise ValueError(
            f"wHalo must be 0 to {most - 1} and wOffset 0 to {_MOST_OFFSET - 1}, "
            f"not {halo} and {offset}"
        )
    lower, upper = corners[0][0], corners[1][0] + descriptor.extents[1] - 1
    pixels, group = descriptor.box[1], descriptor.box[1]
    if grouped:
        pixels, group = _GROUPED_PIXELS, _GROUP
    # How many places the first row has, which begins anywhere, and every other one.
    first, count = (max((upper - at) // step + 1, 1) for at in (coordinates[1], lower))
    number = np.arange(pixels)
    row, position = np.divmod(number - first, count)
    starts = row < 0
    position = np.where(starts, coordinates[1] + number * step, lower + position * step)
    image = coordinates[rank - 1] + np.where(starts, 0, row + 1) * descriptor.steps[-1]
    position, image = position.reshape(-1, group), image.reshape(-1, group)
    behind = position[:, -1:] + np.arange(1, halo + 1) * step
    position = np.concatenate([position, behind], axis=1).ravel() + offset
    image = np.concatenate([image, np.repeat(image[:, -1:], halo, axis=1)], axis=1).ravel()
    others = np.tile(np.array(coordinates[2 : rank - 1], np.int64), (len(position), 1))
    channels = coordinates[0] + np.arange(descriptor.box[0])
    repeated = np.repeat(np.c_[position, others, image], len(channels), axis=0)
    return Box.of(descriptor, np.c_[np.tile(channels, len(position)), repeated])


@dataclass(frozen=True)
class Mode:
    """A mode of selecting elements; `further` counts the operands besides one coordinate per
    dimension.
    """

    box: Callable[[Descriptor, tuple[int, ...]], Box]
    further: Callable[[int], int]

    def coordinates(self, rank: int) -> int:
        """The number of coordinates and offsets for a tensor of a rank."""
        return rank + self.further(rank)


MODES: Mapping[str, Mode] = {
    "tile": Mode(_tile, lambda rank: 0),
    "tile::gather4": Mode(_rows, lambda rank: _ROWS - 1),
    "tile::scatter4": Mode(_rows, lambda rank: _ROWS - 1),
    "im2col": Mode(_pixels, lambda rank: rank - 2),
    "im2col::w": Mode(partial(_row_pixels, grouped=False), lambda rank: 2),
    "im2col::w::128": Mode(partial(_row_pixels, grouped=True), lambda rank: 2),
}


def box_at(descriptor: Descriptor, mode: str, coordinates: tuple[int, ...]) -> Box:
    """The box that a mode selects at some coordinates and offsets.

    Raises `ValueError` for a map of another rank or mode.
    """
    found = MODES[mode]
    ranks = [rank for rank in range(1, MAX_RANK + 1) if found.coordinates(rank) == len(coordinates)]
    if descriptor.rank not in ranks:
        raise ValueError(
            f"the tensor map has {descriptor.rank} dimensions, but the coordinates are for "
            f"{ranks[0]}"
        )
    if descriptor.corners is not None and not mode.startswith("im2col"):
        raise ValueError("the tensor map is for im2col, not for tiles")
    return found.box(descriptor, coordinates)
