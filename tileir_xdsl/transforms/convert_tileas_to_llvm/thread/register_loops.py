"""Loops inside the lowering of one op, on values in registers."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.ir import Block, SSAValue

from .builder import LLVMBuilder

State: TypeAlias = Sequence[SSAValue]
"""The values that a loop carries."""


NO_UNROLL = '.pragma "nounroll";'


def repeat_while(
    builder: LLVMBuilder,
    state: State,
    condition: Callable[[State], SSAValue],
    body: Callable[[State], State],
    *,
    unrolled: bool = True,
) -> State:
    """Emits a loop that repeats the body while the condition holds; returns the final state.

    The assembler may unroll the loop unless told not to (PTX ISA, `.pragma "nounroll"`).
    """
    types = [value.type for value in state]
    loop, after = Block(arg_types=types), Block(arg_types=types)
    # Tested before the first iteration and at the end of each: one branch an iteration.
    builder.insert_without_result(llvm.CondBrOp(condition(state), loop, state, after, state))
    builder.enter(loop)
    builder.open_scope()
    if not unrolled:
        # With side effects, so that it stays at the head of the loop.
        pragma = llvm.InlineAsmOp(NO_UNROLL, "", [], None, asm_dialect=0, has_side_effects=True)
        builder.insert_without_result(pragma)
    following = body(loop.args)
    more = condition(following)
    builder.insert_without_result(llvm.CondBrOp(more, loop, following, after, following))
    builder.close_scope()
    builder.enter(after)
    return after.args
