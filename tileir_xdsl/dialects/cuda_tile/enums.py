"""The enumerations of `cuda_tile` and their attributes.

Source: Tile IR specification, section 8 (meta types) and the bytecode tables. The position of a
value in its enumeration is its number in bytecode and in integer-valued attributes.
"""

from abc import ABC
from enum import Enum
from typing import TypeVar, cast

from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.parser import AttrParser
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects import enum_attribute
from tileir_xdsl.dialects.cuda_tile.parsing import expect, failed_parameter, report
from tileir_xdsl.dialects.enumerations import PaddingValue, PointerKind, RoundingMode, Signedness
from tileir_xdsl.dialects.enumerations import Visibility as SymbolVisibility

EnumT = TypeVar("EnumT", bound=Enum)
StrEnumT = TypeVar("StrEnumT", bound=StrEnum)


class IntegerOverflow(StrEnum):
    """Assumptions of an integer operation about wrap-around."""

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


class EnumAttribute(enum_attribute.EnumAttribute[StrEnumT], ABC):
    """An enumeration attribute with the text form `#cuda_tile.<name><value>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> StrEnumT:
        return cls.parse_value(parser)

    @classmethod
    def parse_value(cls, parser: AttrParser, operation: str | None = None) -> StrEnumT:
        """Parses `<value>`, in the custom form of `operation` if given.

        Raises `ParseError` in the words of the parser that ODS generates.
        """
        expect(parser, "<")
        position = parser.pos
        # C++ calls the enumeration as Python calls the attribute, and its definition likewise.
        name = cls.__name__.removesuffix("Attr")
        type_ = f"::mlir::cuda_tile::{name}"
        word = parser.parse_optional_identifier_or_str_literal()
        if word not in list(cls.enum_type):
            reason = "expected valid keyword or string"
            if word is not None:
                reason = f"expected {type_} to be one of: {', '.join(cls.enum_type)}"
            failed = failed_parameter(f"CudaTile_{name}Attr", "value", type_)
            report(parser, operation, f"{reason}\n{failed}", position)
        expect(parser, ">")
        return cast(StrEnumT, cls.enum_type(word))


class SignednessAttr(EnumAttribute[Signedness], name="cuda_tile.signedness"):
    """`#cuda_tile.signedness<signed>`."""


class IntegerOverflowAttr(EnumAttribute[IntegerOverflow], name="cuda_tile.overflow"):
    """`#cuda_tile.overflow<none>`."""


class RoundingModeAttr(EnumAttribute[RoundingMode], name="cuda_tile.rounding"):
    """`#cuda_tile.rounding<nearest_even>`."""


class ComparisonOrderingAttr(
    EnumAttribute[ComparisonOrdering], name="cuda_tile.comparison_ordering"
):
    """`#cuda_tile.comparison_ordering<ordered>`."""


class ComparisonPredicateAttr(
    EnumAttribute[ComparisonPredicate], name="cuda_tile.comparison_predicate"
):
    """`#cuda_tile.comparison_predicate<equal>`."""


class PaddingValueAttr(EnumAttribute[PaddingValue], name="cuda_tile.padding_value"):
    """`#cuda_tile.padding_value<zero>`."""


class SymbolVisibilityAttr(EnumAttribute[SymbolVisibility], name="cuda_tile.visibility"):
    """`#cuda_tile.visibility<public>`."""


class PointerKindAttr(EnumAttribute[PointerKind], name="cuda_tile.ptr_attr"):
    """`#cuda_tile.ptr_attr<multicast>`."""


class MultimemReductionAttr(
    EnumAttribute[MultimemReduction], name="cuda_tile.multimem_reduction_kind"
):
    """`#cuda_tile.multimem_reduction_kind<add>`."""


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
