"""The `nv_tileas.layout` attribute: the text form of a shape:stride layout.

    layout-desc := "<" shape "," stride ("," "swizzle" "<" B "," M "," S ">")?
                   ("," "elem" "=" elem-name)? ">"
    tuple := integer | "(" tuple ("," tuple)* ")"
    integer := decimal-uint

Shape and stride are tuples of the same structure, as in CuTe. A layout of one plain mode is a pair
of integers, `<128, 1>`, and a layout without dimensions is `<1, 0>`: a tuple is never empty. As the
encoding of a tensor in registers, the layout has four top modes, ((register), (lane), (warp),
(cta)). A register layout maps these to row-major element indices of the tile.
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.layout import cute
from tileir_xdsl.layout.linear import LinearLayout

REGISTER_MODES = 4
"""The number of top modes in a register layout: register, lane, warp, block."""


@dataclass(frozen=True)
class LayoutDescriptor:
    """A layout, its swizzle on byte offsets, and the element type inside the descriptor."""

    layout: cute.Layout
    swizzle: cute.Swizzle | None = None
    element: str | None = None

    def __post_init__(self) -> None:
        # `(128)` and `128` are one layout, and one text.
        if all(isinstance(mode.shape, int) for mode in self.layout.modes()):
            object.__setattr__(self, "layout", cute.from_modes(self.layout.leaves()))


_DECIMAL = re.compile(r"(0|[1-9]\d*)(?!\w)")


def _parse_integer(parser: AttrParser) -> int:
    """Parses an unsigned decimal integer without leading zeros."""
    position = parser.pos
    value = parser.parse_integer(allow_boolean=False, allow_negative=False)
    if _DECIMAL.match(parser.lexer.input.content, position) is None:
        parser.raise_error("Expected a decimal integer without leading zeros", position)
    return value


def _parse_int_tuple(parser: AttrParser) -> cute.IntTuple:
    if parser.parse_optional_punctuation("("):
        items = [_parse_int_tuple(parser)]
        while parser.parse_optional_punctuation(","):
            items.append(_parse_int_tuple(parser))
        parser.parse_punctuation(")")
        return tuple(items)
    return _parse_integer(parser)


def _parse_triple(parser: AttrParser) -> tuple[int, int, int]:
    with parser.in_angle_brackets():
        bits = _parse_integer(parser)
        parser.parse_punctuation(",")
        base = _parse_integer(parser)
        parser.parse_punctuation(",")
        shift = _parse_integer(parser)
    return bits, base, shift


@contextmanager
def _error_at(parser: AttrParser, position: int) -> Generator[None]:
    """Turns a `LayoutError` into a parse error at a position of the text."""
    try:
        yield
    except cute.LayoutError as error:
        parser.raise_error(str(error), position)


def parse_descriptor(parser: AttrParser) -> LayoutDescriptor:
    """Parses `<shape, stride[, swizzle<B, M, S>][, elem=name]>`.

    An unknown element type is reported before other errors.
    """
    triple = element = None
    swizzle_position = element_position = 0
    with parser.in_angle_brackets():
        shape_position = parser.pos
        shape = _parse_int_tuple(parser)
        parser.parse_punctuation(",")
        stride = _parse_int_tuple(parser)
        while parser.parse_optional_punctuation(","):
            position = parser.pos
            if triple is None and parser.parse_optional_keyword("swizzle"):
                swizzle_position, triple = position, _parse_triple(parser)
                continue
            parser.parse_keyword("elem")
            parser.parse_punctuation("=")
            element_position, element = parser.pos, parser.parse_identifier()
            break
    if element is not None:
        with _error_at(parser, element_position):
            cute.element_bits(element)
    swizzle = None
    if triple is not None:
        with _error_at(parser, swizzle_position):
            swizzle = cute.listed_swizzle(*triple)
    with _error_at(parser, shape_position):
        layout = cute.Layout(shape, stride)
        if swizzle is not None:
            # A swizzle permutes chunks of powers of two: the layout must be linear over F2.
            cute.linear_bases(layout)
        return LayoutDescriptor(layout, swizzle, element)


def print_descriptor(printer: Printer, descriptor: LayoutDescriptor) -> None:
    """Prints what `parse_descriptor` reads."""
    with printer.in_angle_brackets():
        printer.print_string(cute.format_tuple(descriptor.layout.shape))
        printer.print_string(", ")
        printer.print_string(cute.format_tuple(descriptor.layout.stride))
        if descriptor.swizzle is not None:
            swizzle = descriptor.swizzle
            printer.print_string(f", swizzle<{swizzle.bits}, {swizzle.base}, {swizzle.shift}>")
        if descriptor.element is not None:
            printer.print_string(f", elem={descriptor.element}")


@irdl_attr_definition
class LayoutAttr(Data[LayoutDescriptor]):
    """`#nv_tileas.layout<(128, 64), (64, 1), swizzle<3, 4, 3>>`; op dictionaries omit the
    prefix.
    """

    name = "nv_tileas.layout"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LayoutDescriptor:
        return parse_descriptor(parser)

    def print_parameter(self, printer: Printer) -> None:
        print_descriptor(printer, self.data)


@lru_cache(maxsize=1024)
def register_layout(linear: LinearLayout) -> LayoutAttr:
    """The encoding of a tile in registers."""
    return LayoutAttr(LayoutDescriptor(linear.to_cute()))


@lru_cache(maxsize=1024)
def linear_layout(layout: cute.Layout, shape: tuple[int, ...]) -> LinearLayout:
    """Converts an encoding to a linear layout; cached, since passes convert the same layouts often.

    Raises:
        LayoutError: the layout does not have the four modes of a register layout.
    """
    return LinearLayout.from_cute(layout, shape)


def tile_layout(type: Attribute) -> LinearLayout | None:
    """The register layout of a tile's type; None for a scalar or without encoding.

    Raises:
        LayoutError: the encoding does not have the four modes of a register layout.
    """
    if not isinstance(type, TensorType) or not isinstance(type.encoding, LayoutAttr):
        return None
    return linear_layout(type.encoding.data.layout, type.get_shape())


def verify_register_layout(type: Attribute) -> None:
    """Raises `VerifyException` unless the layout of a tile's type is a register layout."""
    try:
        tile_layout(type)
    except cute.LayoutError as error:
        raise VerifyException(str(error)) from error


def verify_access_layout(layout: Attribute | None, rank: int) -> None:
    """Raises `VerifyException` unless an access of a tile of this rank can have this layout.

    The layout must be a register layout, or a memory layout with one mode per dimension.
    """
    if isinstance(layout, LayoutAttr):
        modes = layout.data.layout.rank
        # A tile without dimensions has one element, and the layout of a single one.
        if modes not in (REGISTER_MODES, max(rank, 1)):
            raise VerifyException(
                f"expects a register layout of {REGISTER_MODES} modes or a memory layout "
                f"of {max(rank, 1)} modes, but got {modes} modes"
            )
