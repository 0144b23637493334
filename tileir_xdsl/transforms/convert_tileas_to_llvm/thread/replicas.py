"""Replicated elements: the condition that elects one of the threads with copies of an element."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.threads.replication import replicating_threads
from tileir_xdsl.layout.linear import LinearLayout

from .builder import LLVMBuilder
from .program import ThreadRewriter


def one_of_copies(layout: LinearLayout | None, rewriter: ThreadRewriter) -> SSAValue | None:
    """The condition that elects one of the threads that hold the same elements; None without
    copies.

    A scalar has no layout; all threads hold it.
    """
    # Here no other thread is left that could hold a copy.
    if rewriter.region.runs_in_one_thread:
        return None
    replicated = replicating_threads(layout, rewriter.region.threads)
    if not replicated:
        return None
    builder = rewriter.builder
    copy = builder.thread_index()
    # Where all bits are replicated, thread 0 is the only one, without a mask.
    if replicated != rewriter.region.threads - 1:
        copy = builder.compute(llvm.AndOp, copy, builder.integer(replicated, i32))
    return builder.compare("eq", copy, builder.integer(0, i32))


def both(
    builder: LLVMBuilder, masks: Sequence[SSAValue | None], condition: SSAValue | None
) -> list[SSAValue | None]:
    """The conjunction of every mask with a condition."""
    if condition is None:
        return list(masks)
    return [builder.conjunction([c for c in (mask, condition) if c is not None]) for mask in masks]
