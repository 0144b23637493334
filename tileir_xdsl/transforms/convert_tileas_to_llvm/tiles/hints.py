"""Hints for passes and the assembler: values are forwarded unchanged.

Directives around a region become `.pragma` directives of PTX.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, MemTokenType, TiledViewType

from ..shared_memory.layout_conversions import convert_registers
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ControlFlow, ThreadProgram


def forward(
    op: Operation, values: Sequence[SSAValue], results: Sequence[SSAValue], program: ThreadProgram
) -> None:
    """Forwards operands as results of the same types; tiles may change their layout."""
    for value, result in zip(values, results, strict=True):
        match value.type:
            case MemTokenType():
                pass  # A token has no registers.
            case MemRefType():
                program.values[result] = program.memref(value)
            case TiledViewType():
                program.values[result] = program.view(value)
            case _:
                registers = program.registers(value)
                held, wanted = layout_of(op, value), layout_of(op, result)
                if held is not None and wanted is not None:
                    registers = convert_registers(op, registers, held, wanted, program)
                program.values[result] = registers


class LowerNote(LowerOp[nv_tileaa.MessageOp]):
    """No-op in a thread."""

    def lower(self, op: nv_tileaa.MessageOp, program: ThreadProgram) -> None:
        pass


class LowerOptimizationBarrier(LowerOp[nv_tileaa.OptimizationBarrierOp]):
    """No-op: earlier passes have honoured the barrier, the values are forwarded."""

    def lower(self, op: nv_tileaa.OptimizationBarrierOp, program: ThreadProgram) -> None:
        forward(op, op.values, op.outputs, program)


def add_directives(directives: ArrayAttr[StringAttr] | None, program: ThreadProgram) -> None:
    """A `.pragma` for each directive."""
    for directive in directives or ():
        text = f'.pragma "{directive.data}";'
        # With side effects, so that it stays where it is.
        op = llvm.InlineAsmOp(text, "", [], None, asm_dialect=0, has_side_effects=True)
        program.builder.insert_without_result(op)


@dataclass
class _Pragma(ControlFlow):
    op: nv_tileas.PragmaOp

    def end_region(self, terminator: Operation, program: ThreadProgram) -> None:
        add_directives(self.op.leave_directives, program)
        forward(self.op, terminator.operands, self.op.outputs, program)
        program.leave_region()


class LowerPragma(LowerOp[nv_tileas.PragmaOp]):
    """The body inline, between directives."""

    def lower(self, op: nv_tileas.PragmaOp, program: ThreadProgram) -> None:
        add_directives(op.enter_directives, program)
        program.enter_region(_Pragma(op))


PATTERNS: Patterns = {
    nv_tileaa.MarkForReuseOp: LowerNote,
    nv_tileaa.MessageOp: LowerNote,
    nv_tileaa.OptimizationBarrierOp: LowerOptimizationBarrier,
    nv_tileas.PragmaOp: LowerPragma,
}
