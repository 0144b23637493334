"""Layouts of accumulators and operands of tcgen05 in tensor memory and in registers.

Tensor memory has 128 lanes of 512 columns of 32 bits. The four warps of a warpgroup access 32 lanes
each, in order. Source: PTX ISA, "Tensor Memory" and "tcgen05.ld".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import Layout, LayoutError, bit_count
from tileir_xdsl.layout.fragments import Fragment, tile
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases

LANES = 128
COLUMNS = 512
LANE_SHIFT = 16
"""The lowest bit of the lane in an address."""

SCALES_PER_WORD = 4
"""The number of blocks along K whose scales share a 32-bit column."""
SCALE_LANES = 32
"""The number of rows of A, or columns of B, whose scales share a column."""
ROWS_PER_COPY = 128
"""The number of rows of A, or columns of B, whose scales one copy moves."""
COPY_COLUMNS = ROWS_PER_COPY // SCALE_LANES
"""The columns that one copy fills."""


class AccessShape(Enum):
    """The lanes and bits that one tcgen05.ld or .st covers, as PTX spells it."""

    LANES_32_BITS_32 = "32x32b"
    LANES_16_BITS_64 = "16x64b"
    LANES_16_BITS_128 = "16x128b"
    LANES_16_BITS_256 = "16x256b"


ACCESS_FRAGMENTS: dict[AccessShape, Fragment] = {
    AccessShape.LANES_32_BITS_32: Fragment(
        register=(), lane=((1, 0), (2, 0), (4, 0), (8, 0), (16, 0)), warp=(), extent=(32, 1)
    ),
    AccessShape.LANES_16_BITS_64: Fragment(
        register=(), lane=((8, 0), (0, 1), (1, 0), (2, 0), (4, 0)), warp=(), extent=(16, 2)
    ),
    AccessShape.LANES_16_BITS_128: Fragment(
        register=((8, 0),), lane=((0, 1), (0, 2), (1, 0), (2, 0), (4, 0)), warp=(), extent=(16, 4)
    ),
    AccessShape.LANES_16_BITS_256: Fragment(
        register=((0, 1), (8, 0)),
        lane=((0, 2), (0, 4), (1, 0), (2, 0), (4, 0)),
        warp=(),
        extent=(16, 8),
    ),
}
"""Rows are tensor-memory lanes, columns are 32-bit tensor-memory columns."""


@dataclass(frozen=True)
class TensorMemoryLayout:
    """A tile in tensor memory, as linear maps over F2 from the row-major element index.

    Bit ``i`` of the element index contributes ``lane[i]`` to the lane and ``column[i]`` to the
    column. Elements take a whole 32-bit column each.
    """

    lane: tuple[int, ...]
    column: tuple[int, ...]
    shape: tuple[int, ...]

    def address(self, element: int) -> int:
        """The tensor-memory address relative to the allocation: lane << 16 | column."""
        return f2.apply(self.lane, element) << LANE_SHIFT | f2.apply(self.column, element)

    @property
    def columns(self) -> int:
        """The columns allocated for the tile: a power of two, at least 32."""
        reach = 0
        for base in self.column:
            reach |= base
        return reach + 1


def row_blocks(rows: int) -> int:
    """The number of blocks of 128 rows of a tile, which occupy consecutive columns; at least 1."""
    return max(1, rows // LANES)


def tile_columns(shape: Sequence[int]) -> int:
    """The columns of a tile (M, N) of 32-bit elements."""
    rows, columns = shape[-2:]
    return row_blocks(rows) * columns


def tensor_memory_accumulator(shape: Sequence[int]) -> TensorMemoryLayout:
    """The accumulator (M, N) of tcgen05.mma of one block, in 32-bit elements.

    With M = 128, row i is in lane i. With M = 64, sixteen rows go to the first half of each warp's
    32 lanes. Column j is in column j. Every further 128 rows occupy the next N columns.

    Raises:
        LayoutError: M is neither 64 nor a power of two from 128 on, or N is not a power of two.
            Also raised for more than 512 columns.
    """
    rows, columns = shape
    if rows < LANES // 2 or rows & (rows - 1):
        raise LayoutError(
            f"tcgen05 accumulators have 64 rows or a power of two of at least 128, got {rows}"
        )
    blocks = row_blocks(rows)
    if bit_count(columns) + bit_count(blocks) > bit_count(COLUMNS):
        raise LayoutError(
            f"tensor memory has {COLUMNS} columns, but the accumulator needs {blocks * columns}"
        )
    lanes = (1, 2, 4, 8, 32, 64) if rows == 64 else (1, 2, 4, 8, 16, 32, 64)
    column_bases = dimension_bases((columns,), 0)
    of_blocks = tuple(columns * base for base in dimension_bases((blocks,), 0))
    return TensorMemoryLayout(
        lane=(0,) * len(column_bases) + lanes + (0,) * len(of_blocks),
        column=column_bases + (0,) * len(lanes) + of_blocks,
        shape=(rows, columns),
    )


def tensor_memory_addresses(shape: Sequence[int]) -> Layout:
    """The addresses of the elements of an accumulator: lane << 16 | column.

    `(128, 64):(65536, 1)`; 64 rows are in the first half of each 32 lanes: `((16, 4), 64):((65536,
    2097152), 1)`; 256 rows are in two blocks of columns: `((128, 2), 64):((65536, 64), 1)`.

    Raises:
        LayoutError: as `tensor_memory_accumulator` does.
    """
    rows, columns = tensor_memory_accumulator(shape).shape
    lane = 1 << LANE_SHIFT
    if rows == LANES:
        return Layout((rows, columns), (lane, 1))
    if rows > LANES:
        return Layout(((LANES, row_blocks(rows)), columns), ((lane, columns), 1))
    return Layout(((16, rows // 16), columns), ((lane, 32 * lane), 1))


def tensor_memory_registers(
    layout: TensorMemoryLayout, access: AccessShape, warpgroups: int = 1
) -> LinearLayout:
    """The registers that hold a tile after tcgen05.ld of the given shape.

    The warpgroups divide the consecutive columns of all blocks of rows. Registers repeat the access
    along the columns first; shapes of 16 lanes then repeat it for the upper half of a warp's 32
    lanes.

    Raises:
        LayoutError: the tile has too few columns, or the access reaches lanes that hold no element.
    """
    held = tile(ACCESS_FRAGMENTS[access], (LANES, layout.columns), warps=((0, 4), (1, warpgroups)))
    # The fragment numbers positions as lane * columns + column; the layout maps elements to them.
    positions = [
        lane * layout.columns + column
        for lane, column in zip(layout.lane, layout.column, strict=True)
    ]
    span = f2.Span(positions)

    def elements(bases: Sequence[int]) -> tuple[int, ...]:
        found: list[int] = []
        for position in bases:
            remainder, element = span.reduce(position)
            if remainder:
                raise LayoutError(
                    f"tcgen05 access {access.value} reaches lanes that hold no element"
                )
            found.append(element)
        return tuple(found)

    # For the shapes of 16 lanes the upper half is a register bit, left out where it holds nothing.
    register = [position for position in held.register if position in span]
    return LinearLayout(
        elements(register), elements(held.lane), elements(held.warp), (), layout.shape
    )


# Operand A: each column of 32 bits has two neighbours along K of 16 bits.

ELEMENTS_OF_COLUMN = 2
OPERAND_A_ACCESSES: dict[AccessShape, AccessShape] = {
    AccessShape.LANES_32_BITS_32: AccessShape.LANES_32_BITS_32,
    AccessShape.LANES_16_BITS_256: AccessShape.LANES_16_BITS_128,
}
"""Maps an access that loads 32-bit elements to one that stores pairs of them as 16-bit elements.
"""


def tensor_memory_operand_a(
    shape: Sequence[int], access: AccessShape, warpgroups: int = 1
) -> LinearLayout:
    """The registers from which an operand A (M, K) of 16-bit elements is stored.

    `access` loads an accumulator with the same number of columns. Row i is in lane i, the elements
    of columns 2 j and 2 j + 1 in column j. Every further 128 rows occupy the next columns.

    Raises:
        LayoutError: M is less than 128, or no access stores such pairs.
    """
    rows, columns = shape
    store = OPERAND_A_ACCESSES.get(access)
    # Of fewer rows the lanes that the instruction reads depend on its form (PTX ISA).
    if rows < LANES or store is None or columns % ELEMENTS_OF_COLUMN:
        raise LayoutError(
            f"no tcgen05 access stores an operand A of {rows} rows and {columns} columns"
        )
    words = columns // ELEMENTS_OF_COLUMN
    layout = tensor_memory_registers(tensor_memory_accumulator((rows, words)), store, warpgroups)
    register, lane, warp = (
        tuple(ELEMENTS_OF_COLUMN * base for base in bases)
        for bases in (layout.register, layout.lane, layout.warp)
    )
    return LinearLayout((1, *register), lane, warp, (), (rows, columns))


def columns_of_operand_a(layout: LinearLayout) -> LinearLayout | None:
    """The columns to which the registers of an operand A are stored; None for other layouts."""
    if len(layout.shape) != 2 or layout.register[:1] != (1,):
        return None
    rows, columns = layout.shape
    for access in OPERAND_A_ACCESSES:
        try:
            expected = tensor_memory_operand_a(layout.shape, access, max(1, layout.warps // 4))
        except LayoutError:
            continue
        if expected == layout:
            register, lane, warp = (
                tuple(base // ELEMENTS_OF_COLUMN for base in bases)
                for bases in (layout.register[1:], layout.lane, layout.warp)
            )
            shape = (rows, columns // ELEMENTS_OF_COLUMN)
            return LinearLayout(register, lane, warp, (), shape)
    return None


@dataclass(frozen=True)
class ScaleColumns:
    """The distribution of the scales of one operand over columns of tensor memory.

    A column has the scales of 32 rows of A (columns of B) and of four blocks along K. The next
    column has the scales of the next 32 rows.
    """

    groups: int
    """Groups of 32 rows."""
    words: int
    """Groups of four blocks along K."""

    @property
    def total(self) -> int:
        """All columns."""
        return self.groups * self.words

    @staticmethod
    def of_registers(rows: int, blocks: int) -> ScaleColumns:
        """The columns of scales that threads store."""
        return ScaleColumns(-(-rows // SCALE_LANES), -(-blocks // SCALES_PER_WORD))

    @staticmethod
    def of_copies(rows: int, blocks: int) -> ScaleColumns:
        """The columns of scales that copies write: a multiple of the columns of one copy."""
        return ScaleColumns(COPY_COLUMNS * -(-rows // ROWS_PER_COPY), blocks // SCALES_PER_WORD)
