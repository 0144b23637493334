"""Structured control flow: how it forwards values, and whether a loop runs."""

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface

Pair = tuple[SSAValue, SSAValue]
"""A value, and the block argument or result that it becomes."""


def forwarded_values(op: Operation) -> Iterator[Pair]:
    """The values that a control-flow op forwards; empty for other ops."""
    match op:
        case scf.IfOp():
            for region in op.regions:
                for block in region.blocks:
                    yield from zip(_terminator_operands(block), op.results, strict=True)
        case scf.ForOp():
            carried = op.body.block.args[1:]
            yield from zip(op.iter_args, carried, strict=True)
            yield from zip(_terminator_operands(op.body.block), carried, strict=True)
            yield from zip(carried, op.results, strict=True)
        case scf.WhileOp():
            before, after = op.before_region.block, op.after_region.block
            yield from zip(op.arguments, before.args, strict=True)
            yield from zip(_terminator_operands(after), before.args, strict=True)
            # A condition forwards all but its first operand, to the body and as results.
            _, *passed = _terminator_operands(before)
            yield from zip(passed, after.args, strict=True)
            yield from zip(passed, op.results, strict=True)
        case AgentLikeOpInterface():
            for body in op.agent_bodies:
                yield from zip(op.inputs, body.block.args, strict=True)
        case _:
            pass


def forwarded_as(value: SSAValue) -> Iterator[SSAValue]:
    """The values that structured control flow forwards to a value."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    if op is not None:
        yield from (source for source, target in forwarded_values(op) if target is value)


def _terminator_operands(block: Block) -> tuple[SSAValue, ...]:
    """The operands of a block's terminator."""
    last = block.last_op
    return () if last is None else tuple(last.operands)


def surely_runs(op: scf.ForOp) -> bool:
    """Whether the constant bounds of a loop show that it has an iteration."""
    first, last = (getattr(bound.owner, "value", None) for bound in (op.lb, op.ub))
    if not isinstance(first, IntegerAttr) or not isinstance(last, IntegerAttr):
        return False
    return first.value.data < last.value.data
