"""Interfaces of ops whose results have elements of an operand, so that analyses propagate facts.

    %b = nv_tileaa.broadcast %t : tensor<1x8xi32> -> tensor<4x8xi32>      // elements of %t
    %c = nv_tileas.convert_layout %b : tensor<4x8xi32> -> tensor<4x8xi32, L>  // in order, too

If a range of values, or one value of all elements, holds for the operand, it holds for the result.
A fact about row-major indices remains true if the op preserves the order. Layouts follow from the
new index of each element. Modelled on the interfaces of MLIR (`InferIntRangeInterface`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from .memory_effects import RegistersOpInterface

ELEMENTWISE_DIALECTS = frozenset({"arith", "math"})
"""Dialects whose ops, except constants, work element by element on tiles."""


class ElementwiseOpInterface(RegistersOpInterface, ABC):
    """An op that computes each result element from the operand elements at the same index.

    All tiles have one shape; a scalar operand applies to all elements. The op accesses registers
    only.
    """


def works_on_elements(op: Operation) -> bool:
    """Whether an op works element by element on tiles of one shape."""
    is_stated = isinstance(op, ElementwiseOpInterface)
    return is_stated or op.name.partition(".")[0] in ELEMENTWISE_DIALECTS


class RepeatedElementsOpInterface(Operation, ABC):
    """An op whose result consists of elements of its first operand."""

    @property
    def repeated(self) -> SSAValue:
        """The scalar or tile whose elements the result consists of."""
        return self.operands[0]


class SameRegistersOpInterface(Operation, ABC):
    """An op that only rearranges registers: it computes nothing."""


class BufferViewOpInterface(RepeatedElementsOpInterface, SameRegistersOpInterface, ABC):
    """An op whose operand may be a buffer: the result is then a view of all or a part of its
    memory.

    The op neither reads nor moves elements.
    """


class OrderedElementsOpInterface(RepeatedElementsOpInterface, ABC):
    """An op whose result has the elements of its first operand in the same row-major order."""


@dataclass(frozen=True)
class InOrder:
    """Each element keeps its row-major index."""


@dataclass(frozen=True)
class Broadcast:
    """The elements are repeated along the dimensions of extent 1."""


@dataclass(frozen=True)
class Permuted:
    """Dimension i of the result is dimension `permutation[i]`."""

    permutation: tuple[int, ...]


@dataclass(frozen=True)
class Reduced:
    """All elements along an axis are combined into one."""

    axis: int


@dataclass(frozen=True)
class SameBits:
    """The result has the same bits, read as elements of another type."""


@dataclass(frozen=True)
class PartAt:
    """The operand is a slice of the result, or the result of the operand; the slice starts at
    `offsets`.
    """

    offsets: Sequence[SSAValue | int]
    strides: Sequence[SSAValue | int]
    of_result: bool
    """Whether the operand is a slice of the result."""


Reindexed = InOrder | Broadcast | Permuted | Reduced | SameBits | PartAt


class ReindexedOpInterface(Operation, ABC):
    """An op whose result has the elements of an operand at other indices, or combinations of
    them.
    """

    @abstractmethod
    def reindexed(self, operand: int) -> Reindexed | None:
        """How the elements of an operand are arranged in the first result; None if unknown."""
