"""Recipes by which a launch makes tensor maps from the kernel's arguments.

    #nv_tileas.tensor_map<128x64xf16, arg0, sizes = [arg1, arg2], strides = [arg3, 1],
                          swizzle = 128B, oob = zero>

A recipe has the box, the argument that points to the object, and the object's sizes and strides.
Sizes and strides count elements, and are constants or integer arguments. Dimensions are in the
order of the tiles' dimensions; one has the stride 1. The attribute `TENSOR_MAPS_ATTRIBUTE` of a
kernel holds a recipe for each of its last parameters. Source: CUDA driver API,
`cuTensorMapEncodeTiled`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from tileir_xdsl.dialects.launch_attributes import TENSOR_MAPS_ATTRIBUTE
from tileir_xdsl.layout.constructors import fastest_first

from .attributes import OutOfBoundsMode, SwizzleMode, SwizzleModeAttr


@dataclass(frozen=True)
class KernelArgument:
    """An argument of the kernel, by its number."""

    number: int

    def __str__(self) -> str:
        return f"arg{self.number}"


LaunchValue = KernelArgument | int
"""A value known at launch: an argument, or a constant."""


@dataclass(frozen=True)
class TensorMapRecipe:
    """How a launch makes one tensor map; dimensions are in the order of the tiles' dimensions."""

    box: tuple[int, ...]
    element: Attribute
    pointer: KernelArgument
    sizes: tuple[LaunchValue, ...]
    strides: tuple[LaunchValue, ...]
    swizzle: SwizzleMode = SwizzleMode.NONE
    outside: OutOfBoundsMode = OutOfBoundsMode.ZERO
    """Padding value of a load outside of the object."""

    @property
    def order(self) -> tuple[int, ...]:
        """The dimensions from fastest to slowest, as in a tensor map."""
        fastest = max(dim for dim, stride in enumerate(self.strides) if stride == 1)
        return fastest_first(len(self.strides), fastest)


_ARGUMENT = re.compile(r"arg(\d+)")


def _parse_argument(parser: AttrParser) -> KernelArgument:
    position = parser.pos
    found = _ARGUMENT.fullmatch(parser.parse_identifier())
    if found is None:
        parser.raise_error("expected an argument of the kernel, such as arg0", position)
    return KernelArgument(int(found[1]))


def _parse_value(parser: AttrParser) -> LaunchValue:
    number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    return _parse_argument(parser) if number is None else number


def _parse_key(parser: AttrParser, key: str) -> None:
    parser.parse_punctuation(",")
    parser.parse_keyword(key)
    parser.parse_punctuation("=")


def _parse_values(parser: AttrParser, key: str, rank: int) -> tuple[LaunchValue, ...]:
    _parse_key(parser, key)
    position = parser.pos
    values = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: _parse_value(parser)
    )
    if len(values) != rank:
        parser.raise_error(f"expected {rank} {key}, got {len(values)}", position)
    return tuple(values)


def _format_values(values: Sequence[LaunchValue]) -> str:
    return f"[{', '.join(map(str, values))}]"


@irdl_attr_definition
class TensorMapAttr(Data[TensorMapRecipe]):
    """`#nv_tileas.tensor_map<..>`: how a launch makes one tensor map."""

    name = "nv_tileas.tensor_map"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> TensorMapRecipe:
        with parser.in_angle_brackets():
            box = tuple(parser.parse_dimension_list())
            parser.parse_shape_delimiter()
            element = parser.parse_type()
            parser.parse_punctuation(",")
            pointer = _parse_argument(parser)
            sizes = _parse_values(parser, "sizes", len(box))
            position = parser.pos
            strides = _parse_values(parser, "strides", len(box))
            if 1 not in strides:
                parser.raise_error("expected at least one stride of 1", position)
            _parse_key(parser, "swizzle")
            swizzle = SwizzleModeAttr.parse_mode(parser)
            _parse_key(parser, "oob")
            outside = parser.parse_str_enum(OutOfBoundsMode)
            return TensorMapRecipe(box, element, pointer, sizes, strides, swizzle, outside)

    def print_parameter(self, printer: Printer) -> None:
        recipe = self.data
        with printer.in_angle_brackets():
            printer.print_dimension_list(recipe.box)
            printer.print_string("x")
            printer.print_attribute(recipe.element)
            printer.print_string(
                f", {recipe.pointer}, sizes = {_format_values(recipe.sizes)}, "
                f"strides = {_format_values(recipe.strides)}, swizzle = {recipe.swizzle}, "
                f"oob = {recipe.outside}"
            )


def tensor_map_recipes(function: Operation) -> tuple[TensorMapRecipe, ...]:
    """The tensor-map recipes of the last parameters of a kernel, in order."""
    attribute = function.attributes.get(TENSOR_MAPS_ATTRIBUTE)
    if not isinstance(attribute, ArrayAttr):
        return ()
    return tuple(map_.data for map_ in attribute if isinstance(map_, TensorMapAttr))
