"""Terminators: branches with their loop metadata, switches, returns."""

from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.ir import Operation

from tileir_xdsl.backend.llvm_ir.instructions import Instruction
from tileir_xdsl.backend.llvm_ir.types import type_text
from tileir_xdsl.backend.llvm_ir.writer import FunctionText
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.llvm.attributes import LOOP_ANNOTATION, LoopAnnotationAttr
from tileir_xdsl.dialects.llvm.control_flow import SwitchOp


def _loop(text: FunctionText, op: Operation) -> str:
    """The metadata of the loop that a branch closes."""
    annotation = op.attributes.get(LOOP_ANNOTATION)
    if annotation is None:
        return ""
    if not isinstance(annotation, LoopAnnotationAttr):
        fail(op, f"expected a loop annotation, got '{annotation}'")
    parts = [text.module.node(part) for part in _loop_parts(annotation)]
    return f", !llvm.loop {text.module.distinct(*parts)}"


def _loop_parts(annotation: LoopAnnotationAttr) -> list[str]:
    parts: list[str] = []
    if annotation.must_progress:
        parts.append('!{!"llvm.loop.mustprogress"}')
    if annotation.vectorize is not None:
        parts.append(f'!{{!"llvm.loop.vectorize.enable", i1 {str(annotation.vectorize).lower()}}}')
    if annotation.unroll is not None:
        parts.append(f'!{{!"llvm.loop.unroll.{"enable" if annotation.unroll else "disable"}"}}')
    if annotation.unroll_count is not None:
        parts.append(f'!{{!"llvm.loop.unroll.count", i32 {annotation.unroll_count}}}')
    return parts


def _branch(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.BrOp)
    return f"br {text.edge(op, op.successor, list(op.arguments))}{_loop(text, op)}"


def _conditional_branch(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.CondBrOp)
    condition = text.typed(op.cond)
    then = text.edge(op, op.then_block, list(op.then_arguments))
    other = text.edge(op, op.else_block, list(op.else_arguments))
    return f"br {condition}, {then}, {other}{_loop(text, op)}"


def _switch(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, SwitchOp)
    value, type = text.typed(op.value), type_text(op, op.value.type)
    default = text.edge(op, op.defaultDestination, list(op.defaultOperands))
    cases = [
        f"{type} {number}, {text.edge(op, block, list(arguments))}"
        for number, block, arguments in op.cases
    ]
    return f"switch {value}, {default} [ {' '.join(cases)} ]"


def _return(text: FunctionText, op: Operation) -> str:
    assert isinstance(op, llvm.ReturnOp)
    return "ret void" if op.arg is None else f"ret {text.typed(op.arg)}"


def _unreachable(text: FunctionText, op: Operation) -> str:
    return "unreachable"


TERMINATORS: Mapping[str, Instruction] = {
    "llvm.br": _branch,
    "llvm.cond_br": _conditional_branch,
    "llvm.switch": _switch,
    "llvm.return": _return,
    "llvm.unreachable": _unreachable,
}
"""The text of each terminator."""
