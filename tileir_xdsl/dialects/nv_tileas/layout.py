"""The `nv_tileas.layout` attribute: the text form of a shape:stride layout.

    layout-desc := "<" shape "," stride ("," "swizzle" "<" B "," M "," S ">")?
                   ("," "elem" "=" elem-name)? ">"

Shape and stride are nested tuples of integers of one structure, as in CuTe. As the encoding of a
tensor in registers the layout has four top modes, ((register), (lane), (warp), (cta)), and maps to
row-major linear element indices of the tile.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.layout.cute import (
    IntTuple,
    Layout,
    LayoutError,
    Swizzle,
    element_bits,
    format_tuple,
    listed_swizzle,
)
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class LayoutDescriptor:
    """A layout, its swizzle on byte offsets, and the element type inside the descriptor."""

    layout: Layout
    swizzle: Swizzle | None = None
    element: str | None = None


def _parse_int_tuple(parser: AttrParser) -> IntTuple:
    if parser.parse_optional_punctuation("("):
        items = [_parse_int_tuple(parser)]
        while parser.parse_optional_punctuation(","):
            items.append(_parse_int_tuple(parser))
        parser.parse_punctuation(")")
        return tuple(items)
    return parser.parse_integer(allow_boolean=False, allow_negative=False)


def _parse_swizzle(parser: AttrParser) -> Swizzle:
    position = parser.pos
    with parser.in_angle_brackets():
        bits = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        base = parser.parse_integer(allow_boolean=False, allow_negative=False)
        parser.parse_punctuation(",")
        shift = parser.parse_integer(allow_boolean=False, allow_negative=False)
    try:
        return listed_swizzle(bits, base, shift)
    except LayoutError as error:
        parser.raise_error(str(error), position)


def parse_descriptor(parser: AttrParser) -> LayoutDescriptor:
    """Parses `<shape, stride[, swizzle<B, M, S>][, elem=name]>`."""
    swizzle = element = None
    with parser.in_angle_brackets():
        position = parser.pos
        shape = _parse_int_tuple(parser)
        parser.parse_punctuation(",")
        stride = _parse_int_tuple(parser)
        try:
            layout = Layout(shape, stride)
        except LayoutError as error:
            parser.raise_error(str(error), position)
        while parser.parse_optional_punctuation(","):
            if swizzle is None and element is None and parser.parse_optional_keyword("swizzle"):
                swizzle = _parse_swizzle(parser)
                continue
            parser.parse_keyword("elem")
            parser.parse_punctuation("=")
            position = parser.pos
            element = parser.parse_identifier()
            try:
                element_bits(element)
            except LayoutError as error:
                parser.raise_error(str(error), position)
            break
    return LayoutDescriptor(layout, swizzle, element)


def print_descriptor(printer: Printer, descriptor: LayoutDescriptor) -> None:
    """Prints what `parse_descriptor` reads."""
    with printer.in_angle_brackets():
        printer.print_string(format_tuple(descriptor.layout.shape))
        printer.print_string(", ")
        printer.print_string(format_tuple(descriptor.layout.stride))
        if descriptor.swizzle is not None:
            swizzle = descriptor.swizzle
            printer.print_string(f", swizzle<{swizzle.bits}, {swizzle.base}, {swizzle.shift}>")
        if descriptor.element is not None:
            printer.print_string(f", elem={descriptor.element}")


@irdl_attr_definition
class LayoutAttr(Data[LayoutDescriptor]):
    """`#nv_tileas.layout<(128, 64), (64, 1), swizzle<3, 4, 3>>`; bare in our ops' dictionaries."""

    name = "nv_tileas.layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LayoutDescriptor:
        return parse_descriptor(parser)

    def print_parameter(self, printer: Printer) -> None:
        print_descriptor(printer, self.data)


def register_layout(linear: LinearLayout) -> LayoutAttr:
    """The encoding of a tile that lives in registers."""
    return LayoutAttr(LayoutDescriptor(linear.to_cute()))


def tile_layout(type: Attribute) -> LinearLayout | None:
    """The register layout that a tile's type carries; None for a scalar or without encoding.

    Raises:
        LayoutError: the encoding does not have the four modes of a register layout.
    """
    if not isinstance(type, TensorType) or not isinstance(type.encoding, LayoutAttr):
        return None
    return LinearLayout.from_cute(type.encoding.data.layout, type.get_shape())
