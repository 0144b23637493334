"""Interfaces of ops whose results have elements of an operand, so that facts pass through.

    %b = nv_tileaa.broadcast %t : tensor<1x8xi32> -> tensor<4x8xi32>      // elements of %t
    %c = nv_tileas.convert_layout %b : tensor<4x8xi32> -> tensor<4x8xi32, L>  // in order, too

If a range of values, or one value of all elements, holds for the operand, it holds for the result.
A fact about the row-major index of an element holds where the order stays. Layouts follow where
each element goes. Modelled on the interfaces of MLIR (`InferIntRangeInterface`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from .memory_effects import RegistersOpInterface

ELEMENTWISE_DIALECTS = frozenset({"arith", "math"})
"""Dialects whose ops work element by element on tiles; but for a constant, which takes none."""


class ElementwiseOpInterface(RegistersOpInterface, ABC):
    """An op that makes each element of its results from those of its tiles at the same index.

    Its tiles have one shape; a scalar serves all elements. It accesses nothing but registers.
    """


def works_on_elements(op: Operation) -> bool:
    """Whether all tiles of an op have one shape, and elements at other indices do not meet."""
    is_stated = isinstance(op, ElementwiseOpInterface)
    return is_stated or op.name.partition(".")[0] in ELEMENTWISE_DIALECTS


class RepeatedElementsOpInterface(Operation, ABC):
    """An op whose result has no elements but those of its first operand."""

    @property
    def repeated(self) -> SSAValue:
        """The scalar or tile that the elements are of."""
        return self.operands[0]


class SameRegistersOpInterface(Operation, ABC):
    """An op whose result is made of registers of its operands, if of any: it computes nothing."""


class BufferViewOpInterface(RepeatedElementsOpInterface, SameRegistersOpInterface, ABC):
    """An op whose operand may be a buffer: its result is then the same memory, or a part of it.

    The result names the elements by other coordinates. Nothing is read, and nothing moves.
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
    """All elements along an axis become one."""

    axis: int


@dataclass(frozen=True)
class SameBits:
    """The bits are those of elements of another type."""


@dataclass(frozen=True)
class PartAt:
    """The slice of one of operand and result, from `offsets` on, is the other one."""

    offsets: Sequence[SSAValue | int]
    strides: Sequence[SSAValue | int]
    of_result: bool
    """Whether the operand is a slice of the result."""


Reindexed = InOrder | Broadcast | Permuted | Reduced | SameBits | PartAt


class ReindexedOpInterface(Operation, ABC):
    """An op whose result has the elements of an operand at other indices, or combines them."""

    @abstractmethod
    def reindexed(self, operand: int) -> Reindexed | None:
        """Where the elements of an operand are in the first result; None where it is not known."""
