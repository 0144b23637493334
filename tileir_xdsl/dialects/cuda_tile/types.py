"""The types of `cuda_tile`.

Source: Tile IR specification, type system. Where the dialect's own syntax expects a type, the text
omits `!cuda_tile.` (see `parse_type` and `print_type`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BFloat16Type,
    ContainerType,
    DenseArrayBase,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntAttr,
    IntegerType,
    NoneAttr,
    ShapedType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.enumerations import PointerKind
from tileir_xdsl.dialects.plain_type import PlainType

TypeT = TypeVar("TypeT", bound=Attribute)

DYNAMIC = DYNAMIC_INDEX
"""The size or stride that the text writes `?`."""

MAX_TILE_ELEMENTS = 1 << 24
"""Largest number of elements of a tile."""

# Names of element types, in the order in which the diagnostics list them.
INTEGERS = ("i1", "i8", "i16", "i32", "i64")
STANDARD_FLOATS = ("f16", "bf16", "f32", "f64")
FLOATS = (
    *STANDARD_FLOATS,
    "tf32",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "fnv8E5M3FNU",
)
POINTER = "Pointer type"

_MEMORY_ELEMENTS = (
    "f16",
    "bf16",
    "f32",
    "tf32",
    "f64",
    "f8E4M3FN",
    "f8E5M2",
    "f8E8M0FNU",
    "f4E2M1FN",
    "fnv8E5M3FNU",
    *INTEGERS,
)
_TILE_ELEMENTS = (*_MEMORY_ELEMENTS, POINTER, "i4")


@irdl_attr_definition
class Float8E5M3FNUType(PlainType):
    """`fnv8E5M3FNU`: 5 exponent bits with bias 15, 3 mantissa bits, no sign and no infinity.

    0xFF is NaN. Source: PTX ISA, "Alternate Floating-Point Data Formats", `ue5m3`.
    """

    name = "cuda_tile.fnv8E5M3FNU"

    @property
    def bitwidth(self) -> int:
        """The width of a number in bits, as for builtin floats."""
        return 8


_FLOAT_NAMES: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
    FloatTF32Type: "tf32",
    Float8E4M3FNType: "f8E4M3FN",
    Float8E5M2Type: "f8E5M2",
    Float8E8M0FNUType: "f8E8M0FNU",
    Float4E2M1FNType: "f4E2M1FN",
    Float8E5M3FNUType: "fnv8E5M3FNU",
}

_BIT_WIDTHS = {
    "f16": 16,
    "bf16": 16,
    "f32": 32,
    "f64": 64,
    "tf32": 19,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E8M0FNU": 8,
    "f4E2M1FN": 4,
    "fnv8E5M3FNU": 8,
    POINTER: 64,
}


def element_name(element_type: Attribute) -> str | None:
    """`i32`, `f32`, .. or `POINTER`; None for a type that no tile can hold."""
    if isinstance(element_type, IntegerType):
        if element_type.signedness.data is not Signedness.SIGNLESS:
            return None
        return f"i{element_type.width.data}"
    if isinstance(element_type, PointerType):
        return POINTER
    return _FLOAT_NAMES.get(type(element_type))


def element_bit_width(element_type: Attribute) -> int:
    """Bits of one element; 19 for `tf32`, 64 for a pointer."""
    if isinstance(element_type, IntegerType):
        return element_type.width.data
    return _BIT_WIDTHS[element_name(element_type) or ""]


def element_storage_bits(element_type: Attribute) -> int:
    """Bits one element takes in memory: 32 for `tf32`."""
    return 32 if element_name(element_type) == "tf32" else element_bit_width(element_type)


def is_float_element(element_type: Attribute) -> bool:
    """Whether `element_type` is one of the floating-point element types."""
    return type(element_type) in _FLOAT_NAMES


def _verify_element(parameter: str, element_type: Attribute, allowed: tuple[str, ...]) -> None:
    if element_name(element_type) not in allowed:
        raise VerifyException(f"failed to verify '{parameter}': {' or '.join(allowed)}")


def comma_separated(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def bracketed(values: Sequence[int]) -> str:
    return f"[{', '.join('?' if v == DYNAMIC else str(v) for v in values)}]"


def is_power_of_two(value: int) -> bool:
    return value & (value - 1) == 0


def int_array(values: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr(IntAttr(value) for value in values)


def ints(array: ArrayAttr[IntAttr]) -> tuple[int, ...]:
    return tuple(value.data for value in array.data)


def dense_integers(array: DenseArrayBase) -> tuple[int, ...]:
    """The elements of an array of integers."""
    return tuple(int(value) for value in cast("DenseArrayBase[IntegerType]", array).get_values())


def dense_booleans(array: DenseArrayBase) -> tuple[bool, ...]:
    """The elements of an array of i1."""
    return tuple(value != 0 for value in dense_integers(array))


def verify_tile_shape(shape: Sequence[int], element_type: Attribute) -> None:
    if any(dim <= 0 for dim in shape):
        raise VerifyException(
            f"all dimensions must be positive constants, got {comma_separated(shape)}"
        )
    if not all(map(is_power_of_two, shape)):
        raise VerifyException(f"all dimensions must be powers of two, got {comma_separated(shape)}")
    if math.prod(shape) > MAX_TILE_ELEMENTS:
        raise VerifyException(f"tile would exceed the maximum of {MAX_TILE_ELEMENTS} elements")
    if isinstance(element_type, Float4E2M1FNType) and math.prod(shape) % 2:
        raise VerifyException("F4E2M1FN tiles must have an even number of elements")
    if (
        shape
        and isinstance(element_type, PointerType)
        and isinstance(element_type.pointee_type, Float4E2M1FNType)
    ):
        raise VerifyException(
            "tiles of ptr<f4E2M1FN> must have rank 0; use an f4 tile view for memory accesses"
        )


@irdl_attr_definition
class TokenType(PlainType):
    """`token`: orders memory operations; carries no value at run time."""

    name = "cuda_tile.token"


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """`ptr<f32>`: the address of one element in global memory.

    The type of a pointer to a multicast object states this kind, `ptr<f32, <multicast>>`.
    """

    name = "cuda_tile.ptr"

    pointee_type: Attribute
    kind: PointerKindAttr | NoneAttr

    def __init__(self, pointee_type: Attribute, kind: PointerKindAttr | None = None):
        super().__init__(pointee_type, kind or NoneAttr())

    def verify(self) -> None:
        _verify_element("pointeeType", self.pointee_type, _MEMORY_ELEMENTS)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> PointerType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        pointee_type = parse_type(parser)
        kind = None
        if parser.parse_optional_punctuation(","):
            kind = PointerKindAttr(PointerKindAttr.parse_parameter(parser))
        expect(parser, ">")
        return checked(parser, position, lambda: cls(pointee_type, kind))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            print_type(printer, self.pointee_type)
            if isinstance(self.kind, PointerKindAttr):
                printer.print_string(", ")
                self.kind.print_parameter(printer)


@irdl_attr_definition
class TileType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """`tile<4x8xf32>`: an immutable array; `tile<f32>` has rank 0.

    Sizes are powers of two; at most 2^24 elements (`MAX_TILE_ELEMENTS`).
    """

    name = "cuda_tile.tile"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute

    def __init__(self, shape: Sequence[int], element_type: Attribute):
        super().__init__(int_array(shape), element_type)

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return tuple([dim.data for dim in self.shape.data])

    def get_element_type(self) -> Attribute:
        return self.element_type

    def verify(self) -> None:
        _verify_element("elementType", self.element_type, _TILE_ELEMENTS)
        verify_tile_shape(self.get_shape(), self.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> TileType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        shape = parser.parse_dimension_list()
        if DYNAMIC in shape:
            parser.raise_error("expected static shape", position)
        if shape:
            parser.parse_shape_delimiter()
        element_type = parse_type(parser)
        expect(parser, ">")
        return checked(parser, position, lambda: cls(shape, element_type))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{''.join(f'{dim}x' for dim in self.get_shape())}")
        print_type(printer, self.element_type)
        printer.print_string(">")


@irdl_attr_definition
class TensorViewType(ParametrizedAttribute, TypeAttribute, ShapedType, ContainerType[Attribute]):
    """`tensor_view<?x64xf32, strides=[64,1]>`: a tensor in global memory, strides in elements.

    Sizes and strides that are only known at run time are `?` (`DYNAMIC`).
    """

    name = "cuda_tile.tensor_view"

    shape: ArrayAttr[IntAttr]
    element_type: Attribute
    strides: ArrayAttr[IntAttr]
    kind: PointerKindAttr | NoneAttr

    def __init__(
        self,
        shape: Sequence[int],
        element_type: Attribute,
        strides: Sequence[int],
        kind: PointerKindAttr | None = None,
    ):
        super().__init__(int_array(shape), element_type, int_array(strides), kind or NoneAttr())

    def get_num_dims(self) -> int:
        return len(self.shape.data)

    def get_shape(self) -> tuple[int, ...]:
        return ints(self.shape)

    def get_strides(self) -> tuple[int, ...]:
        """For each dimension, the distance in elements between neighbouring elements."""
        return ints(self.strides)

    def get_element_type(self) -> Attribute:
        return self.element_type

    def verify(self) -> None:
        _verify_element("elementType", self.element_type, _MEMORY_ELEMENTS)
        shape, strides = self.get_shape(), self.get_strides()
        if len(shape) != len(strides):
            raise VerifyException(
                "expected shape and stride to be of same rank but got shape of rank "
                f"{len(shape)} and stride of rank {len(strides)}"
            )
        for what, values in (("dimensions", shape), ("strides", strides)):
            if any(value <= 0 and value != DYNAMIC for value in values):
                raise VerifyException(
                    f"{what} must have strictly positive constant sizes but got {bracketed(values)}"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> TensorViewType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        shape = parser.parse_dimension_list()
        if shape:
            parser.parse_shape_delimiter()
        element_type = parse_type(parser)
        strides: list[int] = []
        kind = None
        if shape:
            expect(parser, ",")
            if not parser.parse_optional_keyword("strides"):
                parser.raise_error("expected 'strides'")
            expect(parser, "=")
            strides = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: _parse_stride(parser)
            )
            if parser.parse_optional_punctuation(","):
                kind = _parse_pointer_kind(parser)
        elif parser.parse_optional_punctuation(","):
            if parser.parse_optional_keyword("strides"):
                parser.raise_error("strides must not be provided for 0-d tiles")
            kind = _parse_pointer_kind(parser)
        if not parser.parse_optional_punctuation(">"):
            if not shape:
                parser.raise_error("unexpected token after element type in 0-d tensor_view")
            parser.raise_error("expected '>'")
        return checked(parser, position, lambda: cls(shape, element_type, strides, kind))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for dim in self.get_shape():
                printer.print_string(f"{_size_text(dim)}x")
            print_type(printer, self.element_type)
            if self.shape.data:
                strides = ",".join(map(_size_text, self.get_strides()))
                printer.print_string(f", strides=[{strides}]")
            if isinstance(self.kind, PointerKindAttr):
                printer.print_string(", ")
                printer.print_attribute(self.kind)


def _size_text(size: int) -> str:
    return "?" if size == DYNAMIC else str(size)


def _parse_stride(parser: AttrParser) -> int:
    if parser.parse_optional_punctuation("?"):
        return DYNAMIC
    position = parser.pos
    stride = parser.parse_optional_integer(allow_boolean=False)
    if stride is None:
        parser.raise_error("expected either 64-bit integer or question mark")
    if stride <= 0:
        parser.raise_error(f"expected strictly positive integer, got {stride}", position)
    return stride


def _parse_pointer_kind(parser: AttrParser) -> PointerKindAttr:
    attribute = parser.parse_attribute()
    if not isinstance(attribute, PointerKindAttr):
        parser.raise_error("expected a ptr_attr attribute")
    return attribute


class _ShortTypeParser(Protocol):
    def __call__(self, parser: AttrParser) -> Attribute: ...


def parse_optional_number(parser: AttrParser) -> Attribute | None:
    """Parses a builtin type or `fnv8E5M3FNU`; None if neither is next."""
    if parser.parse_optional_keyword("fnv8E5M3FNU"):
        return Float8E5M3FNUType()
    return parser.parse_optional_type()


SHORT_TYPES: dict[str, _ShortTypeParser] = {
    "tile": TileType.parse_short,
    "ptr": PointerType.parse_short,
    "tensor_view": TensorViewType.parse_short,
}
"""Parsers of the types that the text may write without `!cuda_tile.`, by mnemonic."""


def is_multicast(type_: PointerType | TensorViewType) -> bool:
    """Whether an address of this type refers to memory of several devices."""
    return isinstance(type_.kind, PointerKindAttr) and type_.kind.data is PointerKind.MULTICAST


def parse_type(parser: AttrParser) -> Attribute:
    """Parses a type in the dialect's own syntax, which is any MLIR type or a bare mnemonic."""
    if parser.parse_optional_keyword("token"):
        return TokenType()
    if mnemonic := parser.parse_optional_keyword_in(SHORT_TYPES):
        return SHORT_TYPES[mnemonic](parser)
    if (type_ := parse_optional_number(parser)) is not None:
        return _tile_of(type_)
    if (keyword := parser.parse_optional_identifier()) is not None:
        parser.raise_error(f"unknown type: {keyword}")
    parser.raise_error("expected valid keyword")


def _tile_of(type_: Attribute) -> Attribute:
    """Converts a tensor, as in examples of the lowering, to a tile; returns other types unchanged.

    A tensor of unknown size, or with an encoding, is unchanged, too.
    """
    if not isinstance(type_, TensorType) or not isinstance(type_.encoding, NoneAttr):
        return type_
    shape = type_.get_shape()
    return type_ if DYNAMIC_INDEX in shape else TileType(shape, type_.get_element_type())


def print_type(printer: Printer, type_: Attribute) -> None:
    """Prints a type in the dialect's own syntax, with `cuda_tile` types without their prefix."""
    if isinstance(type_, ParametrizedAttribute) and type_.name.startswith("cuda_tile."):
        printer.print_string(type_.name.removeprefix("cuda_tile."))
        type_.print_parameters(printer)
    else:
        printer.print_attribute(type_)


def checked(parser: AttrParser, position: int, build: Callable[[], TypeT]) -> TypeT:
    """Builds an attribute; its verification error becomes a parse error at `position`."""
    try:
        return build()
    except VerifyException as error:
        parser.raise_error(str(error), position)
