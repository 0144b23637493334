"""The enumerations of `cuda_tile` and their attributes.

Source: Tile IR specification, section 8 (meta types) and the bytecode tables: the position of a
value in its enumeration is its number in bytecode and in the integer-valued attributes.
"""

from abc import ABC
from enum import Enum
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.enumerations import PaddingValue, PointerKind, RoundingMode, Signedness
from tileir_xdsl.dialects.enumerations import Visibility as SymbolVisibility

EnumT = TypeVar("EnumT", bound=Enum)
StrEnumT = TypeVar("StrEnumT", bound=StrEnum)


class IntegerOverflow(StrEnum):
    """What an integer operation may assume about wrap-around."""

    NONE = "none"
    NO_SIGNED_WRAP = "no_signed_wrap"
    NO_UNSIGNED_WRAP = "no_unsigned_wrap"
    NO_WRAP = "no_wrap"


class ComparisonOrdering(StrEnum):
    """Result of a floating-point comparison when an operand is NaN."""

    UNORDERED = "unordered"
    ORDERED = "ordered"


class ComparisonPredicate(StrEnum):
    """The relation a comparison tests."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS_THAN = "less_than"
    LESS_THAN_OR_EQUAL = "less_than_or_equal"
    GREATER_THAN = "greater_than"
    GREATER_THAN_OR_EQUAL = "greater_than_or_equal"


class MemoryScope(StrEnum):
    """The set of threads that a memory operation synchronises with."""

    TL_BLK = "tl_blk"
    DEVICE = "device"
    SYS = "sys"


class MultimemReduction(StrEnum):
    """The reduction of a multimem operation."""

    ADD = "add"
    MIN = "min"
    MAX = "max"
    AND = "and"
    OR = "or"
    XOR = "xor"
    UMIN = "umin"
    UMAX = "umax"


class EnumAttribute(Data[StrEnumT], ABC):
    """An enumeration attribute with the text form `#cuda_tile.<name><value>`."""

    ENUM: ClassVar[type[StrEnum]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnumT:
        with parser.in_angle_brackets():
            return cast(StrEnumT, parser.parse_str_enum(cls.ENUM))

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data.value}>")


@irdl_attr_definition
class SignednessAttr(EnumAttribute[Signedness]):
    """`#cuda_tile.signedness<signed>`."""

    name = "cuda_tile.signedness"
    ENUM = Signedness


@irdl_attr_definition
class IntegerOverflowAttr(EnumAttribute[IntegerOverflow]):
    """`#cuda_tile.overflow<none>`."""

    name = "cuda_tile.overflow"
    ENUM = IntegerOverflow


@irdl_attr_definition
class RoundingModeAttr(EnumAttribute[RoundingMode]):
    """`#cuda_tile.rounding<nearest_even>`."""

    name = "cuda_tile.rounding"
    ENUM = RoundingMode


@irdl_attr_definition
class ComparisonOrderingAttr(EnumAttribute[ComparisonOrdering]):
    """`#cuda_tile.comparison_ordering<ordered>`."""

    name = "cuda_tile.comparison_ordering"
    ENUM = ComparisonOrdering


@irdl_attr_definition
class ComparisonPredicateAttr(EnumAttribute[ComparisonPredicate]):
    """`#cuda_tile.comparison_predicate<equal>`."""

    name = "cuda_tile.comparison_predicate"
    ENUM = ComparisonPredicate


@irdl_attr_definition
class PaddingValueAttr(EnumAttribute[PaddingValue]):
    """`#cuda_tile.padding_value<zero>`."""

    name = "cuda_tile.padding_value"
    ENUM = PaddingValue


@irdl_attr_definition
class SymbolVisibilityAttr(EnumAttribute[SymbolVisibility]):
    """`#cuda_tile.visibility<public>`."""

    name = "cuda_tile.visibility"
    ENUM = SymbolVisibility


@irdl_attr_definition
class PointerKindAttr(EnumAttribute[PointerKind]):
    """`#cuda_tile.ptr_attr<multicast>`."""

    name = "cuda_tile.ptr_attr"
    ENUM = PointerKind


@irdl_attr_definition
class MultimemReductionAttr(EnumAttribute[MultimemReduction]):
    """`#cuda_tile.multimem_reduction_kind<add>`."""

    name = "cuda_tile.multimem_reduction_kind"
    ENUM = MultimemReduction


def enum_number(value: StrEnum) -> int:
    """The number of `value` in bytecode and in integer-valued attributes."""
    return list(type(value)).index(value)


def enum_from_number(enum: type[EnumT], number: int) -> EnumT:
    """The value of `enum` with this number; raises `ValueError` if there is none."""
    members = list(enum)
    if not 0 <= number < len(members):
        raise ValueError(f"invalid integer value for enum type: {number}")
    return members[number]


def enum_to_integer_attr(value: StrEnum) -> IntegerAttr:
    """The `i32` attribute that stores a memory scope, a memory ordering or an atomic mode."""
    return IntegerAttr(enum_number(value), i32)
