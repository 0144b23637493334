"""Softmax of scores that come tile by tile, in the accumulators of wgmma.

Register 4j + 2h + i of lane 4g + t holds the score of row g + 8h and column 8j + 2t + i: every
thread has two rows, and the four lanes of a quad share them. The sums of a row are kept per thread
until the end. Exponentials are powers of two, of scores times `scale * log2(e)`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.ir import SSAValue

from tests.kernel_generators import wgmma
from tests.kernel_generators.builder import KernelBuilder
from tileir_xdsl.dialects.llvm import StoreOp
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind, WGMMAType
from tileir_xdsl.dialects.nvvm.miscellaneous import RcpApproxFtzF32Op

QUAD = (1, 2)
"""Lane distances between the threads that share a row."""


class RowState(NamedTuple):
    """The maxima of a thread's two rows, and the thread's part of their sums."""

    first_maximum: SSAValue
    second_maximum: SSAValue
    first_sum: SSAValue
    second_sum: SSAValue

    @property
    def values(self) -> tuple[SSAValue, ...]:
        return tuple(self)


def rows(values: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
    """The registers of a thread's first row and those of its second."""
    first = [value for place, value in enumerate(values) if not place & 2]
    second = [value for place, value in enumerate(values) if place & 2]
    return first, second


def _interleaved(first: Sequence[SSAValue], second: Sequence[SSAValue]) -> list[SSAValue]:
    """The inverse of `rows`."""
    return [
        value
        for place in range(0, len(first), 2)
        for value in (*first[place : place + 2], *second[place : place + 2])
    ]


@dataclass
class OnlineSoftmax:
    """Builds the softmax of tiles with `columns` columns."""

    builder: KernelBuilder
    scale: SSAValue
    element: WGMMAType
    columns: int

    def __post_init__(self) -> None:
        k = self.builder
        self.scale = k.product(self.scale, k.number(math.log2(math.e)))

    def first(
        self, scores: Sequence[SSAValue], visible: Sequence[SSAValue]
    ) -> tuple[RowState, list[SSAValue]]:
        """The state after the first tile, and its weights, rounded and packed.

        `visible` are the columns of each row that count, from the thread's first column on.
        """
        k = self.builder
        hidden = k.number(-math.inf)
        maxima: list[SSAValue] = []
        sums: list[SSAValue] = []
        exponentials: list[list[SSAValue]] = []
        for row, end in zip(rows(scores), visible, strict=True):
            masked = [
                k.choose(k.compare("sgt", end, 8 * (place >> 1) + (place & 1)), score, hidden)
                for place, score in enumerate(row)
            ]
            maxima.append(self._maximum(masked))
            found, total = self._exponentials(masked, maxima[-1])
            exponentials.append(found)
            sums.append(total)
        return RowState(*maxima, *sums), self.rounded(_interleaved(*exponentials))

    def following(
        self, scores: Sequence[SSAValue], state: RowState
    ) -> tuple[RowState, list[SSAValue], list[SSAValue]]:
        """The state after a further tile, its exponentials, and the factors for what is before."""
        k = self.builder
        maxima: list[SSAValue] = []
        sums: list[SSAValue] = []
        factors: list[SSAValue] = []
        exponentials: list[list[SSAValue]] = []
        for row, before, total in zip(rows(scores), state[:2], state[2:], strict=True):
            maximum = k.maximum(before, self._maximum(row))
            factor = k.power_of_two(k.product(k.difference(before, maximum), self.scale))
            found, added = self._exponentials(row, maximum)
            maxima.append(maximum)
            factors.append(factor)
            sums.append(k.multiply_add(total, factor, added))
            exponentials.append(found)
        return RowState(*maxima, *sums), _interleaved(*exponentials), factors

    def _maximum(self, row: Sequence[SSAValue]) -> SSAValue:
        """The maximum of a row, in two chains and across the quad."""
        k = self.builder
        even, odd = row[0], row[1]
        for place in range(2, len(row), 2):
            even, odd = k.maximum(even, row[place]), k.maximum(odd, row[place + 1])
        result = k.maximum(even, odd)
        for distance in QUAD:
            result = k.maximum(result, k.shuffle(ShuffleKind.BUTTERFLY, result, distance))
        return result

    def _exponentials(
        self, row: Sequence[SSAValue], maximum: SSAValue
    ) -> tuple[list[SSAValue], SSAValue]:
        """The exponentials of a row below its maximum, and the sum of the thread's own."""
        k = self.builder
        shift = k.negative(k.product(maximum, self.scale))
        found = [k.power_of_two(k.multiply_add(score, self.scale, shift)) for score in row]
        even, odd = found[0], found[1]
        for place in range(2, len(found), 2):
            even, odd = k.sum(even, found[place]), k.sum(odd, found[place + 1])
        return found, k.sum(even, odd)

    def pin(self, state: RowState) -> None:
        """Keeps the assembler from waiting for products before the exponentials are computed.

        It moves a wait up past arithmetic, but not past a store, though this one never runs: sums
        are not negative.
        """
        k = self.builder
        both = k.sum(state.first_sum, state.second_sum)
        with k.only_if(k.compare_floats("olt", both, k.number(0.0))):
            k.run(StoreOp(both, k.shared, 4))

    def rounded(self, exponentials: Sequence[SSAValue]) -> list[SSAValue]:
        """The weights as fragments of operand A: registers 4j to 4j + 3 are those of step j."""
        type = wgmma.HALF_TYPES[self.element]
        pairs = zip(exponentials[::2], exponentials[1::2], strict=True)
        return [self.builder.packed(low, high, type) for low, high in pairs]

    def scaled(self, outputs: Sequence[SSAValue], factors: Sequence[SSAValue]) -> list[SSAValue]:
        """The sums of a thread's two rows, each times its factor."""
        k = self.builder
        first, second = (
            [k.product(value, factor) for value in row]
            for row, factor in zip(rows(outputs), factors, strict=True)
        )
        return _interleaved(first, second)

    def normalised(self, outputs: Sequence[SSAValue], state: RowState) -> list[SSAValue]:
        """The sums divided by the weights' sums, which are added up across the quad."""
        k = self.builder
        factors: list[SSAValue] = []
        for total in state[2:]:
            for distance in QUAD:
                total = k.sum(total, k.shuffle(ShuffleKind.BUTTERFLY, total, distance))
            factors.append(k.add(RcpApproxFtzF32Op(total)))
        return self.scaled(outputs, factors)
