"""Interfaces of ops whose results repeat elements of an operand, so that facts pass through.

    %b = nv_tileaa.broadcast %t : tensor<1x8xi32> -> tensor<4x8xi32>      // elements of %t
    %c = nv_tileas.convert_layout %b : tensor<4x8xi32> -> tensor<4x8xi32, L>  // in order, too

A range of values, or one value of all elements, holds for the result where it holds for the
operand. A fact about the row-major index of an element holds where the order stays. Modelled on the
interfaces of MLIR (`InferIntRangeInterface`).
"""

from abc import ABC

from xdsl.ir import Operation, SSAValue


class RepeatedElementsOpInterface(Operation, ABC):
    """An op whose result has no elements but those of its first operand."""

    @property
    def repeated(self) -> SSAValue:
        """The scalar or tile that the elements are of."""
        return self.operands[0]


class BufferViewOpInterface(RepeatedElementsOpInterface, ABC):
    """An op whose operand may be a buffer: its result is then the same memory, or a part of it.

    The result names the elements by other coordinates. Nothing is read, and nothing moves.
    """


class OrderedElementsOpInterface(RepeatedElementsOpInterface, ABC):
    """An op whose result has the elements of its first operand in the same row-major order."""
