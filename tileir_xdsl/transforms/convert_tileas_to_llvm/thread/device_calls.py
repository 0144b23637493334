"""Calls of functions that the driver provides, and branches for single threads of a block."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, SSAValue

from .program import ThreadRewriter

GENERIC = llvm.LLVMPointerType()
"""A pointer in the generic address space."""


def call(
    rewriter: ThreadRewriter, name: str, arguments: Sequence[SSAValue], result: Attribute | None
) -> SSAValue | None:
    """Declares and calls an external function; returns its result if it has one."""
    types = [argument.type for argument in arguments]
    rewriter.function.variables.declare(name, types, result)
    op = llvm.CallOp(name, *arguments, return_type=result)
    rewriter.builder.insert_without_result(op)
    return op.returned


def first_thread(rewriter: ThreadRewriter) -> SSAValue:
    """Whether this is thread 0 of the block."""
    builder = rewriter.builder
    return builder.compare("eq", builder.thread_index(), builder.integer(0, i32))


def only_where(rewriter: ThreadRewriter, condition: SSAValue) -> Block:
    """Opens a block that only threads with a true condition enter; returns the join block."""
    builder = rewriter.builder
    then, after = Block(), Block()
    builder.insert_without_result(llvm.CondBrOp(condition, then, [], after, []))
    builder.enter(then)
    builder.open_scope()
    return after


def go_on(rewriter: ThreadRewriter, after: Block) -> None:
    """Ends a block that `only_where` opened: branches to its join block `after`."""
    builder = rewriter.builder
    builder.insert_without_result(llvm.BrOp(after))
    builder.close_scope()
    builder.enter(after)
