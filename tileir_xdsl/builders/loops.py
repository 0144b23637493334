"""Loops with more carried values than before."""

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter


def with_carried_values(
    loop: scf.ForOp, initial: Sequence[SSAValue], rewriter: PatternRewriter
) -> tuple[scf.ForOp, Sequence[BlockArgument]]:
    """A loop that replaces another and carries more values; also the arguments for the added
    values.

    The body is moved to the new loop. The terminator of the body yields the new values unchanged
    until the caller replaces them.
    """
    added = _forward(loop.body.block, initial)
    body = loop.detach_region(loop.body)
    new_loop = scf.ForOp(loop.lb, loop.ub, loop.step, [*loop.iter_args, *initial], body)
    _replace(loop, new_loop, 1, rewriter)
    return new_loop, added


def while_with_carried_values(
    loop: scf.WhileOp, initial: Sequence[SSAValue], rewriter: PatternRewriter
) -> scf.WhileOp:
    """`with_carried_values` for `scf.while`: both regions forward the new values, as the last."""
    for region in (loop.before_region, loop.after_region):
        _forward(region.block, initial)
    regions = [loop.detach_region(region) for region in tuple(loop.regions)]
    types = [*loop.result_types, *(value.type for value in initial)]
    new_loop = scf.WhileOp([*loop.arguments, *initial], types, *regions)
    _replace(loop, new_loop, 2, rewriter)
    return new_loop


def carry_from(
    entry: Block, block: Block, initial: Sequence[SSAValue], rewriter: PatternRewriter
) -> Sequence[BlockArgument]:
    """Makes a loop, and all loops around it inside `entry`, carry values.

    Returns the arguments in `block`. The terminator of `block` forwards these arguments unchanged.
    """
    loop = block.parent_op()
    assert isinstance(loop, scf.ForOp | scf.WhileOp)
    outer = loop.parent
    assert outer is not None
    if outer is not entry:
        initial = carry_from(entry, outer, initial, rewriter)
    if isinstance(loop, scf.ForOp):
        new_loop, _ = with_carried_values(loop, initial, rewriter)
    else:
        new_loop = while_with_carried_values(loop, initial, rewriter)
    count = len(initial)
    if outer is not entry:
        forward_instead(outer, initial, new_loop.results[-count:])
    return block.args[-count:]


def forward_instead(block: Block, old: Sequence[SSAValue], new: Sequence[SSAValue]) -> None:
    """Replaces operands of the terminator of a block."""
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp | scf.ConditionOp)
    replaced = dict(zip(old, new, strict=True))
    for index, operand in enumerate(terminator.operands):
        terminator.operands[index] = replaced.get(operand, operand)


def _forward(block: Block, values: Sequence[SSAValue]) -> Sequence[BlockArgument]:
    """Adds arguments to a block and to the operands of its terminator."""
    added = [block.insert_arg(value.type, len(block.args)) for value in values]
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp | scf.ConditionOp)
    terminator.operands = [*terminator.operands, *added]
    return added


def _replace(loop: Operation, new_loop: Operation, regions: int, rewriter: PatternRewriter) -> None:
    new_loop.attributes.update(loop.attributes)
    new_loop.location = loop.location
    for _ in range(regions):
        loop.add_region(Region(Block()))
    rewriter.replace(loop, new_loop, new_loop.results[: len(loop.results)])
