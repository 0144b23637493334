"""The attribute dictionary of `nv_tileas` ops, in which a layout is written without its prefix.

{atom = #nv_tileas<atom ldg_128>, nv_tileas.layout = <(128, 64), (64, 1)>}
"""

from dataclasses import fields

from xdsl.dialects.builtin import MemRefType, TensorType, UnitAttr
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, MemScopeAttr, MemSemanticAttr
from tileir_xdsl.dialects.nv_tileaa.syntax import MemoryOrder
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType

from .layout import LayoutAttr, parse_descriptor, print_descriptor
from .types import AsyncTokenType

LAYOUT_KEY = "nv_tileas.layout"


class AttributeDictionary(CustomDirective):
    """Base of the directives that parse and print a dictionary of the properties that they name."""

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
class TiledMemoryOrder(MemoryOrder):
    """Like `MemoryOrder`, but `weak` is optional in the text, and not printed for accesses of a
    whole buffer.
    """

    semantic: AttributeVariable
    scope: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        semantic = parser.parse_optional_keyword_in(list(MemSemantic))
        self.semantic.set(state, MemSemanticAttr(MemSemantic(semantic or MemSemantic.WEAK)))
        scope = parser.parse_optional_keyword_in(list(MemScope))
        if scope is not None:
            self.scope.set(state, MemScopeAttr(MemScope(scope)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        whole = any(isinstance(type, MemRefType | TensorType) for type in op.operand_types[:1])
        if not whole or self.semantic.get(op) != MemSemanticAttr(MemSemantic.WEAK):
            super().print(printer, state, op)


@irdl_custom_directive
class TokenOperand(CustomDirective):
    """`token = %t` for a memory token, `async_token = %t` for an async token."""

    token: OptionalOperandVariable
    type: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        types = {"token": MemTokenType(), "async_token": AsyncTokenType()}
        keyword = parser.parse_optional_keyword_in(list(types))
        if keyword is None:
            self.set_empty(state)
            return
        parser.parse_punctuation("=")
        self.token.set(state, parser.parse_unresolved_operand())
        self.type.set(state, (types[keyword],))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        token = self.token.get(op)
        if token is None:
            return
        keyword = "async_token" if isinstance(token.type, AsyncTokenType) else "token"
        state.print_whitespace(printer)
        printer.print_string(f"{keyword} = ")
        printer.print_ssa_value(token)
        state.should_emit_space = True
        state.last_was_punctuation = False

    def is_present(self, op: IRDLOperation) -> bool:
        return self.token.get(op) is not None

    def is_anchorable(self) -> bool:
        return True

    def set_empty(self, state: ParsingState) -> None:
        self.token.set(state, None)
        self.type.set(state, ())


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


@irdl_custom_directive
class AtomicAttributes(AttributeDictionary):
    """The dictionary of an atomic access of one tile of a view."""

    rmw_mode: AttributeVariable
    atom: AttributeVariable
    layout: AttributeVariable
    in_bounds: AttributeVariable
    padding_value: AttributeVariable
    allow_tma: AttributeVariable
    latency: AttributeVariable


@irdl_custom_directive
class SparseAccessAttributes(AttributeDictionary):
    """The dictionary of an access that is gathered along one dimension."""

    sparse_dim: AttributeVariable
    atom: AttributeVariable
    layout: AttributeVariable
    in_bounds: AttributeVariable
    padding_value: AttributeVariable
    allow_tma: AttributeVariable
    latency: AttributeVariable
    copy_atom: AttributeVariable


@irdl_custom_directive
class BoxCopyAttributes(AttributeDictionary):
    """The dictionary of a copy."""

    atom: AttributeVariable
    layout: AttributeVariable
