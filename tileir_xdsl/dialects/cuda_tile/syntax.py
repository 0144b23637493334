"""The custom form of operations: each directive parses and prints one part of the form.

Source: Tile IR specification, section 8, and the text that NVIDIA's tools print. Blanks are printed
as by NVIDIA's tools: an absent part may still print its blank. Parse diagnostics have the text of
the reference implementation.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, UnitAttr, i32
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser, Span, UnresolvedOperand
from xdsl.parser.core import ForwardDeclaredValue
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import PunctuationSpelling
from xdsl.utils.str_enum import StrEnum

from tileir_xdsl.dialects.cuda_tile.definition import SEGMENT_SIZES, Definition
from tileir_xdsl.dialects.cuda_tile.enums import (
    EnumAttribute,
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect, report
from tileir_xdsl.dialects.cuda_tile.types import TileType, parse_type, print_type
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness

OperationT = TypeVar("OperationT", bound=Operation)


def custom_error(parser: Parser, name: str, message: str, position: int | None = None) -> NoReturn:
    """Raises a parse error with the prefix that MLIR gives to errors in a custom form."""
    report(parser, name, message, position)


class ForwardReference(ForwardDeclaredValue[Attribute]):
    """A value used before its definition is parsed, and the position of that use."""

    span: Span[str]

    def __init__(self, type_: Attribute, span: Span[str]):
        super().__init__(type_)
        self.span = span


def resolve_operand(parser: Parser, operand: UnresolvedOperand, type_: Attribute) -> SSAValue:
    """The value that `operand` names; raises a parse error if its type is not `type_`."""
    values = parser.ssa_values.get(operand.operand_name)
    if values is not None and operand.index < len(values):
        value = values[operand.index]
        if value.type != type_:
            parser.raise_error(
                f"use of value '%{operand.operand_name}' expects different type than prior uses: "
                f"'{type_}' vs '{value.type}'",
                operand.span,
            )
        return value
    if values is None and operand.operand_name not in parser.forward_ssa_references:
        reference = ForwardReference(type_, operand.span)
        parser.forward_ssa_references[operand.operand_name] = {operand.index: reference}
        return reference
    return parser.resolve_operand(operand, type_)


def parse_operand(parser: Parser) -> UnresolvedOperand:
    """Parses `%name`."""
    operand = parser.parse_optional_unresolved_operand()
    if operand is None:
        parser.raise_error("expected SSA operand")
    return operand


def parse_operands(parser: Parser) -> list[UnresolvedOperand]:
    """Parses `%a, %b, ..`, at least one."""
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parse_operand(parser))


def parse_optional_operands(parser: Parser) -> list[UnresolvedOperand]:
    """Parses `%a, %b, ..` or nothing."""
    operands = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, lambda: parse_operand(parser)
    )
    return operands or []


_COMMA_BEFORE_TOKEN = re.compile(r",(?:\s|//[^\n]*\n)*token\b")


def is_comma_before_token(parser: Parser) -> bool:
    """Whether `, token = %t` follows, with the optional comma of section 8.10.2."""
    return _COMMA_BEFORE_TOKEN.match(parser.lexer.input.content, parser.pos) is not None


def parse_optional_comma(parser: Parser) -> bool:
    """Parses the comma before one more operand, or nothing."""
    return not is_comma_before_token(parser) and parser.parse_optional_punctuation(",") is not None


def parse_integer(parser: Parser) -> int:
    """Parses an integer attribute without its type."""
    value = parser.parse_optional_integer(allow_boolean=False)
    if value is None:
        parser.raise_error("expected attribute value")
    return value


def parse_types(parser: Parser) -> list[Attribute]:
    """Parses `T, U, ..`, at least one."""
    return parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parse_type(parser))


def print_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """Prints `T, U, ..`."""
    printer.print_list(types, lambda type_: print_type(printer, type_))


def quoted_list(types: Sequence[Attribute]) -> str:
    """The types as diagnostics list them: `'!cuda_tile.tile<f32>', ..`."""
    return ", ".join(f"'{type_}'" for type_ in types)


def quoted_types(types: Sequence[Attribute]) -> str:
    """The types as diagnostics list them in parentheses."""
    return f"({quoted_list(types)})"


def parse_attribute_dictionary(parser: Parser) -> dict[str, Attribute]:
    """Parses `{k = v, ..}` or nothing."""
    return parser.parse_optional_attr_dict()


def print_attribute_dictionary(
    printer: Printer, attributes: Mapping[str, Attribute], *, keyword: bool = False
) -> None:
    """Prints ` {k = v, ..}`, or nothing when there is none."""
    printer.print_op_attributes(attributes, print_keyword=keyword)


@dataclass
class ParsedOperation:
    """The parts of an operation parsed so far, by operand, property or attribute name."""

    name: str
    definition: Definition
    operands: dict[str, list[UnresolvedOperand]] = field(
        default_factory=dict[str, list[UnresolvedOperand]]
    )
    types: dict[str, Sequence[Attribute]] = field(default_factory=dict[str, Sequence[Attribute]])
    properties: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    regions: list[Region] = field(default_factory=list[Region])

    def build(self, parser: Parser, operation: type[OperationT]) -> OperationT:
        """Creates the operation."""
        operands: list[SSAValue] = []
        lengths: list[int] = []
        for value in self.definition.operands:
            unresolved = self.operands.get(value.name, ())
            types = self.types.get(value.name, ())
            if len(unresolved) != len(types):
                parser.raise_error(
                    "number of operands and types do not match: "
                    f"got {len(unresolved)} operands and {len(types)} types"
                )
            lengths.append(len(unresolved))
            for operand, type_ in zip(unresolved, types, strict=True):
                operands.append(resolve_operand(parser, operand, type_))
        if self.definition.segmented:
            self.properties[SEGMENT_SIZES] = DenseArrayBase.from_list(i32, lengths)
        return operation.create(
            operands=operands,
            result_types=[t for r in self.definition.results for t in self.types[r.name]],
            properties=dict(sorted(self.properties.items())),
            attributes=self.attributes,
            regions=self.regions,
        )


class Directive(ABC):
    """One part of a custom form."""

    @abstractmethod
    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        """Parses the part into `state`."""

    @abstractmethod
    def print(self, printer: Printer, operation: Operation) -> None:
        """Prints the part of `operation`, with the blank before it."""

    @abstractmethod
    def describe(self) -> str:
        """The part as documentation shows it, where `(x)?` is optional and `..` repeats."""


@dataclass(frozen=True)
class Operand(Directive):
    """`%value` for the operand `name`."""

    name: str
    blank: bool = True

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        state.operands[self.name] = [parse_operand(parser)]

    def print(self, printer: Printer, operation: Operation) -> None:
        if self.blank:
            printer.print_string(" ")
        printer.print_ssa_value(getattr(operation, self.name))

    def describe(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True)
class OptionalOperandAfterComma(Directive):
    """`, %value` for the optional operand `name`."""

    name: str

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if parse_optional_comma(parser):
            state.operands[self.name] = [parse_operand(parser)]

    def print(self, printer: Printer, operation: Operation) -> None:
        if (value := getattr(operation, self.name)) is not None:
            printer.print_string(", ")
            printer.print_ssa_value(value)

    def describe(self) -> str:
        return f"(, %{self.name})?"


@dataclass(frozen=True)
class Punctuation(Directive):
    """A punctuation mark, with or without a blank before it."""

    text: PunctuationSpelling
    blank: bool = False

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        expect(parser, self.text)

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(f" {self.text}" if self.blank else self.text)

    def describe(self) -> str:
        return self.text


COMMA = Punctuation(",")
COLON = Punctuation(":", blank=True)
ARROW = Punctuation("->", blank=True)


class _ArrowOrTo(Punctuation):
    """`->` in conversions, or `to`, as in `arith`."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if not parser.parse_optional_keyword("to"):
            super().parse(parser, state)

    def describe(self) -> str:
        return "->|to"


ARROW_OR_TO = _ArrowOrTo("->", blank=True)


@dataclass(frozen=True)
class Type(Directive):
    """One type, shared by all operands and results in `names`."""

    names: tuple[str, ...]

    def __init__(self, *names: str):
        object.__setattr__(self, "names", names)

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        types = (parse_type(parser),)
        for name in self.names:
            state.types[name] = types

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" ")
        print_type(printer, getattr(operation, self.names[0]).type)

    def describe(self) -> str:
        return f"type(%{self.names[0]})"


@dataclass(frozen=True)
class OptionalTypeAfterComma(Directive):
    """`, T` if the optional operand `name` is present."""

    name: str

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if state.operands.get(self.name):
            expect(parser, ",")
            state.types[self.name] = (parse_type(parser),)

    def print(self, printer: Printer, operation: Operation) -> None:
        if (value := getattr(operation, self.name)) is not None:
            printer.print_string(", ")
            print_type(printer, value.type)

    def describe(self) -> str:
        return f"(, type(%{self.name}))?"


@dataclass(frozen=True)
class AttributeDictionary(Directive):
    """The discardable attributes: `{k = v, ..}`, after the word `attributes` if `keyword`."""

    keyword: bool = False

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if not self.keyword or parser.parse_optional_keyword("attributes"):
            state.attributes.update(parse_attribute_dictionary(parser))

    def print(self, printer: Printer, operation: Operation) -> None:
        print_attribute_dictionary(printer, operation.attributes, keyword=self.keyword)

    def describe(self) -> str:
        return "(attributes {..})?" if self.keyword else "({..})?"


ATTRIBUTES = AttributeDictionary()


@dataclass(frozen=True)
class Flag(Directive):
    """A word that sets the unit property of the same name."""

    name: str

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if parser.parse_optional_keyword(self.name):
            state.properties[self.name] = UnitAttr()

    def print(self, printer: Printer, operation: Operation) -> None:
        if self.name in operation.properties:
            printer.print_string(f" {self.name}")

    def describe(self) -> str:
        return f"({self.name})?"


@dataclass(frozen=True)
class Flags(Directive):
    """Words that set unit properties: parsed in any order, printed in the order of this tuple."""

    names: tuple[str, ...]

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        while word := parser.parse_optional_keyword_in(self.names):
            if word in state.properties:
                custom_error(parser, state.name, f"`{word}` clause can appear at most once")
            state.properties[word] = UnitAttr()

    def print(self, printer: Printer, operation: Operation) -> None:
        for name in self.names:
            if name in operation.properties:
                printer.print_string(f" {name}")

    def describe(self) -> str:
        return " ".join(f"({name})?" for name in self.names)


@dataclass(frozen=True)
class SignednessKeyword(Directive):
    """`signed` or `unsigned`, required."""

    name: str = "signedness"

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        word = parse_keyword_of(parser, state.name, Signedness, _SIGNEDNESS_ERROR)
        state.properties[self.name] = SignednessAttr(word)

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(f" {_enum_value(operation, self.name)}")

    def describe(self) -> str:
        return "|".join(Signedness)


SIGNEDNESS_KEYWORD = SignednessKeyword()

_SIGNEDNESS_ERROR = "expected signedness to be one of: {'signed', 'unsigned'}"


def _enum_value(operation: Operation, name: str) -> str:
    attribute = operation.properties[name]
    assert isinstance(attribute, EnumAttribute)
    return attribute.data.value


EnumT = TypeVar("EnumT", bound=StrEnum)


def parse_keyword_of(parser: Parser, name: str, enum: type[EnumT], message: str) -> EnumT:
    """Parses one of the words of `enum`; otherwise raises a parse error with `message`."""
    position = parser.pos
    word = parser.parse_optional_identifier()
    if word is None:
        custom_error(parser, name, f"expected valid keyword\n{message}", position)
    if word not in list(enum):
        custom_error(parser, name, message, position)
    return enum(word)


@dataclass(frozen=True)
class Overflow(Directive):
    """`overflow<no_wrap>`, or nothing for `none`."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        value = IntegerOverflow.NONE
        if parser.parse_optional_keyword("overflow"):
            value = IntegerOverflowAttr.parse_value(parser, state.name)
        state.properties["overflow"] = IntegerOverflowAttr(value)

    def print(self, printer: Printer, operation: Operation) -> None:
        value = _enum_value(operation, "overflow")
        if value != IntegerOverflow.NONE:
            printer.print_string(f" overflow<{value}>")

    def describe(self) -> str:
        return f"(overflow<{'|'.join(IntegerOverflow)}>)?"


OVERFLOW = Overflow()


@dataclass(frozen=True)
class Rounding(Directive):
    """`rounding<mode>`; for the default mode, the text is `otherwise`: a blank or nothing.

    `modes` are the words the diagnostic lists. With `strict`, any other mode is a parse error.
    Otherwise only unknown words are parse errors, and the verifier rejects modes that are not
    allowed. `unlisted` modes are accepted although the diagnostic does not list them.
    """

    name: str
    modes: tuple[RoundingMode, ...]
    default: RoundingMode
    strict: bool
    otherwise: str = " "
    unlisted: tuple[RoundingMode, ...] = ()

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        mode = self.default
        if parser.parse_optional_keyword("rounding"):
            expect(parser, "<")
            mode = self._parse_mode(parser, state.name)
            expect(parser, ">")
        state.properties[self.name] = RoundingModeAttr(mode)

    def _parse_mode(self, parser: Parser, name: str) -> RoundingMode:
        position = parser.pos
        word = parser.parse_optional_identifier()
        message = "expected rounding mode to be one of: " + ", ".join(f"'{m}'" for m in self.modes)
        if word is None:
            custom_error(parser, name, "expected valid keyword", position)
        accepted = (*self.modes, *self.unlisted) if self.strict else tuple(RoundingMode)
        if word not in accepted:
            got = f", got: '{word}'" if self.strict else ""
            custom_error(parser, name, message + got, position)
        return RoundingMode(word)

    def print(self, printer: Printer, operation: Operation) -> None:
        # Absent where the definition has a default, which is the one of the text.
        given = self.name in operation.properties
        value = _enum_value(operation, self.name) if given else self.default
        printer.print_string(self.otherwise if value == self.default else f" rounding<{value}>")

    def describe(self) -> str:
        return f"(rounding<{'|'.join((*self.modes, *self.unlisted))}>)?"


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


@dataclass(frozen=True)
class StringLiteral(Directive):
    """`"text"` for the string property `name`."""

    name: str

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        text = parser.parse_optional_str_literal()
        # xDSL takes text that is not ASCII and has escapes for bytes.
        if text is None and (data := parser.parse_optional_bytes_literal()) is not None:
            text = _decoded(data)
        if text is None:
            custom_error(parser, state.name, "expected string")
        state.properties[self.name] = StringAttr(text)

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" ")
        printer.print_attribute(operation.properties[self.name])

    def describe(self) -> str:
        return f'"{self.name}"'


I32_SCALAR_TYPE = TileType([], i32)


@dataclass(frozen=True)
class Indices(Directive):
    """`[%i, %j]` for the variadic operand `name`; with `type_`, all have that type."""

    name: str
    type_: Attribute | None = None

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parse_operand(parser)
        )
        state.operands[self.name] = operands
        if self.type_ is not None:
            state.types[self.name] = (self.type_,) * len(operands)

    def print(self, printer: Printer, operation: Operation) -> None:
        with printer.in_square_brackets():
            printer.print_list(getattr(operation, self.name), printer.print_ssa_value)

    def describe(self) -> str:
        return f"[%{self.name}, ..]"
