"""Loops with more carried values than before."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter


def with_carried_values(
    loop: scf.ForOp, initial: Sequence[SSAValue], rewriter: PatternRewriter
) -> tuple[scf.ForOp, Sequence[BlockArgument]]:
    """A loop that takes the place of another and carries more; the arguments of what it adds.

    The body moves over. What it yields for the new values is left to the caller: until then its
    terminator yields them as they are.
    """
    block = loop.body.block
    added = [block.insert_arg(value.type, len(block.args)) for value in initial]
    body = loop.detach_region(loop.body)
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp)
    terminator.operands = [*terminator.operands, *added]
    new_loop = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *initial], body)
    new_loop.attributes.update(loop.attributes)
    new_loop.location = loop.location
    loop.add_region(Region(Block()))
    rewriter.replace(loop, new_loop, new_loop.results[: len(loop.results)])
    return new_loop, added
