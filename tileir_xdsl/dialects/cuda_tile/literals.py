"""Dense constants: the value of `constant` and `global`.

Source: Tile IR specification, section 8.3.5 (constant) and 8.1.11 (DenseConstant). A constant is
stored as the little-endian bytes of its elements, row-major; a splat as the bytes of one element,
however large its tile is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import AnyFloat, BytesAttr, FloatAttr, IntegerAttr, IntegerType, f64, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.float_formats import FORMATS, decode, encode, float_text
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.types import (
    FLOATS,
    INTEGERS,
    TileType,
    bracketed,
    element_name,
    parse_optional_number,
    parse_type,
    print_type,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_BLOB_THRESHOLD = 100
"""More elements than this print as one hexadecimal string."""

NUMERIC_ELEMENTS = frozenset((*INTEGERS, *FLOATS))
"""The names of the element types that constants can have."""


def numeric_name(element_type: Attribute) -> str:
    """Name of an element type that a constant can have; raises `VerifyException` otherwise."""
    name = element_name(element_type)
    if name not in NUMERIC_ELEMENTS:
        raise VerifyException(expected_element_type(f"'{element_type}'"))
    return name


def expected_element_type(got: str) -> str:
    """Diagnostic for a constant whose element type is not a number."""
    return (
        f"expect element type to be one of {' or '.join(INTEGERS)} or {' or '.join(FLOATS)} "
        f"values, but got {got}"
    )


def element_bytes(name: str) -> int:
    """Bytes that store one element: i1 takes one, tf32 three, f4E2M1FN one."""
    return FORMATS[name].storage_bytes if name in FORMATS else (int(name[1:]) + 7) // 8


def encode_element(value: float, name: str) -> bytes:
    """Stored bytes of one number of the element type `name`."""
    if name in FORMATS:
        bits = encode(float(value), FORMATS[name])
    else:
        bits = int(value) & ((1 << int(name[1:])) - 1)
    return bits.to_bytes(element_bytes(name), "little")


def decode_element(data: bytes, name: str) -> int | float | bool:
    """Number stored in `data`: integers signed, i1 as bool."""
    bits = int.from_bytes(data, "little")
    if name in FORMATS:
        return decode(bits, FORMATS[name])
    if name == "i1":
        return bool(bits & 1)
    sign = 1 << (int(name[1:]) - 1)
    return (bits ^ sign) - sign


@irdl_attr_definition
class DenseConstantAttr(ParametrizedAttribute):
    """`#cuda_tile.dense_constant<f32: [1.0, 2.0] : tile<2xf32>>`.

    `data` holds one element for a splat, else `prod(shape)` elements; equal elements always
    collapse to a splat, so equal constants are equal attributes.
    """

    name = "cuda_tile.dense_constant"

    type: TileType
    data: BytesAttr

    def __init__(self, type: TileType, data: bytes):
        super().__init__(type, BytesAttr(_collapse(data, element_bytes(_name(type)))))

    @classmethod
    def splat(cls, type: TileType, value: float) -> DenseConstantAttr:
        """A constant whose elements all equal `value`."""
        return cls(type, encode_element(value, numeric_name(type.element_type)))

    @classmethod
    def from_values(cls, type: TileType, values: Sequence[float]) -> DenseConstantAttr:
        """A constant of these elements, in row-major order."""
        name = numeric_name(type.element_type)
        return cls(type, b"".join(encode_element(value, name) for value in values))

    def verify(self) -> None:
        size = element_bytes(numeric_name(self.type.element_type))
        if len(self.data.data) not in (size, size * math.prod(self.type.get_shape())):
            raise VerifyException("failed to validate buffer size and format")

    @property
    def is_splat(self) -> bool:
        """Whether all elements are equal."""
        return len(self.data.data) == element_bytes(_name(self.type))

    @property
    def splat_value(self) -> int | float | bool:
        """The element of a splat; raises `ValueError` if the elements differ."""
        if not self.is_splat:
            raise ValueError("the elements of the constant differ")
        return decode_element(self.data.data, _name(self.type))

    def to_numpy(self, shape: Sequence[int] | None = None) -> npt.NDArray[np.generic]:
        """The elements as a read-only array of `shape` (default: of the tile); i1 as bool."""
        import numpy as np

        from tileir_xdsl.dialects.cuda_tile.stored_elements import elements_of

        elements = elements_of(_name(self.type), self.data.data)
        extents = tuple(self.type.get_shape() if shape is None else shape)
        if self.is_splat:
            return np.broadcast_to(elements[0], extents)
        array = elements.reshape(extents)
        array.flags.writeable = False
        return array

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        expect(parser, "<")
        literal = parse_literal(parser)
        expect(parser, ":")
        constant = literal.to_attribute(parser, parse_type(parser))
        expect(parser, ">")
        return constant.parameters

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_literal(printer)
            printer.print_string(" : ")
            print_type(printer, self.type)

    def print_literal(self, printer: Printer) -> None:
        """Prints `ELT: VALUE`."""
        print_type(printer, self.type.element_type)
        printer.print_string(": ")
        printer.print_string(self._value_text())

    def _value_text(self) -> str:
        name, data = _name(self.type), self.data.data
        size = element_bytes(name)
        if self.is_splat:
            return element_text(data, name)
        if len(data) // size > _BLOB_THRESHOLD:
            return f'"0x{data.hex().upper()}"'
        texts = [element_text(data[i : i + size], name) for i in range(0, len(data), size)]
        for extent in reversed(self.type.get_shape()):
            texts = [f"[{', '.join(texts[i : i + extent])}]" for i in range(0, len(texts), extent)]
        return texts[0]


def _name(type_: TileType) -> str:
    return numeric_name(type_.element_type)


def _collapse(data: bytes, size: int) -> bytes:
    return data[:size] if data == data[:size] * (len(data) // size) else data


def element_text(data: bytes, name: str) -> str:
    """Text of one stored element."""
    if name in FORMATS:
        return float_text(int.from_bytes(data, "little"), FORMATS[name])
    value = decode_element(data, name)
    return str(value).lower() if name == "i1" else str(value)


@dataclass(frozen=True)
class _Number:
    """One number of a literal: its text without the sign, and its position."""

    text: str
    negative: bool
    position: int


@dataclass(frozen=True)
class Literal:
    """A literal with its element type as written, before the type of the tile is known.

    `shape` is empty for a lone number; `blob` holds the bytes of a hexadecimal string.
    """

    element_type: Attribute
    shape: tuple[int, ...]
    numbers: tuple[_Number, ...]
    blob: bytes | None
    position: int

    def to_attribute(self, parser: AttrParser, type_: Attribute) -> DenseConstantAttr:
        """The constant of tile type `type_`; raises a parse error if the literal does not fit."""
        name = element_name(self.element_type) or ""
        if (
            not isinstance(type_, TileType)
            or element_name(type_.element_type) not in NUMERIC_ELEMENTS
        ):
            parser.raise_error(
                f"result #0 must be tile of {' or '.join(INTEGERS)} or {' or '.join(FLOATS)} "
                f"values, but got '{type_}'",
                self.position,
            )
        if type_.element_type != self.element_type:
            parser.raise_error(
                f"mismatch between the element type: '{self.element_type}' and the tile element "
                f"type '{type_.element_type}'",
                self.position,
            )
        if self.blob is not None:
            data = self.blob
        else:
            if self.shape and self.shape != type_.get_shape():
                parser.raise_error(
                    f"inferred shape of elements literal ({bracketed(self.shape)}) does not match "
                    f"type ({bracketed(type_.get_shape())})",
                    self.position,
                )
            convert = _float_bytes if name in FORMATS else _integer_bytes
            data = b"".join(convert(parser, number, name) for number in self.numbers)
        try:
            return DenseConstantAttr(type_, data)
        except VerifyException as error:
            parser.raise_error(str(error), self.position)


def parse_literal(parser: AttrParser) -> Literal:
    """Parses `ELT: VALUE`."""
    position = parser.pos
    if (element_type := parse_optional_number(parser)) is None or element_name(
        element_type
    ) not in NUMERIC_ELEMENTS:
        got = "'<<NULL TYPE>>'" if element_type is None else f"'{element_type}'"
        parser.raise_error(expected_element_type(got), position)
    expect(parser, ":")
    position = parser.pos
    if (blob := parser.parse_optional_str_literal()) is not None:
        return Literal(element_type, (), (), _blob_bytes(parser, blob, position), position)
    if parser.parse_optional_characters(">"):
        parser.raise_error("dense attribute cannot be empty", position)
    numbers: list[_Number] = []
    shape = _parse_nested(parser, numbers)
    return Literal(element_type, shape, tuple(numbers), None, position)


def _blob_bytes(parser: AttrParser, text: str, position: int) -> bytes:
    try:
        if not text.startswith("0x"):
            raise ValueError
        return bytes.fromhex(text[2:])
    except ValueError:
        parser.raise_error("elements hex string should start with '0x'", position)


def _parse_nested(parser: AttrParser, numbers: list[_Number]) -> tuple[int, ...]:
    """Parses a number or a list, appends the numbers and returns the shape."""
    if not parser.parse_optional_punctuation("["):
        numbers.append(_parse_number(parser))
        return ()
    shapes: list[tuple[int, ...]] = []
    if not parser.parse_optional_punctuation("]"):
        while True:
            position = parser.pos
            shapes.append(_parse_nested(parser, numbers))
            if shapes[-1] != shapes[0]:
                parser.raise_error(
                    "tensor literal is invalid; ranks are not consistent between elements",
                    position,
                )
            if not parser.parse_optional_punctuation(","):
                break
        expect(parser, "]")
    return (len(shapes), *(shapes[0] if shapes else ()))


def _parse_number(parser: AttrParser) -> _Number:
    negative = parser.parse_optional_punctuation("-") is not None
    position = parser.pos
    if (
        parser.parse_optional_float(allow_negative=False) is None
        and parser.parse_optional_integer(allow_boolean=False, allow_negative=False) is None
        and parser.parse_optional_boolean() is None
    ):
        parser.raise_error("expected element literal of primitive type")
    source = parser.lexer.input.content
    text = source[position : parser.pos].split("//")[0].strip()
    return _Number(text, negative, position)


def _integer_bytes(parser: AttrParser, number: _Number, name: str) -> bytes:
    width = int(name[1:])
    if number.text in ("true", "false"):
        if width != 1:
            parser.raise_error("expected integer value", number.position)
        return bytes([number.text == "true"])
    if not number.text.isalnum():
        parser.raise_error("expected integer value", number.position)
    value = int(number.text, 16 if number.text.startswith("0x") else 10)
    value = -value if number.negative else value
    # An i64 literal is read through a signed 64-bit integer; narrower types take both ranges.
    upper = (1 << 63) if width == 64 else (1 << width)
    if not -(1 << (width - 1)) <= value < upper:
        parser.raise_error("integer constant out of range for type", number.position)
    return encode_element(value, name)


def _float_bytes(parser: AttrParser, number: _Number, name: str) -> bytes:
    layout = FORMATS[name]
    if number.text in ("true", "false"):
        parser.raise_error("expected floating point value", number.position)
    if number.text.startswith("0x"):
        bits = int(number.text, 16)
        if number.negative:
            parser.raise_error("hexadecimal float literal should not have a leading minus")
        if bits >> layout.width:
            parser.raise_error("float constant out of range for type", number.position)
        return bits.to_bytes(layout.storage_bytes, "little")
    if number.text.isdigit():
        parser.raise_error(
            "unexpected decimal integer literal for a floating point value\n"
            "add a trailing dot to make the literal a float",
            number.position,
        )
    value = float(number.text)
    return encode_element(-value if number.negative else value, name)


def parse_number_attribute(parser: AttrParser) -> Attribute:
    """Parses `1.0 : f32`, `0xFF800000 : f32`, `5 : i32` or `true`.

    Without a type, a number with a point is f64 and one without is i64.
    """
    number = _parse_number(parser)
    if number.text in ("true", "false"):
        return IntegerAttr.from_bool(number.text == "true")
    is_integer = number.text.isalnum()
    type_: Attribute = i64 if is_integer else f64
    if parser.parse_optional_punctuation(":"):
        type_ = parse_type(parser)
    name = element_name(type_)
    if name not in NUMERIC_ELEMENTS:
        parser.raise_error("integer literal not valid for specified type", number.position)
    if name in FORMATS:
        value = decode_element(_float_bytes(parser, number, name), name)
        if not isinstance(type_, AnyFloat):
            parser.raise_error(f"identities of {name} are not supported", number.position)
        return FloatAttr(value, type_)
    if not is_integer:
        parser.raise_error("floating point value not valid for specified type", number.position)
    value = decode_element(_integer_bytes(parser, number, name), name)
    assert isinstance(type_, IntegerType)
    return IntegerAttr(int(value), type_)


def print_number_attribute(printer: Printer, number: Attribute) -> None:
    """Prints what `parse_number_attribute` reads; the types i64 and f64 are left out."""
    assert isinstance(number, IntegerAttr | FloatAttr)
    name = numeric_name(number.get_type())
    text = element_text(encode_element(number.value.data, name), name)
    printer.print_string(text)
    if name not in ("i1", "i64") and not (name == "f64" and not text.startswith("0x")):
        printer.print_string(" : ")
        print_type(printer, number.get_type())
