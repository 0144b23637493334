"""The attribute of dense elements: the bits of a tensor, in a text form that loses none of them.

The builtin `dense<..>` prints infinities, NaN and some large floats by their bits, and reads these
back as integers.
"""

from collections.abc import Sequence
from math import isfinite, prod

from xdsl.dialects.builtin import AnyFloat, BytesAttr, IntegerType, TensorType, i1
from xdsl.ir import Attribute, TypedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class ElementsAttr(TypedAttribute):
    """`#nv_tileaa.elements<[1.5, 0x7fc00000] : tensor<2xf32>>`: elements in row-major order.

    One element without brackets stands for all. A float that has no short decimal form is written
    by its bits. `data` holds the elements, or that one, as builtin types pack them.
    """

    name = "nv_tileaa.elements"

    type: TensorType
    data: BytesAttr

    def __init__(self, type: TensorType, data: bytes):
        super().__init__(type, BytesAttr(data))

    @property
    def is_splat(self) -> bool:
        """Whether one stored element stands for all."""
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
            if not isinstance(element, IntegerType | AnyFloat):
                parser.raise_error(f"expected elements that are numbers, but got {type}", position)
        return type, BytesAttr(b"".join(_pack(number, element) for number in numbers))

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
        if not isinstance(element, IntegerType | AnyFloat):
            raise VerifyException(f"expects elements that are numbers, but got {self.type}")
        stored, rest = divmod(len(self.data.data), element.compile_time_size)
        count = prod(self.type.get_shape())
        if rest or stored not in (1, count):
            raise VerifyException(f"expects {count} elements or one, but got {stored}")


def _pack(number: bool | int | float, element: IntegerType | AnyFloat) -> bytes:
    if isinstance(element, IntegerType):
        return element.pack((int(number),))
    if isinstance(number, float):
        return element.pack((number,))
    return int(number).to_bytes(element.compile_time_size, "little")


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
