"""Parses and prints regions and the arguments of functions.

Source: the textual form of Tile IR. The parser of xDSL itself reads the operations of a region.
Diagnostics are those of the reference implementation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import NoReturn

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import ParseError

from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ForwardReference,
    parse_attribute_dictionary,
    print_attribute_dictionary,
)
from tileir_xdsl.dialects.cuda_tile.types import parse_type, print_type

_REFERENCE_WORDING = (
    (r"SSA value %(.*) is already defined", r"redefinition of SSA value '%\1'"),
    (r"attribute expected", "expected attribute value"),
    (r"'([^\w\s]+)' expected", r"expected '\1'"),
    (r"Expected integer literal", "expected integer value"),
    (r"Expected region!", "expected '{' to begin a region"),
    (r"expected (\d+) operand types but had 1", r"expected 1 operand type but had \1"),
    (r"expected (\d+) operand types but had (\d+)", r"expected \2 operand types but had \1"),
    (
        r"Operation has 0 results, but was given \d+ to bind\.",
        "cannot name an operation with no results",
    ),
    (
        r"Operation has (\d+) results, but was given (\d+) to bind\.",
        r"operation defines \1 results but was provided \2 to bind",
    ),
    (
        r"operand is used with type (.*), but has been previously used or defined with type (.*)",
        r"use of value '{value}' expects different type than prior uses: '\1' vs '\2'",
    ),
)
"""Patterns of xDSL's diagnostics, and the text that the reference implementation prints instead."""


class _RewordedError(ParseError):
    """A diagnostic of the reference implementation, which enclosing regions do not reword again."""


def _reword(error: ParseError) -> ParseError:
    """`error` in the words of the reference implementation."""
    if isinstance(error, _RewordedError):
        return error
    for pattern, replacement in _REFERENCE_WORDING:
        if found := re.fullmatch(pattern, error.msg, flags=re.S):
            message = found.expand(replacement).replace("{value}", str(error.span.text))
            return _RewordedError(error.span, message)
    return error


def parse_region(parser: Parser, arguments: Sequence[Parser.Argument] | None = None) -> Region:
    """Parses `{ .. }` with one block, whose arguments are given outside of the braces."""
    try:
        return parser.parse_region(arguments or ())
    except ParseError as error:
        raise _reword(error) from None
    except ValueError as error:
        # Literals that Python cannot convert: integers of thousands of digits, strings in no UTF-8.
        parser.raise_error(str(error))
    except RecursionError:
        # Here, some calls further out, there is room again to say so.
        parser.raise_error("the text is nested too deeply")


def parse_isolated_region(
    parser: Parser, arguments: Sequence[Parser.Argument] | None = None
) -> Region:
    """Parses a region that must define every value it uses."""
    start = parser.pos
    region = parse_region(parser, arguments)
    for name, references in parser.forward_ssa_references.items():
        for value in references.values():
            at = value.span if isinstance(value, ForwardReference) else _use(parser, name, start)
            parser.raise_error("use of undeclared SSA value name", at)
    return region


def _use(parser: Parser, name: str, start: int) -> int:
    """The position of the first use of a value name in the text after `start`."""
    use = re.compile(rf"%{re.escape(name)}(?![\w$.-])").search(parser.lexer.input.content, start)
    assert use is not None
    return use.start()


def print_region(printer: Printer, region: Region, *, terminator: bool = True) -> None:
    """Prints ` { .. }` without the arguments of its block."""
    printer.print_string(" ")
    printer.print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=terminator,
    )


def parse_function_arguments(
    parser: Parser,
) -> tuple[list[Parser.Argument], ArrayAttr[DictionaryAttr] | None]:
    """Parses the arguments of a function in parentheses; without attributes, the second result is
    None.
    """
    start = parser.pos
    attributes: list[DictionaryAttr] = []

    def argument() -> Parser.Argument:
        position = parser.pos
        name = parser.parse_optional_argument(expect_type=False)
        if name is None:
            if parser.lexer.input.content[start + 1 : position].strip():
                parser.raise_error("expected SSA identifier")
            _reject_unnamed_arguments(parser)
        expect(parser, ":")
        argument = name.resolve(parse_type(parser))
        attributes.append(DictionaryAttr(parse_attribute_dictionary(parser)))
        argument.location = parser.parse_optional_location()
        return argument

    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
    given = any(dictionary.data for dictionary in attributes)
    return arguments, ArrayAttr(attributes) if given else None


def _reject_unnamed_arguments(parser: Parser) -> NoReturn:
    """Raises the diagnostic for a list of argument types without names."""
    position = parser.pos
    parse_type(parser)
    while parser.parse_optional_punctuation(","):
        if parser.parse_optional_argument(expect_type=False) is not None:
            parser.raise_error("expected type instead of SSA identifier")
        parse_type(parser)
    parser.raise_error("expected SSA identifier", position)


def print_block_argument(printer: Printer, argument: SSAValue) -> None:
    """Prints `%a: T`."""
    printer.print_ssa_value(argument)
    printer.print_string(": ")
    print_type(printer, argument.type)


def print_function_arguments(
    printer: Printer, arguments: Sequence[SSAValue], attributes: Iterable[Attribute] | None = None
) -> None:
    """Prints `(%a: T {attributes}, ..)`."""

    def print_argument(pair: tuple[SSAValue, Attribute | None]) -> None:
        argument, dictionary = pair
        print_block_argument(printer, argument)
        if isinstance(dictionary, DictionaryAttr):
            print_attribute_dictionary(printer, dictionary.data)

    dictionaries = chain(attributes or (), repeat(None))
    with printer.in_parens():
        printer.print_list(zip(arguments, dictionaries, strict=False), print_argument)
