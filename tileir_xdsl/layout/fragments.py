"""Fragments: the part of a tile that one matrix instruction spreads over a warp, as data.

Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", "Asynchronous Warpgroup Level
Matrix Instructions" and "Tensor Memory Access". In the formulas g = lane / 4 and t = lane % 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tileir_xdsl.layout.cute import LayoutError, bit_count
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases, element_strides

Position: TypeAlias = tuple[int, int]
"""A row and a column."""


@dataclass(frozen=True)
class Fragment:
    """The (row, column) of one instruction that each bit of register, lane and warp contributes."""

    register: tuple[Position, ...]
    lane: tuple[Position, ...]
    warp: tuple[Position, ...]
    extent: Position

    def within(self, rows: int, columns: int) -> Fragment:
        """The fragment of a tile with fewer rows or columns.

        Registers beyond these rows or columns are dropped; lanes and warps beyond hold copies.
        """

        def kept(positions: tuple[Position, ...]) -> tuple[Position, ...]:
            return tuple((r, c) if r < rows and c < columns else (0, 0) for r, c in positions)

        return Fragment(
            tuple(position for position in kept(self.register) if position != (0, 0)),
            kept(self.lane),
            kept(self.warp),
            (min(rows, self.extent[0]), min(columns, self.extent[1])),
        )


_LANES_BY_ROW: tuple[Position, ...] = ((1, 0), (2, 0), (4, 0))


def _word_elements(element_bits: int) -> int:
    """Elements per 32-bit register; 1 for wider elements."""
    return max(1, 32 // element_bits)


def _word(element_bits: int, *, along_row: bool) -> tuple[Position, ...]:
    """The register bits inside one 32-bit word, along the row or down the column."""
    steps = (1 << bit for bit in range(bit_count(_word_elements(element_bits))))
    return tuple((0, step) if along_row else (step, 0) for step in steps)


ACCUMULATOR = Fragment(
    register=((0, 1), (8, 0)), lane=((0, 2), (0, 4), *_LANES_BY_ROW), warp=(), extent=(16, 8)
)
"""C and D of mma m16n8: row g + 8 * (i / 2), column 2t + i % 2 in register i < 4."""

ACCUMULATOR_8_ROWS = Fragment(
    register=((0, 1),), lane=((0, 2), (0, 4), *_LANES_BY_ROW), warp=(), extent=(8, 8)
)
"""C and D of mma m8n8k4 on f64: row g, column 2t + i in register i < 2."""

WARPGROUP_ACCUMULATOR = Fragment(
    ACCUMULATOR.register, ACCUMULATOR.lane, warp=((16, 0), (32, 0)), extent=(64, 8)
)
"""D of wgmma m64: the mma accumulator, 16 rows per warp, repeated along N."""


def operand_a(element_bits: int, rows: int = 16) -> Fragment:
    """A (M x K) of mma m16n8, or m8n8 with ``rows`` = 8.

    With e elements per 32-bit word, word i holds row g + 8 * (i % 2). The columns of word i are e *
    t + 4e * (i / 2) and the e - 1 after it. The fragment covers the words with i / 2 = 0; the other
    words repeat the fragment.
    """
    word = _word_elements(element_bits)
    second_half: tuple[Position, ...] = ((8, 0),) if rows == 16 else ()
    return Fragment(
        register=_word(element_bits, along_row=True) + second_half,
        lane=((0, word), (0, 2 * word), *_LANES_BY_ROW),
        warp=(),
        extent=(rows, 4 * word),
    )


def operand_b(element_bits: int) -> Fragment:
    """B (K x N) of mma n8: word i holds rows e * t + 4e * i and the e - 1 after it, column g."""
    word = _word_elements(element_bits)
    return Fragment(
        register=_word(element_bits, along_row=False),
        lane=((word, 0), (2 * word, 0), (0, 1), (0, 2), (0, 4)),
        warp=(),
        extent=(4 * word, 8),
    )


def scales_a(rows: int) -> Fragment:
    """Block scales of A (M x K / block) of mma m16n8, for a warp with ``rows`` rows.

    Lane 4 * (m % 8) + m / 8 + 2 * i of each instruction holds a row's scales; the instruction names
    thread i. Instructions of adjacent rows name threads 0 and 1.
    """
    steps = tuple((step, 0) if step < rows else (0, 0) for step in (8, 16))
    return Fragment((), (*steps, *_LANES_BY_ROW), (), (min(rows, 32), 1))


def scales_b(columns: int) -> Fragment:
    """Block scales of B (K / block x N): lane 4n + i has those of column n, i = 0 .. 3."""
    steps = tuple((0, step) if step < columns else (0, 0) for step in (8, 16))
    lanes = tuple((0, step) for step in (1, 2, 4))
    return Fragment((), (*steps, *lanes), (), (1, min(columns, 32)))


TENSOR_MEMORY_SCALES_A = Fragment((), ((1, 0), (2, 0), (4, 0), (8, 0), (16, 0)), (), (32, 1))
"""Block scales of A in registers, before their copy to tensor memory: lane i holds row i."""

TENSOR_MEMORY_SCALES_B = Fragment((), ((0, 1), (0, 2), (0, 4), (0, 8), (0, 16)), (), (1, 32))
"""Block scales of B in registers, before their copy to tensor memory: lane i holds column i."""


def warpgroup_operand_a(element_bits: int) -> Fragment:
    """A of wgmma m64 in registers: the mma operand, 16 rows per warp."""
    part = operand_a(element_bits)
    return Fragment(part.register, part.lane, WARPGROUP_ACCUMULATOR.warp, (64, part.extent[1]))


def matrix_rows(element_bits: int) -> Fragment:
    """One matrix of ldmatrix and stmatrix: 8 rows of 16 bytes, 4 bytes per lane along the row."""
    part = operand_a(element_bits, rows=8)
    return Fragment(part.register, part.lane, (), part.extent)


_COLUMNS_OF_16_BITS = Fragment(
    register=((1, 0),), lane=((2, 0), (4, 0), (0, 1), (0, 2), (0, 4)), warp=(), extent=(8, 8)
)

MATRIX_COLUMNS: dict[tuple[int, bool], Fragment] = {
    # m8n8.b16: rows 2t, 2t + 1 of column g.
    (16, False): _COLUMNS_OF_16_BITS,
    (16, True): _COLUMNS_OF_16_BITS,
    # m16n16.b8: word i holds rows 4t .. 4t + 3 of column g + 8i.
    (8, False): Fragment(
        register=((1, 0), (2, 0), (0, 8)),
        lane=((4, 0), (8, 0), (0, 1), (0, 2), (0, 4)),
        warp=(),
        extent=(16, 16),
    ),
    # m16n8.b8: rows 2t, 2t + 1 of column g, then of column g + 8; the fragment swaps m and n.
    (8, True): Fragment(
        register=((1, 0), (0, 8)),
        lane=((2, 0), (4, 0), (0, 1), (0, 2), (0, 4)),
        warp=(),
        extent=(8, 16),
    ),
}
"""One matrix of ldmatrix.trans and stmatrix.trans, by element bits and whether it is stored.

Rows are the 16-byte rows in shared memory.
"""


def tile(
    fragment: Fragment,
    shape: Sequence[int],
    warps: Sequence[tuple[int | None, int]] = (),
    order: Position = (1, 0),
) -> LinearLayout:
    """Repeats a fragment over a tile.

    Each warp, or group of warps of a fragment, owns a contiguous part of the last two dimensions.
    Registers repeat the fragment over that part, and over leading dimensions.

    Args:
        fragment: what one instruction covers of the last two dimensions.
        shape: extents of the tile.
        warps: (dimension, count) pairs, lowest warp bits first: dimension 0 (rows) or 1 (columns)
            splits the tile, None keeps copies of it.
        order: the dimension along which registers repeat the fragment first, then the other.

    Raises:
        LayoutError: the tile has fewer than two dimensions, or is too small for the fragment and
            the warps.
    """
    if len(shape) < 2:
        raise LayoutError(
            f"a matrix fragment needs at least two dimensions, got shape {tuple(shape)}"
        )
    matrix = len(shape) - 2
    strides = element_strides(shape)[matrix:]
    axes = [dimension_bases(shape, matrix + axis) for axis in (0, 1)]
    repeated: list[tuple[int, ...]] = []
    owned: list[int] = []
    for axis in (0, 1):
        split = sum(bit_count(count) for dimension, count in warps if dimension == axis)
        first = bit_count(fragment.extent[axis])
        last = len(axes[axis]) - split
        if last < first:
            raise LayoutError(
                f"extent {shape[matrix + axis]} is too small for {1 << split} parts of at least "
                f"{fragment.extent[axis]}"
            )
        repeated.append(axes[axis][first:last])
        owned.append(last)

    def linear(positions: Sequence[Position]) -> tuple[int, ...]:
        return tuple(row * strides[0] + column * strides[1] for row, column in positions)

    register = linear(fragment.register) + repeated[order[0]] + repeated[order[1]]
    for dimension in reversed(range(matrix)):
        register += dimension_bases(shape, dimension)
    warp = linear(fragment.warp)
    for axis, count in warps:
        bits = bit_count(count)
        if axis is None:
            warp += (0,) * bits
        else:
            warp += axes[axis][owned[axis] : owned[axis] + bits]
            owned[axis] += bits
    return LinearLayout(register, linear(fragment.lane), warp, (), tuple(shape))
