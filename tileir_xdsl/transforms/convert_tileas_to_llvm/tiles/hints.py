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
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, TiledViewType

from ..shared_memory.layout_conversions import convert_registers
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ORDER_TYPES, ControlFlow, ThreadRewriter


def forward(
    op: Operation, values: Sequence[SSAValue], results: Sequence[SSAValue], rewriter: ThreadRewriter
) -> None:
    """Forwards operands as results of the same types; tiles may change their layout."""
    for value, result in zip(values, results, strict=True):
        if isinstance(value.type, ORDER_TYPES):
            continue
        match value.type:
            case MemRefType():
                rewriter.replace(result, rewriter.memref(value))
            case TiledViewType():
                rewriter.replace(result, rewriter.view(value))
            case _:
                registers = rewriter.registers(value)
                held, wanted = layout_of(op, value), layout_of(op, result)
                if held is not None and wanted is not None:
                    registers = convert_registers(op, registers, held, wanted, rewriter)
                rewriter.replace(result, registers)


class LowerNote(LowerOp[nv_tileaa.MessageOp]):
    """Emits nothing."""

    def lower(self, op: nv_tileaa.MessageOp, rewriter: ThreadRewriter) -> None:
        pass


class LowerOptimizationBarrier(LowerOp[nv_tileaa.OptimizationBarrierOp]):
    """Forwards the values: earlier passes have honoured the barrier."""

    def lower(self, op: nv_tileaa.OptimizationBarrierOp, rewriter: ThreadRewriter) -> None:
        forward(op, op.values, op.outputs, rewriter)


def add_directives(directives: ArrayAttr[StringAttr] | None, rewriter: ThreadRewriter) -> None:
    """Emits a `.pragma` for each directive."""
    for directive in directives or ():
        text = f'.pragma "{directive.data}";'
        # With side effects, so that it stays where it is.
        op = llvm.InlineAsmOp(text, "", [], None, asm_dialect=0, has_side_effects=True)
        rewriter.builder.insert_without_result(op)


@dataclass(frozen=True)
class _Pragma(ControlFlow):
    op: nv_tileas.PragmaOp

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        add_directives(self.op.leave_directives, rewriter)
        forward(self.op, terminator.operands, self.op.outputs, rewriter)
        rewriter.leave_region(terminator)


class LowerPragma(LowerOp[nv_tileas.PragmaOp]):
    """Emits the body inline, between directives."""

    def lower(self, op: nv_tileas.PragmaOp, rewriter: ThreadRewriter) -> None:
        add_directives(op.enter_directives, rewriter)
        rewriter.enter_region(_Pragma(op), op.body)


PATTERNS: Patterns = {
    nv_tileaa.MarkForReuseOp: LowerNote,
    nv_tileaa.MessageOp: LowerNote,
    nv_tileaa.OptimizationBarrierOp: LowerOptimizationBarrier,
    nv_tileas.PragmaOp: LowerPragma,
}
