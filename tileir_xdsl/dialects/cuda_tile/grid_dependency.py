"""Dependencies between grids launched one after the other, and fences between aliases.

Source: the text form of Tile IR 13.4.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import operand_def, opt_operand_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from tileir_xdsl.dialects.cuda_tile.interfaces import (
    TOKEN,
    CudaTileOperation,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import TOKEN_RESULT, TOKEN_TYPE
from tileir_xdsl.dialects.cuda_tile.syntax import (
    Directive,
    Operand,
    ParsedOperation,
    Punctuation,
    parse_operand,
)


class _Token(Directive):
    """` token = %t`, or nothing."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        if parser.parse_optional_keyword("token"):
            expect(parser, "=")
            state.operands["token"] = [parse_operand(parser)]
            state.types["token"] = (TOKEN_TYPE,)
        state.attributes.update(parser.parse_optional_attr_dict())

    def print(self, printer: Printer, operation: Operation) -> None:
        if operation.operands:
            printer.print_string(" token = ")
            printer.print_ssa_value(operation.operands[0])
        printer.print_op_attributes(operation.attributes)

    def describe(self) -> str:
        return "(token = %token)? ({..})?"


class GridDependencyOperation(CudaTileOperation):
    """An operation of programmatic dependent launch."""

    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)

    SYNTAX: ClassVar = (_Token(), Punctuation("->", blank=True), TOKEN_RESULT)
    SINCE: ClassVar = "13.4"

    def __init__(self, token: SSAValue | None = None):
        super().__init__(operands=[token], result_types=[TOKEN_TYPE])


@cuda_tile_operation
class GdcWaitTkoOp(GridDependencyOperation):
    """Waits until the grids that this one depends on have finished and flushed memory."""

    name = "cuda_tile.gdc_wait_tko"


@cuda_tile_operation
class GdcLaunchDependentsTkoOp(GridDependencyOperation):
    """Allows the grids that depend on this one to start."""

    name = "cuda_tile.gdc_launch_dependents_tko"


class _TokenType(Directive):
    """The types of `memory_fence_alias_tko`, which the text leaves out."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        state.types["token"] = state.types["result_token"] = (TOKEN_TYPE,)
        state.attributes.update(parser.parse_optional_attr_dict())

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_op_attributes(operation.attributes)

    def describe(self) -> str:
        return "({..})?"


@cuda_tile_operation
class MemoryFenceAliasTkoOp(CudaTileOperation):
    """Orders accesses through different addresses of the same memory."""

    name = "cuda_tile.memory_fence_alias_tko"

    token = operand_def(TOKEN)
    result_token = result_def(TOKEN)

    SYNTAX: ClassVar = (Operand("token"), _TokenType())
    SINCE: ClassVar = "13.4"

    def __init__(self, token: SSAValue):
        super().__init__(operands=[token], result_types=[TOKEN_TYPE])
