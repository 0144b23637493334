"""The operands that region ops and their terminators forward to block arguments and results.

`region_flow` returns pairs of values; a pass that rewrites operands needs their indices. The region
ops are those of `scf`, of pipelines, and of directives.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp

YIELDING_OPS = (scf.IfOp, nv_tileas.PragmaOp)
"""Ops whose regions yield exactly the results of the op."""


@dataclass(frozen=True)
class ForwardedOperand:
    """Operand `index` of `op`, and the block argument or result to which it is forwarded."""

    op: Operation
    index: int
    target: SSAValue

    @property
    def value(self) -> SSAValue:
        """The forwarded value."""
        return self.op.operands[self.index]


def forwarded_operands(op: Operation) -> Iterator[ForwardedOperand]:
    """The operands that a region op, or its terminators, forward.

    None for ops that do not pass their operands to their regions. Two operands, initial and
    yielded, become one block argument of a loop.
    """
    match op:
        case scf.ForOp():
            yield from _forwarded(op, 3, op.body.block.args[1:])
            yield from _yielded(op.body, 0, op.body.block.args[1:])
            yield from _yielded(op.body, 0, op.results)
        case scf.WhileOp():
            yield from _forwarded(op, 0, op.before_region.block.args)
            yield from _yielded(op.after_region, 0, op.before_region.block.args)
            # A condition forwards all but its first operand, to the body and as results.
            yield from _yielded(op.before_region, 1, op.after_region.block.args)
            yield from _yielded(op.before_region, 1, op.results)
        case _ if isinstance(op, YIELDING_OPS):
            for region in op.regions:
                yield from _yielded(region, 0, op.results)
        case _ if isinstance(op, ProduceOp | ConsumeOp):
            # Without values the region yields the content of the stage, which is not a result.
            yield from _yielded(op.body, 0, op.results[len(op.TOKENS) :])
        case nv_tileaa.AgentLikeOpInterface():
            for body in op.agent_bodies:
                yield from _forwarded(op, 0, body.block.args)
        case _:
            pass


def _forwarded(
    op: Operation, first: int, targets: Sequence[SSAValue]
) -> Iterator[ForwardedOperand]:
    for number, target in enumerate(targets):
        yield ForwardedOperand(op, first + number, target)


def _yielded(region: Region, first: int, targets: Sequence[SSAValue]) -> Iterator[ForwardedOperand]:
    """The values that the terminators of a region forward, from their operand `first` on."""
    for block in region.blocks:
        if block.last_op is not None:
            yield from _forwarded(block.last_op, first, targets)
