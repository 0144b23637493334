"""Replicated elements: which of the threads that hold one acts, and where masks are on."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.layout.linear import LinearLayout

from .builder import LLVMBuilder
from .program import ThreadProgram


def one_of_copies(layout: LinearLayout | None, program: ThreadProgram) -> SSAValue | None:
    """Where several threads hold the same elements, the condition that elects one of them.

    All threads hold a scalar, for which there is no layout.
    """
    if program.runs_in_one_thread:
        return None
    if layout is None:
        replicated = (1 << (program.threads - 1).bit_length()) - 1
    else:
        bases = layout.thread_bases()
        replicated = sum(1 << bit for bit, base in enumerate(bases) if base == 0)
        replicated |= further_threads(layout, program)
    if not replicated:
        return None
    builder = program.builder
    copy = builder.thread_index()
    if replicated != program.threads - 1:
        copy = builder.compute(llvm.AndOp, copy, builder.integer(replicated, i32))
    return builder.compare("eq", copy, builder.integer(0, i32))


def further_threads(layout: LinearLayout, program: ThreadProgram) -> int:
    """The bits of a thread index beyond those of a layout.

    Outside a switch all warps of the block execute, also those that only agents need; the
    additional ones hold copies of the layout's warps.
    """
    bits = (program.threads - 1).bit_length()
    known = len(layout.thread_bases())
    return (1 << bits) - (1 << known) if bits > known else 0


def both(
    builder: LLVMBuilder, masks: Sequence[SSAValue | None], condition: SSAValue | None
) -> list[SSAValue | None]:
    """The conjunction of every mask with a condition."""
    if condition is None:
        return list(masks)
    return [builder.conjunction([c for c in (mask, condition) if c is not None]) for mask in masks]
