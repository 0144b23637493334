"""The attribute dictionary of `nv_tileas` ops, in which a layout is written without its prefix.

{atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <(128, 64), (64, 1)>}
"""

from dataclasses import fields

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from .layout import LayoutAttr, parse_descriptor, print_descriptor

LAYOUT_KEY = "nv_tileas.layout"


class AttributeDictionary(CustomDirective):
    """Base of the directives that read and print a dictionary of the properties they name."""

    def variables(self) -> list[AttributeVariable]:
        return [getattr(self, field.name) for field in fields(self)]

    def parse(self, parser: Parser, state: ParsingState) -> None:
        entries = parser.parse_optional_comma_separated_list(
            parser.Delimiter.BRACES, lambda: parse_entry(parser)
        )
        variables = {variable.name: variable for variable in self.variables()}
        for key, value in entries or ():
            if key in variables:
                variables[key].set(state, value)
            else:
                state.attributes[key] = value

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attributes = [(variable.name, variable.get(op)) for variable in self.variables()]
        entries = [(key, value) for key, value in attributes if value is not None]
        if not entries:
            return
        state.print_whitespace(printer)
        with printer.in_braces():
            printer.print_list(entries, lambda entry: _print_entry(printer, *entry))
        state.should_emit_space = True
        state.last_was_punctuation = False

    def is_optional_like(self) -> bool:
        return True


def parse_entry(parser: Parser) -> tuple[str, Attribute]:
    """Parses `key = value`, or `key` alone; a layout is written without its prefix."""
    key = parser.parse_identifier_or_str_literal()
    if not parser.parse_optional_punctuation("="):
        return key, UnitAttr()
    attribute = parser.parse_optional_attribute()
    if attribute is None and key == LAYOUT_KEY:
        return key, LayoutAttr(parse_descriptor(parser))
    if attribute is None:
        parser.raise_error("expected attribute value")
    return key, attribute


def _print_entry(printer: Printer, key: str, value: Attribute) -> None:
    printer.print_string(f"{key} = ")
    if isinstance(value, LayoutAttr):
        print_descriptor(printer, value.data)
    else:
        printer.print_attribute(value)


@irdl_custom_directive
class PointerAccessAttributes(AttributeDictionary):
    """The dictionary of an access through a tile of pointers."""

    atom: AttributeVariable
    layout: AttributeVariable
    latency: AttributeVariable


@irdl_custom_directive
class TiledAccessAttributes(AttributeDictionary):
    """The dictionary of an access of one tile of a view."""

    atom: AttributeVariable
    layout: AttributeVariable
    in_bounds: AttributeVariable
    padding_value: AttributeVariable
    allow_tma: AttributeVariable
    latency: AttributeVariable
