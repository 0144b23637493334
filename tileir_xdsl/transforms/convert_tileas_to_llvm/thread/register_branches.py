"""Branches within the computation of registers."""

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Block, SSAValue

from .builder import LLVMBuilder

Arm = Callable[[], Sequence[SSAValue]]
"""Emits one arm of a branch, and returns its results."""


def either(builder: LLVMBuilder, condition: SSAValue, then: Arm, otherwise: Arm) -> list[SSAValue]:
    """The results of one of two arms, as many values of the same types."""
    start, after, blocks = builder.block, Block(), (Block(), Block())
    for block, arm in zip(blocks, (then, otherwise), strict=True):
        builder.enter(block)
        builder.open_scope()
        values = arm()
        builder.close_scope()
        # Types are known only when the first arm has been emitted.
        if not after.args:
            for value in values:
                after.insert_arg(value.type, len(after.args))
        builder.insert_without_result(llvm.BrOp(after, *values))
    builder.block = start
    builder.insert_without_result(llvm.CondBrOp(condition, blocks[0], [], blocks[1], []))
    builder.enter(after)
    return list(after.args)
