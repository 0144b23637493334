"""`tile<128x128xf16>`: how asynchronous ops spell a builtin tensor. `tile<..>` and `tensor<..>` are
the same type.

A tile with an encoding is `tile<128x128xf16, #encoding>`; a tile of rank 0 is its bare element.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, NoneAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Region, TypeAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.hints import isa

from tileir_xdsl.dialects.nv_tileaa.types import tile_type


def parse_optional_tile(parser: AttrParser) -> Attribute | None:
    """Parses `tile<..>`, if there is one."""
    if parser.parse_optional_keyword("tile") is None:
        return None
    with parser.in_angle_brackets():
        shape = parser.parse_dimension_list()
        if shape:
            parser.parse_shape_delimiter()
        element = parser.parse_type()
        encoding = parser.parse_attribute() if parser.parse_optional_punctuation(",") else None
    return tile_type(shape, element, encoding)


def parse_type(parser: AttrParser) -> Attribute:
    """Parses a type in either spelling."""
    tile = parse_optional_tile(parser)
    return parser.parse_type() if tile is None else tile


def print_type(printer: Printer, type: Attribute) -> None:
    """Prints a type; a tensor is printed as `tile<..>`."""
    if not isinstance(type, TensorType) or not type.get_shape():
        printer.print_attribute(type)
        return
    printer.print_string("tile")
    with printer.in_angle_brackets():
        printer.print_dimension_list(type.get_shape())
        printer.print_string("x")
        printer.print_attribute(type.get_element_type())
        if not isinstance(type.encoding, NoneAttr):
            printer.print_string(", ")
            printer.print_attribute(type.encoding)


_print_type = print_type


def print_attribute(printer: Printer, attribute: Attribute) -> None:
    """Prints an attribute; in an array of types, tensors are printed as `tile<..>`."""
    if not isa(attribute, ArrayAttr[Attribute]):
        printer.print_attribute(attribute)
        return
    with printer.in_square_brackets():
        printer.print_list(attribute, lambda item: print_type(printer, item))


@contextmanager
def accept_tiles(parser: AttrParser) -> Generator[None]:
    """Accepts `tile<..>` as a type, also in regions, until the context ends."""
    original = parser.parse_optional_type

    def parse_optional_type() -> TypeAttribute | None:
        tile = parse_optional_tile(parser)
        return original() if tile is None else cast(TypeAttribute, tile)

    # xDSL has no hook for new spellings of types, and block arguments are read by its own code.
    parser.parse_optional_type = parse_optional_type
    try:
        yield
    finally:
        parser.parse_optional_type = original


def print_region(printer: Printer, region: Region) -> None:
    """Prints a region; tensors among the entry block's arguments are printed as `tile<..>`."""
    original = printer.print_block_argument

    def print_block_argument(arg: BlockArgument, print_type: bool = True) -> None:
        if arg.block is not region.blocks.first or not print_type:
            original(arg, print_type)
            return
        printer.print_ssa_value(arg)
        printer.print_string(" : ")
        _print_type(printer, arg.type)

    printer.print_block_argument = print_block_argument
    try:
        printer.print_region(region)
    finally:
        printer.print_block_argument = original
