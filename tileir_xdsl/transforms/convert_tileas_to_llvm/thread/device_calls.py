"""Calls of functions that the driver provides, and code that one thread of the block executes."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, SSAValue

from .program import ThreadProgram

GENERIC = llvm.LLVMPointerType()
"""A pointer in the generic address space."""


def call(
    program: ThreadProgram, name: str, arguments: Sequence[SSAValue], result: Attribute | None
) -> SSAValue | None:
    """Calls an external function, and declares it; returns its result if it has one."""
    types = [argument.type for argument in arguments]
    program.function.variables.declare(name, types, result)
    op = llvm.CallOp(name, *arguments, return_type=result)
    program.builder.insert_without_result(op)
    return op.returned


def first_thread(program: ThreadProgram) -> SSAValue:
    """Whether this is thread 0 of the block."""
    builder = program.builder
    return builder.compare("eq", builder.thread_index(), builder.integer(0, i32))


def only_where(program: ThreadProgram, condition: SSAValue) -> Block:
    """Continues in a block that threads enter only where a condition holds; returns the join
    block.
    """
    builder = program.builder
    then, after = Block(), Block()
    builder.insert_without_result(llvm.CondBrOp(condition, then, [], after, []))
    builder.enter(then)
    builder.open_scope()
    return after


def go_on(program: ThreadProgram, after: Block) -> None:
    """Branches from such a block to its join block."""
    builder = program.builder
    builder.insert_without_result(llvm.BrOp(after))
    builder.close_scope()
    builder.enter(after)
