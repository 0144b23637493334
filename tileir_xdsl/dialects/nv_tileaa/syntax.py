"""Custom assembly directives that `nv_tileaa` and `nv_tileas` ops share."""

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

from .attributes import (
    MemScope,
    MemScopeAttr,
    MemSemantic,
    MemSemanticAttr,
    RoundingMode,
    RoundingModeAttr,
)


@irdl_custom_directive
class MemoryOrder(CustomDirective):
    """`weak`, or a stronger semantic and its scope: `acquire gpu`."""

    semantic: AttributeVariable
    scope: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.semantic.set(state, MemSemanticAttr(parser.parse_str_enum(MemSemantic)))
        scope = parser.parse_optional_str_enum(MemScope)
        if scope is not None:
            self.scope.set(state, MemScopeAttr(scope))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for variable in (self.semantic, self.scope):
            attribute = variable.get(op)
            if isinstance(attribute, MemSemanticAttr | MemScopeAttr):
                state.print_whitespace(printer)
                printer.print_string(attribute.data)
                state.should_emit_space = True
                state.last_was_punctuation = False


@irdl_custom_directive
class Rounding(CustomDirective):
    """`rounding<zero>`, or nothing for the default, nearest_even."""

    mode: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        mode = RoundingMode.NEAREST_EVEN
        if parser.parse_optional_keyword("rounding") is not None:
            with parser.in_angle_brackets():
                mode = parser.parse_str_enum(RoundingMode)
        self.mode.set(state, RoundingModeAttr(mode))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.mode.get(op)
        if isinstance(attribute, RoundingModeAttr) and attribute.data != RoundingMode.NEAREST_EVEN:
            state.print_whitespace(printer)
            printer.print_string(f"rounding<{attribute.data}>")
            state.should_emit_space = True
            state.last_was_punctuation = False
