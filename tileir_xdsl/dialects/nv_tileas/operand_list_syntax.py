"""The text form that most asynchronous ops share.

    %a, %b = nv_tileas.op %x, %y[%i, %j], %z {key = value} : X, Y, I, J, Z -> A, B {
    ^bb0(%t : tile<128x128xf16>):
      ..
    }

The operands come first, with coordinates in brackets. A dictionary of properties and attributes,
the types of operands and results, and the regions follow. The text of an op without operands has
only result types. Tiles are written `tile<..>`.
"""

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i32
from xdsl.ir import Attribute, Region
from xdsl.irdl import IRDLOperation, VarOperandDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from tileir_xdsl.dialects.tile_spelling import (
    accept_tiles,
    print_attribute,
    print_region,
    print_type,
)

from .layout import LayoutAttr, print_descriptor
from .syntax import LAYOUT_KEY, parse_entry

SEGMENTS = "operandSegmentSizes"

OpT = TypeVar("OpT", bound=IRDLOperation)


def parse_dictionary(parser: Parser) -> dict[str, Attribute]:
    """Parses `{key = value, ..}`, if present; a layout is written without its prefix.

    Segment sizes in the text are ignored, since they follow from the operands.
    """
    entries = parser.parse_optional_comma_separated_list(
        parser.Delimiter.BRACES, lambda: parse_entry(parser)
    )
    return {key: value for key, value in entries or () if key != SEGMENTS}


def split_properties(
    op: type[IRDLOperation], entries: Mapping[str, Attribute]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The entries that are properties of the op, and all other entries."""
    names = op.get_irdl_definition().properties
    properties = {key: value for key, value in entries.items() if key in names}
    return properties, {key: value for key, value in entries.items() if key not in names}


def print_dictionary(printer: Printer, op: IRDLOperation) -> None:
    """Prints the properties and attributes of an op as `parse_dictionary` reads them."""
    entries = [*op.properties.items(), *op.attributes.items()]
    entries = [(key, value) for key, value in entries if key != SEGMENTS]
    if not entries:
        return

    def print_entry(entry: tuple[str, Attribute]) -> None:
        key, value = entry
        printer.print_identifier_or_string_literal(key)
        if isinstance(value, UnitAttr):
            return
        printer.print_string(" = ")
        if key == LAYOUT_KEY and isinstance(value, LayoutAttr):
            print_descriptor(printer, value.data)
        else:
            print_attribute(printer, value)

    printer.print_string(" ")
    with printer.in_braces():
        printer.print_list(entries, print_entry)


def parse_types(parser: Parser) -> list[Attribute]:
    """Parses types, with or without parentheses."""
    if parser.parse_optional_punctuation("(") is None:
        return list(parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type))
    types = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_type, parser.parse_type
    )
    parser.parse_punctuation(")")
    return list(types or ())


def print_types(printer: Printer, types: list[Attribute], *, parentheses: bool = False) -> None:
    """Prints types as `parse_types` reads them."""
    if parentheses:
        with printer.in_parens():
            print_types(printer, types)
        return
    printer.print_list(types, lambda type: print_type(printer, type))


def parse_regions(parser: Parser) -> list[Region]:
    """Parses consecutive regions, with or without commas."""
    regions: list[Region] = []
    while (region := parser.parse_optional_region()) is not None:
        regions.append(region)
        parser.parse_optional_punctuation(",")
    return regions


def parse_operands(parser: Parser) -> tuple[list[UnresolvedOperand], int]:
    """Parses operands; returns them, and how many are in brackets."""
    operands: list[UnresolvedOperand] = []
    bracketed = 0
    while (operand := parser.parse_optional_unresolved_operand()) is not None:
        operands.append(operand)
        if parser.parse_optional_punctuation("[") is not None:
            inner = parser.parse_optional_undelimited_comma_separated_list(
                parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
            )
            parser.parse_punctuation("]")
            operands += inner or ()
            bracketed += len(inner or ())
        if parser.parse_optional_punctuation(",") is None:
            break
    return operands, bracketed


class OperandListOp(IRDLOperation, ABC):
    """Base of the ops with this syntax; at most one group of operands is variadic."""

    BRACKETED: ClassVar[str | None] = None
    """The name of the variadic operand in brackets, if any."""

    TYPES_IN_PARENTHESES: ClassVar[bool] = False
    """Whether the text has the operand types in parentheses, as ops with regions do."""

    @classmethod
    def parse(cls: type[OpT], parser: Parser) -> OpT:
        with accept_tiles(parser):
            position, definition = parser.pos, cls.get_irdl_definition()
            # After an op that takes no operands `%x` is what the next op defines.
            operands, bracketed = parse_operands(parser) if definition.operands else ([], 0)
            entries = parse_dictionary(parser)
            operand_types: list[Attribute] = []
            result_types: list[Attribute] = []
            if parser.parse_optional_punctuation(":") is not None:
                operand_types = parse_types(parser)
                if not operands:
                    operand_types, result_types = [], operand_types
                elif parser.parse_optional_punctuation("->") is not None:
                    result_types = parse_types(parser)
            regions = parse_regions(parser)
            properties, attributes = split_properties(cls, entries)
            if SEGMENTS in definition.properties:
                sizes = [
                    bracketed if isinstance(operand, VarOperandDef) else 1
                    for _, operand in definition.operands
                ]
                properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
            return cls.create(
                operands=parser.resolve_operands(operands, operand_types, position),
                result_types=result_types,
                properties=properties,
                attributes=attributes,
                regions=regions,
            )

    def print(self, printer: Printer) -> None:
        if self.operands:
            printer.print_string(" ")
            self._print_operands(printer)
        print_dictionary(printer, self)
        if self.operands:
            printer.print_string(" : ")
            types = list(self.operand_types)
            print_types(printer, types, parentheses=self.TYPES_IN_PARENTHESES)
        if self.results:
            printer.print_string(" -> " if self.operands else " : ")
            print_types(printer, list(self.result_types))
        for index, region in enumerate(self.regions):
            printer.print_string(", " if index else " ")
            print_region(printer, region)

    def _print_operands(self, printer: Printer) -> None:
        if self.BRACKETED is None:
            printer.print_list(self.operands, printer.print_ssa_value)
            return
        separator = ""
        for name, _ in self.get_irdl_definition().operands:
            if name == self.BRACKETED:
                with printer.in_square_brackets():
                    printer.print_list(getattr(self, name), printer.print_ssa_value)
            else:
                printer.print_string(separator)
                printer.print_ssa_value(getattr(self, name))
            separator = ", "
