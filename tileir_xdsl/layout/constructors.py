"""Constructors of distributed layouts, one per way in which the hardware spreads a tile.

Each returns plain data; nothing downstream asks which constructor made a layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

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
        raise LayoutError(f"{tuple(order)} does not order {len(shape)} dimensions")
    return tuple(order)


def blocked(
    shape: Sequence[int],
    vector: int,
    warps: int,
    lanes: int = 32,
    order: Sequence[int] | None = None,
) -> LinearLayout:
    """Vectors of neighbouring elements, dealt to consecutive lanes, then warps, then registers.

    Consecutive lanes follow each other along the fastest dimension, so accesses coalesce. The
    vector shrinks to the extent of the fastest dimension. When the tile is smaller than vector x
    lanes x warps, the high lane and warp bits have zero bases: those threads hold copies.

    Args:
        shape: extents of the tile, powers of two.
        vector: elements in a row per thread, a power of two.
        warps: warps of the block, a power of two.
        lanes: lanes per warp.
        order: dimensions from fastest to slowest; default: the last dimension first.

    Raises:
        LayoutError: an extent or a count is no power of two, or ``order`` is no permutation.
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
