"""The type of `tilecpu`: a tile in memory."""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, IntAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.dialects.nv_tileaa.constraints import BYTE_BITS, moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

ALIGNMENT = 64
"""The alignment of every buffer in the arena, in bytes: one cache line, and the widest vector."""


@irdl_attr_definition
class BufferType(ParametrizedAttribute, TypeAttribute):
    """`!tilecpu.buffer<16x256xf32>`: a row-major tile in the arena; an `i1` takes one byte."""

    name = "tilecpu.buffer"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute

    def __init__(self, shape: Sequence[int], element_type: Attribute):
        super().__init__(ArrayAttr(IntAttr(extent) for extent in shape), element_type)

    def get_shape(self) -> tuple[int, ...]:
        return tuple(extent.data for extent in self.shape)

    @property
    def byte_size(self) -> int:
        """The bytes of all elements."""
        return prod(self.get_shape()) * element_bytes(self.element_type)

    @property
    def tile_type(self) -> Attribute:
        """The type of the tile that the buffer holds."""
        shape = self.get_shape()
        return TensorType(self.element_type, shape) if shape else self.element_type

    @classmethod
    def of_tile(cls, tile: Attribute) -> "BufferType":
        """The type of a buffer for a tile or a scalar."""
        shape = tile_shape(tile)
        return cls(shape.shape, shape.element)

    @classmethod
    def parse_parameters(cls, parser: AttrParser):
        with parser.in_angle_brackets():
            shape = parser.parse_dimension_list()
            if shape:
                parser.parse_shape_delimiter()
            element = parser.parse_type()
        return ArrayAttr(IntAttr(extent) for extent in shape), element

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for extent in self.get_shape():
                printer.print_string(f"{extent}x")
            printer.print_attribute(self.element_type)


def element_bytes(element: Attribute) -> int:
    """The bytes of one element in a buffer."""
    return moved_bits(element) // BYTE_BITS
