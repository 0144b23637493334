"""Ops that only move elements to other indices, and the layouts of their operands and results.
Broadcasts, views, permutations, slices and concatenations compute nothing: each element of the
result is an element of an operand. Extents are powers of two, so reindexing permutes the bits of
the row-major element index, drops some and adds others. The layout of either tile determines a
layout of the other in which no element leaves its thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import lru_cache

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.cute import bit_count, product
from tileir_xdsl.layout.linear import LinearLayout, index_bits


class OneSided(Enum):
    """The meaning of index bits that only one of the two tiles has."""

    REPEATED = auto()
    """Both values of the bit map to the same element: broadcast, and in reverse reduction."""
    FIXED = auto()
    """Only one value of the bit has an element in the other tile: slices and concatenation."""
    PACKED = auto()
    """The bits number the parts of one wider element of the other tile: bit casts."""


@dataclass(frozen=True)
class Reindexing:
    """A map from bits of the source's row-major index to bits of the result's.

    ``bits[i]`` is the bit of the result's index that bit ``i`` of the source's index becomes, or
    None where the result has no such bit.
    """

    source_shape: tuple[int, ...]
    result_shape: tuple[int, ...]
    bits: tuple[int | None, ...]
    lost: OneSided = OneSided.FIXED
    """The meaning of the index bits that only the source has."""
    gained: OneSided = OneSided.FIXED
    """The meaning of the index bits that only the result has."""
    source_offset: int = 0
    """The value of the fixed bits that only the source has, as an element of the source."""
    result_offset: int = 0
    """The value of the fixed bits that only the result has, as an element of the result."""
    lost_bits: int = field(init=False)
    """Mask of the bits of the source's index that only the source has."""
    gained_bits: int = field(init=False)
    """Mask of the bits of the result's index that only the result has."""

    def __post_init__(self) -> None:
        lost = sum(1 << bit for bit, position in enumerate(self.bits) if position is None)
        kept = sum(1 << position for position in self.bits if position is not None)
        object.__setattr__(self, "lost_bits", lost)
        object.__setattr__(self, "gained_bits", (product(self.result_shape) - 1) ^ kept)

    def inverse(self) -> Reindexing:
        """The reindexing with source and result exchanged."""
        bits: list[int | None] = [None] * bit_count(product(self.result_shape))
        for bit, position in enumerate(self.bits):
            if position is not None:
                bits[position] = bit
        return Reindexing(
            self.result_shape,
            self.source_shape,
            tuple(bits),
            lost=self.gained,
            gained=self.lost,
            source_offset=self.result_offset,
            result_offset=self.source_offset,
        )

    def element(self, source: int) -> int:
        """The first element of the result that an element of the source becomes.

        Bits that only the source has are ignored; bits that only the result has are fixed.
        """
        return self.carry(source) | self.result_offset

    def carry(self, vector: int) -> int:
        """The bits of a source index, or of a difference of two, at their result positions."""
        carried = 0
        for bit, position in enumerate(self.bits):
            if position is not None and vector >> bit & 1:
                carried |= 1 << position
        return carried


def identity(shape: Sequence[int]) -> Reindexing:
    """Every element stays at its index."""
    return reshape(shape, shape)


def reshape(source: Sequence[int], result: Sequence[int]) -> Reindexing:
    """The row-major order is kept, as by views and by adding or dropping dimensions of extent 1."""
    bits = range(bit_count(product(tuple(source))))
    return Reindexing(tuple(source), tuple(result), tuple(bits))


def _by_dimension(
    source: Sequence[int], result: Sequence[int], dimensions: Sequence[int | None]
) -> tuple[int | None, ...]:
    """Bits by dimension: dimension i of the source is dimension ``dimensions[i]`` of the result.

    Where extents differ the low bits correspond.
    """
    positions: list[int | None] = [None] * bit_count(product(tuple(source)))
    targets = index_bits(result)
    for bits, dimension in zip(index_bits(source), dimensions, strict=True):
        for bit, position in zip(
            bits, () if dimension is None else targets[dimension], strict=False
        ):
            positions[bit] = position
    return tuple(positions)


def broadcast(source: Sequence[int], result: Sequence[int]) -> Reindexing:
    """Dimensions of extent 1 are repeated to the extent of the result."""
    bits = _by_dimension(source, result, range(len(source)))
    return Reindexing(tuple(source), tuple(result), bits, gained=OneSided.REPEATED)


def permute(source: Sequence[int], permutation: Sequence[int]) -> Reindexing:
    """Dimension i of the result is dimension ``permutation[i]`` of the source."""
    result = [source[dimension] for dimension in permutation]
    positions = [permutation.index(dimension) for dimension in range(len(source))]
    return Reindexing(tuple(source), tuple(result), _by_dimension(source, result, positions))


def reduce(source: Sequence[int], axis: int) -> Reindexing:
    """All elements along ``axis`` become one; the result lacks that dimension."""
    result = [*source[:axis], *source[axis + 1 :]]
    positions = [*range(axis), None, *range(axis, len(result))]
    bits = _by_dimension(source, result, positions)
    return Reindexing(tuple(source), tuple(result), bits, lost=OneSided.REPEATED)


def extract_slice(
    source: Sequence[int], result: Sequence[int], first: Sequence[int]
) -> Reindexing | None:
    """The slice of extents ``result`` whose first element is at ``first``.

    None if the slice does not start at a multiple of its extents: the map is not linear over F2.
    """
    if any(start % extent for start, extent in zip(first, result, strict=True)):
        return None
    offset = 0
    for start, extent in zip(first, source, strict=True):
        offset = offset * extent + start
    bits = _by_dimension(source, result, range(len(source)))
    return Reindexing(tuple(source), tuple(result), bits, source_offset=offset)


def widen_elements(
    source: Sequence[int], source_bits: int, result: Sequence[int], result_bits: int
) -> Reindexing:
    """A bit cast to elements of another width; the first narrow element is in the low bits."""
    elements = bit_count(product(tuple(source)))
    if source_bits > result_bits:
        parts = bit_count(source_bits // result_bits)
        bits = tuple(range(parts, parts + elements))
        return Reindexing(tuple(source), tuple(result), bits, gained=OneSided.PACKED)
    parts = bit_count(result_bits // source_bits)
    positions: tuple[int | None, ...] = (*(None,) * parts, *range(elements - parts))
    return Reindexing(tuple(source), tuple(result), positions, lost=OneSided.PACKED)


@lru_cache(maxsize=1024)
def carry_layout(change: Reindexing, layout: LinearLayout) -> LinearLayout | None:
    """The layout of the result in which no element leaves the thread that holds the source.

    Repeated elements of the result replace copies of the source, first in registers, then in lanes
    and warps; the rest go to new registers. None if threads would have to exchange elements, as for
    a slice of a dimension that lanes share.
    """
    register: Sequence[int] = layout.register
    if change.lost_bits and change.lost is not OneSided.REPEATED:
        alone = {1 << bit for bit in range(len(change.bits)) if change.lost_bits >> bit & 1}
        register = [base for base in layout.register if base not in alone]
        others = (*register, *layout.thread_bases(), *layout.block)
        if not alone <= set(layout.register) or any(base & change.lost_bits for base in others):
            return None
    register = [change.carry(base) for base in register]
    if change.lost_bits and change.lost is OneSided.REPEATED:
        register = f2.independent(register)
    lane, warp, block = (
        tuple(change.carry(base) for base in group)
        for group in (layout.lane, layout.warp, layout.block)
    )
    carried = LinearLayout(tuple(register), lane, warp, block, change.result_shape)
    bits = bit_count(carried.size)
    gained = [1 << bit for bit in range(bits) if change.gained_bits >> bit & 1]
    match change.gained:
        case OneSided.REPEATED:
            return _spread(carried, gained)
        case OneSided.FIXED:
            return replace(carried, register=(*carried.register, *gained))
        case OneSided.PACKED:
            return replace(carried, register=(*gained, *carried.register))


def _spread(layout: LinearLayout, elements: Sequence[int]) -> LinearLayout:
    """Puts elements in place of copies, in registers first, and the rest in new registers."""
    rest = list(elements)

    def fill(bases: Sequence[int]) -> tuple[int, ...]:
        return tuple(base or (rest.pop(0) if rest else 0) for base in bases)

    register, lane, warp = fill(layout.register), fill(layout.lane), fill(layout.warp)
    return replace(layout, register=(*register, *rest), lane=lane, warp=warp)


@lru_cache(maxsize=1024)
def registers_as_they_lie(
    change: Reindexing, source: LinearLayout, result: LinearLayout
) -> tuple[int | None, ...] | None:
    """For every register of the result, the register of the same thread that has its element.

    None for a register whose element is not in the source, such as an element of another operand of
    a concatenation. Returns None if an element is in another thread, or if elements are combined.
    """
    if change.lost_bits and change.lost is not OneSided.FIXED:
        return None
    back = change.inverse()
    threads = (*result.thread_bases(), *result.block)
    if change.gained is OneSided.FIXED and any(base & change.gained_bits for base in threads):
        return None
    if [back.carry(base) for base in threads] != [*source.thread_bases(), *source.block]:
        return None
    held: dict[int, int] = {}
    for register, element in enumerate(source.register_elements()):
        held.setdefault(element, register)
    registers: list[int | None] = []
    for element in result.register_elements():
        fixed = change.gained is OneSided.FIXED
        if fixed and element & change.gained_bits != change.result_offset & change.gained_bits:
            registers.append(None)
            continue
        register = held.get(back.element(element))
        if register is None:
            return None
        registers.append(register)
    return tuple(registers)
