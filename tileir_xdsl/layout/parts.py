"""Parts of tiles in shared memory that are tiles themselves."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.layout.shared import SharedLayout

VECTOR_BYTES = 16
"""The largest alignment of accesses of one thread."""


@dataclass(frozen=True)
class PartOffset:
    """The offset of a part, which begins `start` bytes into the whole.

    A part that begins N elements later begins N times `element_bytes` bytes later.
    """

    start: int
    element_bytes: int


def offset_of_part(
    whole: SharedLayout, part: SharedLayout, start: int, step: int | None
) -> PartOffset | None:
    """The offset of `part`, which begins at element `start` of a tile in row-major order.

    With a `step`, a number of elements, the part may begin any number of steps later. None if the
    layout of the whole does not place the elements as `part` does, or not at the alignment of
    `part`.
    """
    size = part.element_bits // 8
    addresses, offsets = _addresses(whole), _addresses(part)
    alignment = part.swizzle.period if part.swizzle.bits else VECTOR_BYTES
    starts = range(start, len(addresses) - len(offsets) + 1, step or len(addresses))
    if not starts:
        return None
    first = addresses[start]
    apart = addresses[starts[1]] - first if len(starts) > 1 else 0
    each = apart // step if step else size
    for number, element in enumerate(starts):
        begin = first + number * apart
        placed = [offset + begin for offset in offsets]
        if begin % alignment or addresses[element : element + len(offsets)] != placed:
            return None
    return PartOffset(first, each) if not step or apart % step == 0 else None


def _addresses(layout: SharedLayout) -> list[int]:
    """The byte at which each element begins, by row-major index."""
    offsets = [0]
    for mode in layout.layout.modes():
        along = [mode(i) for i in range(mode.size)]
        offsets = [offset + more for offset in offsets for more in along]
    size = layout.element_bits // 8
    return [layout.swizzle(offset * size) for offset in offsets]
