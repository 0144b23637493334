"""Parses tokens and parameters of the text form, with MLIR's diagnostics.

Source: the diagnostics of MLIR's parser and of the parsers that its op definitions (ODS) generate.
MLIR often reports a failure once per nesting level, innermost first; here each report is one line
of the message. In the custom form of an op, the dialect's reports have a prefix with the op's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import NoReturn

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import PunctuationSpelling


def expect(parser: AttrParser, punctuation: PunctuationSpelling) -> None:
    """Parses `punctuation`; without it raises MLIR's diagnostic."""
    if not parser.parse_optional_punctuation(punctuation):
        parser.raise_error(f"expected '{punctuation}'")


def expect_keyword(parser: AttrParser, keyword: str, operation: str | None = None) -> None:
    """Parses `keyword`, in the custom form of `operation` if given; otherwise raises MLIR's
    diagnostic.
    """
    if not parser.parse_optional_keyword(keyword):
        report(parser, operation, f"expected '{keyword}'")


def report(
    parser: AttrParser, operation: str | None, message: str, position: int | None = None
) -> NoReturn:
    """Raises a parse error; in the custom form of `operation`, each line has MLIR's prefix."""
    if operation is not None:
        message = "\n".join(f"custom op '{operation}' {line}" for line in message.split("\n"))
    parser.raise_error(message, position)


def failed_parameter(attribute: str, parameter: str, type_: str) -> str:
    """The last line of the diagnostic for a parameter of the C++ type `type_` that cannot be
    parsed.

    `attribute` is the name of the attribute's definition, such as `CudaTile_DIFileAttr`.
    """
    return f"failed to parse {attribute} parameter '{parameter}' which is to be a `{type_}`"


@dataclass(frozen=True)
class Parameter:
    """A parameter of an attribute as ODS defines it: its name, C++ type and parser.

    The text may omit a parameter with a `default`.
    """

    name: str
    type: str
    read: Callable[[AttrParser], Attribute]
    default: Attribute | None = None

    def parse(self, parser: AttrParser, attribute: str) -> Attribute:
        """Parses the parameter of the attribute whose definition has the name `attribute`."""
        try:
            return self.read(parser)
        except ParseError as error:
            # Nested attributes report once for each level, as in MLIR.
            last = failed_parameter(attribute, self.name, self.type)
            raise ParseError(error.span, f"{error.msg}\n{last}") from None


def parse_struct(
    parser: AttrParser, attribute: str, parameters: Sequence[Parameter]
) -> list[Attribute]:
    """Parses `<a = .., b = ..>`, in any order; returns the values in the order of `parameters`.

    `attribute` is the name of the attribute's definition. Raises `ParseError` in the words of ODS's
    directive `struct` if a parameter is missing, unknown or repeated.
    """
    unread = {parameter.name: parameter for parameter in parameters}
    values: dict[str, Attribute] = {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.default is not None
    }
    all_required = not values
    expect(parser, "<")
    while True:
        name = parser.parse_optional_identifier()
        if name is None:
            parser.raise_error("expected valid keyword\nexpected a parameter name in struct")
        expect(parser, "=")
        parameter = unread.pop(name, None)
        if parameter is None:
            parser.raise_error(f"duplicate or unknown struct parameter name: {name}")
        values[name] = parameter.parse(parser, attribute)
        # Without optional parameters ODS counts them, else it looks for commas.
        if all_required and unread:
            expect(parser, ",")
        elif all_required or not parser.parse_optional_punctuation(","):
            break
    for parameter in parameters:
        if parameter.name not in values:
            parser.raise_error(f"struct is missing required parameter: {parameter.name}")
    expect(parser, ">")
    return [values[parameter.name] for parameter in parameters]


_UNSIGNED_MAX = 2**32 - 1


def parse_unsigned(parser: AttrParser) -> IntAttr:
    """Parses a parameter of the C++ type `unsigned`."""
    position = parser.pos
    value = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
    if value is None:
        parser.raise_error("expected integer value")
    if value > _UNSIGNED_MAX:
        parser.raise_error("integer value too large", position)
    return IntAttr(value)


def parse_kind(parser: AttrParser, kind: type | UnionType) -> Attribute:
    """Parses any attribute; raises `ParseError` if it is not one of `kind`."""
    position = parser.pos
    attribute = parser.parse_optional_attribute()
    if attribute is None:
        parser.raise_error("expected attribute value")
    if not isinstance(attribute, kind):
        parser.raise_error("invalid kind of attribute specified", position)
    return attribute


def parse_nested(parser: AttrParser, kind: type[ParametrizedAttribute]) -> Attribute:
    """Parses an attribute of `kind`, whose name the text may leave out."""
    if parser.lexer.input.content.startswith("#", parser.pos):
        return parse_kind(parser, kind)
    return kind.new(kind.parse_parameters(parser))
