"""The attribute of dense elements: the bits of a tensor, in a text form that preserves all of them.

The builtin `dense<..>` prints infinities, NaN and some large floats by their bits, and parses those
bits as integers.
"""

from collections.abc import Sequence
from math import isfinite, prod
from typing import TypeGuard

from xdsl.dialects.builtin import (
    AnyFloat,
    BytesAttr,
    Float80Type,
    Float128Type,
    IntegerType,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, TypedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class ElementsAttr(TypedAttribute):
    """`#nv_tileaa.elements<[1.5, 0x7fc00000] : tensor<2xf32>>`: elements in row-major order.

    A single element without brackets is the value of all elements. A float without a short decimal
    form is written by its bits. `data` holds the elements, or the one element of a splat, as
    builtin types pack them.
    """

    name = "nv_tileaa.elements"

    type: TensorType
    data: BytesAttr

    def __init__(self, type: TensorType, data: bytes):
        super().__init__(type, BytesAttr(data))

    @property
    def is_splat(self) -> bool:
        """Whether one stored element is the value of all elements."""
        return len(self.data.data) == self._element_size()

    def _element_size(self) -> int:
        element = self.type.element_type
        assert isinstance(element, IntegerType | AnyFloat)
        return element.compile_time_size

    @classmethod
    def get_type_index(cls) -> int:
        return 0

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def number() -> bool | int | float:
            return parser.parse_number(allow_boolean=True)

        with parser.in_angle_brackets():
            numbers = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, number)
            if numbers is None:
                numbers = [number()]
            parser.parse_punctuation(":")
            position = parser.pos
            type = parser.parse_type()
            if not isinstance(type, TensorType):
                parser.raise_error(f"expected a tensor type, but got {type}", position)
            element = type.element_type
            if not _is_number(element):
                parser.raise_error(
                    f"expected elements that are numbers of up to 64 bits, but got {type}", position
                )
        data: list[bytes] = []
        for value in numbers:
            if (packed := _pack(value, element)) is None:
                parser.raise_error(f"{value} does not fit elements of type {element}", position)
            data.append(packed)
        return type, BytesAttr(b"".join(data))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_without_type(printer)
            printer.print_string(" : ")
            printer.print_attribute(self.type)

    def print_without_type(self, printer: Printer) -> None:
        element, size, data = self.type.element_type, self._element_size(), self.data.data
        assert isinstance(element, IntegerType | AnyFloat)
        words = [_text(data[i : i + size], element) for i in range(0, len(data), size)]
        printer.print_string(words[0] if self.is_splat else f"[{', '.join(words)}]")

    def verify(self) -> None:
        element = self.type.element_type
        if not _is_number(element):
            raise VerifyException(
                f"expects elements that are numbers of up to 64 bits, but got {self.type}"
            )
        stored, rest = divmod(len(self.data.data), element.compile_time_size)
        count = prod(self.type.get_shape())
        if rest or stored not in (1, count):
            raise VerifyException(f"expects {count} elements, or one for all, but got {stored}")


def _is_number(element: Attribute) -> TypeGuard[IntegerType | AnyFloat]:
    """Whether elements of a type can be stored."""
    if isinstance(element, IntegerType):
        return 0 < element.width.data <= 64
    return isinstance(element, AnyFloat) and not isinstance(element, Float80Type | Float128Type)


def _pack(number: bool | int | float, element: IntegerType | AnyFloat) -> bytes | None:
    """The bytes of a number; None if the number does not fit the element type. For a float type, an
    integer is the bits of the float.
    """
    size = element.compile_time_size
    if isinstance(number, bool) and element != i1:
        return None
    if isinstance(number, float):
        return None if isinstance(element, IntegerType) else _pack_float(number, element)
    if not isinstance(element, IntegerType):
        return int(number).to_bytes(size, "little") if 0 <= number < 1 << 8 * size else None
    width = element.width.data
    if not -(1 << width - 1) <= int(number) < 1 << width:
        return None
    return int(number).to_bytes(size, "little", signed=number < 0)


def _pack_float(number: float, element: AnyFloat) -> bytes | None:
    try:
        return element.pack((number,))
    except OverflowError:
        return None


def _text(data: bytes, element: IntegerType | AnyFloat) -> str:
    (value,) = element.unpack(data, 1)
    if element == i1:
        return "true" if value else "false"
    if isinstance(element, IntegerType):
        return str(value)
    text = repr(float(value))
    if isfinite(value) and "." in text and element.pack((float(text),)) == data:
        return text
    return f"0x{data[::-1].hex()}"
