"""The functions `experimental$func` and `testing$func`, which are not kernels.

Source: the examples of the Tile IR specification and public Tile IR test programs. Bytecode has
kernels only.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.control_flow import ReturnOp, ensure_terminator
from tileir_xdsl.dialects.cuda_tile.core import FunctionOperation, parse_symbol_name
from tileir_xdsl.dialects.cuda_tile.interfaces import cuda_tile_operation
from tileir_xdsl.dialects.cuda_tile.regions import (
    parse_function_arguments,
    parse_isolated_region,
    print_function_arguments,
    print_region,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    parse_attribute_dictionary,
    print_attribute_dictionary,
    print_types,
)
from tileir_xdsl.dialects.cuda_tile.types import parse_type


class PlainFunctionOperation(FunctionOperation):
    """A function with arguments of any type, and results."""

    FORM: ClassVar = "@name(%argument: TYPE ({..})?, ..) (-> (TYPE, ..))? (attributes {..})? { .. }"

    @classmethod
    def parse(cls, parser: Parser) -> PlainFunctionOperation:
        sym_name = parse_symbol_name(parser)
        arguments, argument_attributes = parse_function_arguments(parser)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            parenthesised = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_type(parser)
            )
            results = [parse_type(parser)] if parenthesised is None else parenthesised
        attributes: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("attributes"):
            attributes = parse_attribute_dictionary(parser)
        body = parse_isolated_region(parser, arguments)
        ensure_terminator(body, ReturnOp)
        type_ = FunctionType.from_lists([argument.type for argument in arguments], results)
        properties: dict[str, Attribute] = {"function_type": type_, "sym_name": sym_name}
        if argument_attributes is not None:
            properties["arg_attrs"] = argument_attributes
        return cls.create(
            properties=dict(sorted(properties.items())),
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_function_arguments(printer, self.body.block.args, self.arg_attrs)
        if results := self.function_type.outputs.data:
            printer.print_string(" -> (" if len(results) > 1 else " -> ")
            print_types(printer, results)
            printer.print_string(")" if len(results) > 1 else "")
        print_attribute_dictionary(printer, self.attributes, keyword=True)
        print_region(printer, self.body)


@cuda_tile_operation
class ExperimentalFuncOp(PlainFunctionOperation):
    """A function."""

    name = "cuda_tile.experimental$func"


@cuda_tile_operation
class TestingFuncOp(PlainFunctionOperation):
    """A function of test programs."""

    name = "cuda_tile.testing$func"
