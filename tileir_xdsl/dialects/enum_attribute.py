"""Base classes that define an attribute of an enumeration in one line.

class ShapeAttr(EnumAttribute[Shape], name="dialect.shape"): ...    // #dialect.shape<square>
"""

from abc import ABC
from typing import ClassVar, TypeVar, cast, get_args

from xdsl.ir import Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

StrEnumT = TypeVar("StrEnumT", bound=StrEnum)


class EnumAttribute(Data[StrEnumT], ABC):
    """Base of enumeration attributes with the text `#dialect.name<value>`, or `<value>`."""

    enum_type: ClassVar[type[StrEnum]]

    def __init_subclass__(cls, name: str | None = None) -> None:
        """Defines the attribute `name`; a class without a name is a base of other classes."""
        super().__init_subclass__()
        if name is not None:
            cls.name = name
            (cls.enum_type,) = get_args(cls.__dict__["__orig_bases__"][0])
            irdl_attr_definition(cls)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnumT:
        with parser.in_angle_brackets():
            return cast(StrEnumT, parser.parse_str_enum(cls.enum_type))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


class SpacedEnumAttribute(EnumAttribute[StrEnumT], SpacedOpaqueSyntaxAttribute, ABC):
    """Base of enumeration attributes with the text `#dialect<name value>`, or `value`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnumT:
        return cast(StrEnumT, parser.parse_str_enum(cls.enum_type))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_identifier_or_string_literal(self.data.value)
