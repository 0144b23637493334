"""Branches inside the lowering of one op, on values in registers."""

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.ir import Block, SSAValue

from .builder import LLVMBuilder

Arm = Callable[[], Sequence[SSAValue]]
"""Emits one arm of a branch; returns the results of the arm."""


def either(builder: LLVMBuilder, condition: SSAValue, then: Arm, otherwise: Arm) -> list[SSAValue]:
    """Branches to one of two arms; returns its results, which have the same types in both arms."""
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
