"""Positions and bounds checks of a tile's elements along one dimension of a memory object.

Arithmetic is in 32 bits if coordinates and sizes are known to fit. The index of a thread's first
element minus the size is its distance beyond the end; each register compares this distance with a
constant. Only a coordinate that may exceed 32-bit arithmetic is checked separately.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.values.divisibility import power_of_two_divisor
from tileir_xdsl.dialects.llvm.intrinsics import SMaxOp, SMinOp, UMinOp

from ..thread.builder import Index, LLVMBuilder

TWO_TO_THE_31 = 1 << 31

FAR = 1 << 62
"""An element index beyond any memory object, however small its elements."""


@dataclass(frozen=True)
class Coordinate:
    """The unsigned tile index along a dimension, static or dynamic, and its upper bound."""

    number: Index
    largest: int


@dataclass(frozen=True)
class SizeFacts:
    """Facts about the size of a memory object along a dimension: a bound, and a divisor."""

    largest: int
    divisor: int


@dataclass(frozen=True)
class TileBounds:
    """One dimension of an access: position p of the tile is element `coordinate * step + p`.

    p is `thread`, which depends on the thread, plus a constant of the register. Coordinates and
    sizes are unsigned, and no index wraps.
    """

    builder: LLVMBuilder
    coordinate: Coordinate
    step: int
    extent: int
    thread: Index
    size: Index
    facts: SizeFacts

    # Static facts.

    @property
    def known_start(self) -> int:
        """The static part of the tile's first element index."""
        number = self.coordinate.number
        return number * self.step if isinstance(number, int) else 0

    @property
    def _largest_end(self) -> int:
        return self.coordinate.largest * self.step + self.extent

    @property
    def is_inside(self) -> bool:
        """Whether every tile that may be accessed is in bounds."""
        return isinstance(self.size, int) and self._largest_end <= self.size

    @property
    def together(self) -> int:
        """The number of neighbours that share one bounds check; it divides the size and all tile
        starts.
        """
        return min(self.facts.divisor, power_of_two_divisor(self.step))

    # Indices.

    def first_indices(self) -> Sequence[Index]:
        """The terms of the index of this thread's first element, except a static tile start.

        Returns a single i32 if the object's indices fit, which is exact for every in-bounds
        element.
        """
        if isinstance(self.coordinate.number, int):
            # A known start goes into the immediate of the access.
            return (self.thread,)
        word = narrowed(self.builder, self.coordinate.number)
        # Elements outside may wrap in 32 bits; their masks are off, so no address of them is used.
        if word is not None and _word(self.size) is not None:
            return (self._index(word, self.thread),)
        return self._wide_start(), self.thread

    def _index(self, word: Index, position: Index) -> Index:
        return self.builder.add(self.builder.multiply(word, self.step, i32), position, i32)

    def _wide_start(self) -> Index:
        number = self.coordinate.number
        return tile_start(self.builder, number, self.step, self.coordinate.largest)

    # Checks.

    def conditions(self, position: int) -> list[SSAValue]:
        """The conditions under which the element at a register's position is in bounds."""
        if (exists := self._only_element()) is not None:
            return [exists]
        # Neighbours that share a check then share its instruction.
        position &= -self.together
        beyond, tests = self._beyond()
        return [*tests, self._compare("slt", beyond, -position)]

    def leading(self, position: int, width: int) -> tuple[list[SSAValue], SSAValue]:
        """The number of in-bounds neighbours from a position on, and the conditions for it.

        The number is at most `width`, which is above one.
        """
        builder = self.builder
        beyond, tests = self._beyond()
        # Clamped before the difference, which would wrap where a tile is far outside.
        last, first = (builder.integer(-position - n, i32) for n in (0, width))
        clamped = builder.compute(SMaxOp, builder.integer(beyond, i32), first)
        clamped = builder.compute(SMinOp, clamped, last)
        return tests, builder.compute(llvm.SubOp, last, clamped)

    def _beyond(self) -> tuple[Index, list[SSAValue]]:
        """The distance of the thread's first element beyond the end, and the conditions for its
        validity.
        """
        fitting = self._word_and_size()
        if fitting is None:
            return self.builder.subtract(self.thread, self._wide_rest(), i32), []
        word, size = fitting
        beyond = self.builder.subtract(self._index(word, self.thread), size, i32)
        return beyond, self._fits(word)

    def whole(self) -> list[SSAValue]:
        """The conditions under which the whole tile is in bounds, uniform across threads."""
        if (exists := self._only_element()) is not None:
            return [exists]
        fitting = self._word_and_size()
        if fitting is None:
            return [self._compare("sge", self._wide_rest(), self.extent)]
        word, size = fitting
        last = self.builder.subtract(size, self.extent, i32)
        return [*self._fits(word), self._compare("sle", self._index(word, 0), last)]

    def _compare(self, predicate: str, lhs: Index, rhs: Index) -> SSAValue:
        operands = (self.builder.integer(each, i32) for each in (lhs, rhs))
        return self.builder.compare(predicate, *operands)

    def _only_element(self) -> SSAValue | None:
        """The check of a tile of extent 1; None for other tiles, and for wider indices."""
        word, size = narrowed(self.builder, self.coordinate.number), _word(self.size)
        if word is None or size is None or not self.step == self.extent == 1:
            return None
        return self._compare("ult", word, size)

    def _word_and_size(self) -> tuple[Index, Index] | None:
        """Coordinate and size as i32, if indices of existing tiles are at most 2**31; otherwise
        None.
        """
        word, size = narrowed(self.builder, self.coordinate.number), _word(self.size)
        if word is None or size is None or self.facts.largest >= TWO_TO_THE_31:
            return None
        # Adjacent tiles start below 2**31 or do not exist.
        # Otherwise a tile may begin below the bound and end above it.
        is_tiling = self.step == self.extent and TWO_TO_THE_31 % self.step == 0
        return (word, size) if is_tiling or self._largest_end <= TWO_TO_THE_31 else None

    def _fits(self, word: Index) -> list[SSAValue]:
        """The check that a tile starts below 2**31; empty if this is known."""
        if self._largest_end <= TWO_TO_THE_31:
            return []
        return [self._compare("ult", word, TWO_TO_THE_31 // self.step)]

    def _wide_rest(self) -> Index:
        """The number of elements from the tile's start to the object's end, from 0 to the tile's
        extent, as i32.
        """
        builder = self.builder
        size, start = builder.integer(self.size, i64), builder.integer(self._wide_start(), i64)
        rest = builder.compute(llvm.SubOp, size, start)
        # Clamped to the tile, the distance fits 32 bits, and so do all comparisons of registers.
        rest = builder.compute(SMaxOp, rest, builder.integer(0, i64))
        rest = builder.compute(SMinOp, rest, builder.integer(self.extent, i64))
        return builder.truncate(rest, i32)


def tile_start(
    builder: LLVMBuilder, number: Index, step: int, largest: int = (1 << 64) - 1
) -> Index:
    """The first element of a tile in 64 bits; its unsigned index is at most `largest`.

    Tiles that would start beyond `FAR` start at `FAR`, so that no element index wraps.
    """
    if isinstance(number, int):
        return min(number, FAR // step) * step
    wide = builder.zero_extend(number, i64)
    # Coordinates of 32 bits cannot reach that far.
    if number.type == i64 and largest > FAR // step:
        wide = builder.compute(UMinOp, wide, builder.integer(FAR // step, i64))
    return builder.multiply(wide, step, i64)


def _word(size: Index) -> Index | None:
    """A size that fits in 32 bits as an unsigned i32; None for any other."""
    if isinstance(size, int):
        return size if size < 1 << 32 else None
    op = size.owner
    # Sizes arrive as i64; the extension tells that the user gave 32 bits.
    return op.arg if isinstance(op, llvm.ZExtOp) and op.arg.type == i32 else None


def narrowed(builder: LLVMBuilder, number: Index) -> Index | None:
    """An unsigned number of at most 32 bits as an i32; None for a wider one."""
    if isinstance(number, int):
        return number if number < 1 << 32 else None
    assert isinstance(number.type, IntegerType)
    return builder.zero_extend(number, i32) if number.type.width.data <= 32 else None
