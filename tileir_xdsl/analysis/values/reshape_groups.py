"""Reshapes as groups of neighbouring dimensions, and the slices that reshapes preserve.

For example:

    reshape_groups((8, 4, 16), (32, 16))  ->  [([0, 1], [0]), ([2], [1])]
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX

from tileir_xdsl.dialects.nv_tileas.slices import Index, Slice


def slice_before_view(source: Sequence[int], result: Sequence[int], part: Slice) -> Slice | None:
    """The slice of a tile of shape `source` that equals a given slice of a view of the tile, if
    there is one.

    A view of shape `result` groups dimensions. In a group of more than one wide dimension on either
    side, the slice must be the whole group.
    """
    if DYNAMIC_INDEX in (*source, *result):
        # With unknown extents only an unchanged rank tells which dimension is which.
        return part if len(source) == len(result) else None
    taken: list[tuple[Index, Index, Index]] = [(0, extent, 1) for extent in source]
    for of_source, of_result in reshape_groups(source, result):
        wide_source = [dim for dim in of_source if source[dim] > 1]
        wide_result = [dim for dim in of_result if result[dim] > 1]
        whole = of_result
        # Extents of 1 carry no index, so the one wide dimension of each side is the same one.
        if len(wide_source) == len(wide_result) == 1:
            dim = wide_result[0]
            taken[wide_source[0]] = (part.offsets[dim], part.sizes[dim], part.strides[dim])
            whole = [unit for unit in of_result if unit != dim]
        if not all(_takes_all(part, dim, result[dim]) for dim in whole):
            return None
    offsets, sizes, strides = zip(*taken, strict=True)
    return Slice(offsets, sizes, strides)


def _takes_all(part: Slice, dim: int, extent: int) -> bool:
    return (part.offsets[dim], part.sizes[dim]) == (0, extent) and part.strides[dim] == 1


def reshape_groups(
    source: Sequence[int], result: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """Groups of neighbouring dimensions of two shapes that hold the same elements, smallest first.

    Both shapes have equally many elements, and no extent is 0.
    """
    groups: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(source) or j < len(result):
        left, right = [], []
        if i < len(source):
            left.append(i)
            i += 1
        if j < len(result):
            right.append(j)
            j += 1
        while (a := prod(source[d] for d in left)) != (b := prod(result[d] for d in right)):
            if a < b:
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        groups.append((left, right))
    return groups
