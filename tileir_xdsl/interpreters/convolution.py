"""Runtime views of activations as matrices for implicit convolution (im2col).

A row of the matrix is an output position: image, then the spatial dimensions, row-major. A column
is an input channel at a filter position; all channels of a position are adjacent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.views import Padding, TensorView

WindowDimension = tuple[int, int, int]
"""Padding, stride and dilation along a spatial dimension."""


def output_extent(extent: int, taps: int, dimension: WindowDimension) -> int:
    """The number of output positions along a dimension of `extent`, for a filter of `taps`."""
    padding, stride, dilation = dimension
    return max(0, (extent + 2 * padding - dilation * (taps - 1) - 1) // stride + 1)


@dataclass(frozen=True)
class ConvolutionView:
    """A view of tiles of the matrix that a convolution reads.

    Of the two `groups` of dimensions, one has only the `channel`. Along this group, an index counts
    tiles, filter position by filter position; no tile spans two positions. Along the other group,
    an index counts tiles of rows. `filter` and `window` have an element for each spatial dimension.
    """

    tensor: TensorView
    tile: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    channel: int
    filter: tuple[int, ...]
    window: tuple[WindowDimension, ...]
    padding: Padding | float | None = None

    @property
    def _channel_axis(self) -> int:
        return self.groups.index((self.channel,))

    def _outputs(self) -> tuple[int, ...]:
        """The number of images, and of output positions along each spatial dimension."""
        images, *spatial = (self.tensor.shape[dim] for dim in self.groups[1 - self._channel_axis])
        extents = map(output_extent, spatial, self.filter, self.window)
        return (images, *extents)

    def _rows(self, index: Array) -> Array:
        tile = self.tile[1 - self._channel_axis]
        # One row past the last is as far outside as any.
        start = min(int(index) * tile, math.prod(self._outputs()))
        return start + np.arange(tile, dtype=np.int64)

    def _columns(self, index: Array) -> tuple[int, Array]:
        """The number of a tile's filter position, and its channels."""
        tile, channels = self.tile[self._channel_axis], self.tensor.shape[self.channel]
        tap, number = divmod(int(index), max(1, -(-channels // tile)))
        return tap, number * tile + np.arange(tile, dtype=np.int64)

    def within(self, axis: int, index: Array) -> Array:
        """As `View.within`: which rows or columns the matrix has."""
        if axis != self._channel_axis:
            return self._rows(index) < math.prod(self._outputs())
        tap, channels = self._columns(index)
        return (channels < self.tensor.shape[self.channel]) & (tap < math.prod(self.filter))

    def offsets(self, indices: Sequence[Array]) -> tuple[Array, Array]:
        """As `View.offsets`; positions in the padding of the convolution are outside."""
        channel_axis = self._channel_axis
        row_index, column_index = indices[1 - channel_axis], indices[channel_axis]
        tap, channels = self._columns(column_index)
        rows, columns = (
            self.within(1 - channel_axis, row_index),
            self.within(channel_axis, column_index),
        )
        if not rows.any() or not columns.any():
            return np.zeros(self.tile, np.int64), np.zeros(self.tile, np.bool_)
        image, *outputs = np.unravel_index(
            np.where(rows, self._rows(row_index), 0), self._outputs()
        )
        taps = np.unravel_index(tap, self.filter)
        positions = [image]
        for output, place, (padding, stride, dilation) in zip(
            outputs, taps, self.window, strict=True
        ):
            positions.append(output * stride - padding + int(place) * dilation)
        offsets, inside = np.zeros(rows.shape, np.int64), rows
        for dim, position in zip(self.groups[1 - channel_axis], positions, strict=True):
            offsets = offsets + position * self.tensor.strides[dim]
            inside = inside & (position >= 0) & (position < self.tensor.shape[dim])
        along_channels = channels * self.tensor.strides[self.channel]
        matrix = offsets[:, None] + along_channels, inside[:, None] & columns
        return matrix if channel_axis == 1 else (matrix[0].T, matrix[1].T)
