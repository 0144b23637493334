"""Enum attributes as MLIR prints them in angle brackets: `#dialect.name<value>`."""

from abc import ABC
from typing import ClassVar, TypeVar, cast

from xdsl.ir import Data
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

StrEnumT = TypeVar("StrEnumT", bound=StrEnum)


class EnumAttribute(Data[StrEnumT], ABC):
    """Base of the attributes that hold one member of an enumeration."""

    ENUM: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnumT:
        with parser.in_angle_brackets():
            return cast(StrEnumT, parser.parse_str_enum(cls.ENUM))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)
