"""Control flow.

Source: Tile IR specification, section 8.5 (control flow).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_TYPE,
    CudaTileOperation,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    Directive,
    ParsedOperation,
    parse_optional_operands,
    parse_types,
    print_types,
)
from tileir_xdsl.dialects.cuda_tile.types import expect


def ensure_terminator(region: Region, terminator: type[Operation]) -> None:
    """Appends `terminator` without operands to the block of `region` if it has no terminator."""
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
        region.block.add_op(terminator.create())


class _TerminatorOperands(Directive):
    """`%a, .. : T, ..`, or nothing."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        operands = parse_optional_operands(parser)
        state.operands["values"] = operands
        if operands:
            expect(parser, ":")
            state.types["values"] = parse_types(parser)

    def print(self, printer: Printer, operation: Operation) -> None:
        if operation.operands:
            printer.print_string(" ")
            printer.print_list(operation.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            print_types(printer, [operand.type for operand in operation.operands])

    def describe(self) -> str:
        return "[operands : T, ..]"


class TerminatorOperation(CudaTileOperation):
    """Ends a block and hands its operands to an enclosing operation."""

    values = var_operand_def(ANY_TYPE)

    SYNTAX: ClassVar = (ATTRIBUTES, _TerminatorOperands())

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


@cuda_tile_operation
class ReturnOp(TerminatorOperation):
    """Ends the kernel (or function). Section 8.5.7."""

    name = "cuda_tile.return"

    traits = traits_def(IsTerminator())
