"""Addresses and bounds of `conv_tile` elements: tiles of a convolution's implicit GEMM matrix.

Row r of the matrix is an output position: the image and the spatial coordinates, in row-major
order. The matrix's columns are the channels of the input, for each filter position in turn. A
tile's column index counts the channel tiles of all filter positions. So all columns of a tile have
one filter position, which is computed once, and each row has one activation position. Elements in
the padding of the convolution are out of bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.layout.linear import LinearLayout

from ..thread.builder import Index, LLVMBuilder
from ..thread.memory_objects import TiledView
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from .element_addresses import Positions, TestedElements, divide, tile_positions
from .tile_bounds import tile_start


@dataclass(frozen=True)
class ConvolutionView(TiledView):
    """A memory object as tiles of a convolution's implicit GEMM matrix.

    `filter` is the filter's extent by spatial dimension; `params` are padding, stride and dilation.
    """

    channel: int = 0
    filter: tuple[int, ...] = ()
    params: tuple[tuple[int, int, int], ...] = ()

    @property
    def channel_axis(self) -> int:
        """The tile dimension of the columns; the other dimension has the rows."""
        return self.groups.index((self.channel,))


class LowerConvTile(LowerOp[nv_tileaa.ConvTileOp]):
    def lower(self, op: nv_tileaa.ConvTileOp, rewriter: ThreadRewriter) -> None:
        sizes = op.get_tile_sizes()
        rewriter.replace(
            op.result,
            ConvolutionView(
                rewriter.memref(op.source),
                sizes,
                sizes,
                op.get_dim_groups(),
                op.channel.value.data,
                op.get_filter_size(),
                tuple(op.conv_params.steps),
            ),
        )


@dataclass(frozen=True)
class ConvolutionAccess(TestedElements):
    """One thread's elements in a tile of the implicit GEMM matrix."""

    builder: LLVMBuilder
    view: ConvolutionView
    layout: LinearLayout
    coordinates: Sequence[Index]
    checked: Sequence[bool]
    """For each dimension, whether elements may be out of bounds."""
    element: Attribute

    def pointers(self, width: int) -> dict[int, SSAValue]:
        """The address of the element in every `width`-th register."""
        builder, memref = self.builder, self.view.memref
        found: dict[int, SSAValue] = {}
        # Each row needs divisions of its own, but one address serves a whole vector.
        for register in range(0, self.layout.registers, width):
            channel = self._positions(register, self.view.channel_axis)
            offset = builder.multiply(channel, memref.strides[self.view.channel], i64)
            for dim, position in self._coordinates(register):
                part = builder.multiply(position, memref.strides[dim], i64)
                offset = builder.add(offset, part, i64)
            found[register] = builder.element_pointer(memref.base, offset, self.element)
        return found

    def masks(self) -> list[SSAValue | None]:
        """For every register, whether its element is in bounds; None if known to be in bounds."""
        return [
            self.builder.conjunction(self._conditions(register))
            for register in range(self.layout.registers)
        ]

    def _conditions(self, register: int) -> list[SSAValue]:
        view, axis = self.view, self.view.channel_axis
        conditions: list[SSAValue] = []
        # Rows and columns are checked one by one: either may be known to be in bounds.
        if self.checked[1 - axis]:
            conditions.append(self._below(self._positions(register, 1 - axis), self._rows))
        if self.checked[axis]:
            conditions.append(self._below(self._tap, prod(view.filter)))
            channels = view.memref.sizes[view.channel]
            conditions.append(self._below(self._positions(register, axis), channels))
        spatial = self._coordinates(register)[1:]
        for (dim, position), (padding, _, _) in zip(spatial, view.params, strict=True):
            # Without padding an existing output position reads inside of the activation.
            if padding:
                conditions.append(self._below(position, view.memref.sizes[dim]))
        return conditions

    def _below(self, value: Index, limit: Index) -> SSAValue:
        """Whether an unsigned number is below a limit."""
        lhs, rhs = (self.builder.integer(number, i64) for number in (value, limit))
        # Unsigned: positions in the padding before the first element wrap to large numbers.
        return self.builder.compare("ult", lhs, rhs)

    # Rows.

    @cached_property
    def _outputs(self) -> tuple[Index, ...]:
        """The output extents by spatial dimension."""
        _, *spatial = self.view.groups[1 - self.view.channel_axis]
        return tuple(
            self._output_extent(self.view.memref.sizes[dim], taps, *params)
            for dim, taps, params in zip(spatial, self.view.filter, self.view.params, strict=True)
        )

    def _output_extent(
        self, extent: Index, taps: int, padding: int, stride: int, dilation: int
    ) -> Index:
        # The extent that one output needs, less the padding: the usual formula of a convolution.
        reach = dilation * (taps - 1) + 1 - 2 * padding
        if isinstance(extent, int):
            return max(0, (extent - reach) // stride + 1)
        builder = self.builder
        zero, one = builder.integer(0, i64), builder.integer(1, i64)
        rest = builder.compute(llvm.SubOp, extent, builder.integer(reach, i64))
        # Where the filter is larger than the image the unsigned division would give a huge extent.
        fits = builder.compare("sge", rest, zero)
        steps = builder.compute(llvm.UDivOp, rest, builder.integer(stride, i64))
        return builder.compute(llvm.SelectOp, fits, builder.compute(llvm.AddOp, steps, one), zero)

    @cached_property
    def _rows(self) -> Index:
        """The number of rows of the matrix."""
        batch = self.view.groups[1 - self.view.channel_axis][0]
        count = self.view.memref.sizes[batch]
        for extent in self._outputs:
            count = self.builder.multiply(count, extent, i64)
        return count

    def _first_row(self) -> Index:
        """The first row of the tile."""
        axis = 1 - self.view.channel_axis
        return tile_start(self.builder, self.coordinates[axis], self.view.extents[axis])

    def _coordinates(self, register: int) -> list[tuple[int, Index]]:
        """The activation position of a row: the image, and a coordinate by spatial dimension."""
        builder, view = self.builder, self.view
        batch, *spatial = view.groups[1 - view.channel_axis]
        rest = self._positions(register, 1 - view.channel_axis)
        positions: list[tuple[int, Index]] = []
        columns = zip(spatial, self._outputs, self._taps, view.params, strict=True)
        # Row-major: the last dimension is the remainder of the first division.
        for dim, outputs, tap, (padding, stride, dilation) in reversed(list(columns)):
            rest, output = divide(builder, rest, outputs)
            first = builder.subtract(builder.multiply(tap, dilation, i64), padding, i64)
            position = builder.add(builder.multiply(output, stride, i64), first, i64)
            positions.append((dim, position))
        return [(batch, rest), *reversed(positions)]

    # Columns.

    @cached_property
    def _column(self) -> tuple[Index, Index]:
        """The index of the filter position, and the index of the tile among its channels."""
        builder, view = self.builder, self.view
        tile = view.extents[view.channel_axis]
        channels = view.memref.sizes[view.channel]
        tiles, _ = divide(builder, builder.add(channels, tile - 1, i64), tile)
        index = builder.zero_extend(self.coordinates[view.channel_axis], i64)
        return divide(builder, index, tiles)

    @property
    def _tap(self) -> Index:
        return self._column[0]

    @cached_property
    def _taps(self) -> tuple[Index, ...]:
        """The filter coordinates by spatial dimension."""
        rest, positions = self._tap, list[Index]()
        for extent in reversed(self.view.filter):
            rest, position = divide(self.builder, rest, extent)
            positions.append(position)
        return tuple(reversed(positions))

    @cached_property
    def _positions(self) -> Positions:
        """The positions of a register's element in rows and channels."""
        axis = self.view.channel_axis
        starts: list[Index] = [0, 0]
        starts[1 - axis] = self._first_row()
        starts[axis] = self.builder.multiply(self._column[1], self.view.extents[axis], i64)
        return tile_positions(self.builder, self.layout, starts)


PATTERNS: Patterns = {nv_tileaa.ConvTileOp: LowerConvTile}
