"""Constructors of distributed layouts, one for each distribution of a tile that the hardware uses.

Layouts are plain data: no user of a layout depends on its constructor.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from tileir_xdsl.layout import fragments
from tileir_xdsl.layout.cute import LayoutError, bit_count
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases


def dimension_order(shape: Sequence[int], order: Sequence[int] | None) -> tuple[int, ...]:
    """The dimensions from fastest to slowest; the default is the last dimension first.

    Raises:
        LayoutError: ``order`` is not a permutation of the dimensions.
    """
    if order is None:
        return tuple(reversed(range(len(shape))))
    if sorted(order) != list(range(len(shape))):
        raise LayoutError(f"{tuple(order)} is not a permutation of {len(shape)} dimensions")
    return tuple(order)


def fastest_first(rank: int, dimension: int) -> tuple[int, ...]:
    """The order of dimensions with `dimension` first, and the others in row-major order."""
    return (dimension, *(dim for dim in reversed(range(rank)) if dim != dimension))


def blocked(
    shape: Sequence[int],
    vector: int,
    warps: int,
    lanes: int = 32,
    order: Sequence[int] | None = None,
) -> LinearLayout:
    """Distributes vectors of adjacent elements to consecutive lanes, then warps, then registers.

    Consecutive lanes hold consecutive vectors along the fastest dimension, so accesses coalesce.
    The vector shrinks to the extent of the fastest dimension. When the tile is smaller than vector
    x lanes x warps, the high lane and warp bits have zero bases: those threads hold copies.

    Args:
        shape: extents of the tile, powers of two.
        vector: elements in a row per thread, a power of two.
        warps: warps of the block, a power of two.
        lanes: lanes per warp.
        order: dimensions from fastest to slowest; default: the last dimension first.

    Raises:
        LayoutError: an extent or a count is not a power of two, or ``order`` is not a permutation.
    """
    dimensions = dimension_order(shape, order)
    bases = [base for dimension in dimensions for base in dimension_bases(shape, dimension)]
    fastest = bit_count(shape[dimensions[0]]) if dimensions else 0
    remaining = iter(bases)

    def take(count: int) -> tuple[int, ...]:
        taken = tuple(islice(remaining, count))
        return taken + (0,) * (count - len(taken))

    leading = take(min(bit_count(vector), fastest))
    lane = take(bit_count(lanes))
    warp = take(bit_count(warps))
    return LinearLayout(leading + tuple(remaining), lane, warp, (), tuple(shape))


def mma_accumulator(shape: Sequence[int], warps: tuple[int, int], rows: int = 16) -> LinearLayout:
    """C and D of mma.sync for a tile (.., M, N) over ``warps`` = (along M, along N).

    Warp numbers run along M first. ``rows`` is the M of the instruction: 16, or 8 for m8n8k4.

    Raises:
        LayoutError: the tile is too small for the instruction and the warps.
    """
    fragment = fragments.ACCUMULATOR if rows == 16 else fragments.ACCUMULATOR_8_ROWS
    return fragments.tile(fragment, shape, ((0, warps[0]), (1, warps[1])))


def mma_operand_a(
    shape: Sequence[int], warps: tuple[int, int], element_bits: int, rows: int = 16
) -> LinearLayout:
    """A of mma.sync for a tile (.., M, K); the warps are those of the accumulator.

    Warps that differ along N hold copies.

    Raises:
        LayoutError: the tile is too small for the instruction and the warps.
    """
    fragment = fragments.operand_a(element_bits, rows)
    return fragments.tile(fragment, shape, ((0, warps[0]), (None, warps[1])))


def mma_operand_b(shape: Sequence[int], warps: tuple[int, int], element_bits: int) -> LinearLayout:
    """B of mma.sync for a tile (.., K, N); the warps are those of the accumulator.

    Warps that differ along M hold copies.

    Raises:
        LayoutError: the tile is too small for the instruction and the warps.
    """
    fragment = fragments.operand_b(element_bits)
    return fragments.tile(fragment, shape, ((None, warps[0]), (1, warps[1])), order=(0, 1))


def wgmma_accumulator(shape: Sequence[int], warpgroups: tuple[int, int]) -> LinearLayout:
    """D of wgmma for a tile (.., M, N) over ``warpgroups`` = (along M, along N).

    Raises:
        LayoutError: the tile is too small for the instruction and the warpgroups.
    """
    return fragments.tile(
        fragments.WARPGROUP_ACCUMULATOR, shape, ((0, warpgroups[0]), (1, warpgroups[1]))
    )


def wgmma_operand_a(
    shape: Sequence[int], warpgroups: tuple[int, int], element_bits: int
) -> LinearLayout:
    """A of wgmma in registers for a tile (.., M, K); the warpgroups are those of the accumulator.

    Raises:
        LayoutError: the tile is too small for the instruction and the warpgroups.
    """
    fragment = fragments.warpgroup_operand_a(element_bits)
    return fragments.tile(fragment, shape, ((0, warpgroups[0]), (None, warpgroups[1])))


def matrices(
    count: int, element_bits: int = 16, *, transposed: bool = False, stored: bool = False
) -> LinearLayout:
    """The layout of the registers of ldmatrix, or with ``stored`` of stmatrix, .x1, .x2 or .x4.

    The tile stacks the 16-byte rows whose addresses lanes 0, 1, .. supply: 8 rows for each matrix,
    16 for loads of transposed bytes. Registers hold the matrices one after the other.
    ``b8x16.b4x16_p64`` has the layout of matrices of bytes, once the elements are expanded.

    Raises:
        LayoutError: the count is not 1, 2 or 4, or there is no such form of transposition.
    """
    if count not in (1, 2, 4):
        raise LayoutError(f"ldmatrix and stmatrix move 1, 2 or 4 matrices, got {count}")
    fragment = fragments.matrix_rows(element_bits)
    if transposed:
        columns = fragments.MATRIX_COLUMNS.get((element_bits, stored))
        if columns is None:
            raise LayoutError(
                f"only matrices of 8- or 16-bit elements can be transposed, got {element_bits}-bit"
            )
        fragment = columns
    rows, row_elements = fragment.extent
    if rows * count > 32:
        raise LayoutError(f"a warp addresses at most 32 rows, got {count} matrices of {rows} rows")
    return fragments.tile(fragment, (rows * count, row_elements), order=(0, 1))
