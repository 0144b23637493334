"""Custom assembly directives that `nv_tileaa` and `nv_tileas` ops share."""

from abc import ABC
from typing import ClassVar

from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    VariadicRegionVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import RMWMode, RoundingMode, Signedness

from .attributes import (
    MemScope,
    MemScopeAttr,
    MemSemanticAttr,
    RMWModeAttr,
    RoundingModeAttr,
    SignednessAttr,
)


def _print_word(printer: Printer, state: PrintingState, word: str) -> None:
    state.print_whitespace(printer)
    printer.print_string(word)
    state.should_emit_space = True
    state.last_was_punctuation = False


@irdl_custom_directive
class AgentBodies(CustomDirective):
    """The consecutive regions of agents, `{..} {..}`.

    Versions of xDSL print different separators between the regions of a variadic region.
    """

    bodies: VariadicRegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.bodies.set(state, list(iter(parser.parse_optional_region, None)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for region in self.bodies.get(op):
            state.print_whitespace(printer)
            printer.print_region(region)


@irdl_custom_directive
class MemoryOrder(CustomDirective):
    """`weak`, or a stronger semantic and its scope, such as `acquire gpu`."""

    semantic: AttributeVariable
    scope: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.semantic.set(state, MemSemanticAttr(parser.parse_str_enum(MemSemantic)))
        scope = parser.parse_optional_keyword_in(list(MemScope))
        if scope is not None:
            self.scope.set(state, MemScopeAttr(MemScope(scope)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        for variable in (self.semantic, self.scope):
            attribute = variable.get(op)
            if isinstance(attribute, MemSemanticAttr | MemScopeAttr):
                _print_word(printer, state, attribute.data)


class RoundingDirective(CustomDirective, ABC):
    """`rounding<zero>`, or nothing for the default."""

    DEFAULT: ClassVar[RoundingMode]

    mode: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        mode = self.DEFAULT
        if parser.parse_optional_keyword("rounding") is not None:
            with parser.in_angle_brackets():
                mode = parser.parse_str_enum(RoundingMode)
        self.mode.set(state, RoundingModeAttr(mode))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.mode.get(op)
        if isinstance(attribute, RoundingModeAttr) and attribute.data != self.DEFAULT:
            _print_word(printer, state, f"rounding<{attribute.data}>")


@irdl_custom_directive
class Rounding(RoundingDirective):
    """`rounding<zero>`, or nothing for the default, nearest_even."""

    DEFAULT: ClassVar[RoundingMode] = RoundingMode.NEAREST_EVEN

    mode: AttributeVariable


@irdl_custom_directive
class Accuracy(RoundingDirective):
    """`rounding<approx>`, or nothing for the default, full."""

    DEFAULT: ClassVar[RoundingMode] = RoundingMode.FULL

    mode: AttributeVariable


@irdl_custom_directive
class Sign(CustomDirective):
    """`signed` or `unsigned`."""

    signedness: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.signedness.set(state, SignednessAttr(parser.parse_str_enum(Signedness)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.signedness.get(op)
        assert isinstance(attribute, SignednessAttr)
        _print_word(printer, state, attribute.data)


@irdl_custom_directive
class Modification(CustomDirective):
    """The operation of an atomic op: `add`, `xchg`, .."""

    mode: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.mode.set(state, RMWModeAttr(parser.parse_str_enum(RMWMode)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.mode.get(op)
        assert isinstance(attribute, RMWModeAttr)
        _print_word(printer, state, attribute.data)
