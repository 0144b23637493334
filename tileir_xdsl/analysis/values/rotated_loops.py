"""Induction variables of loops that were rotated, so that one iteration overlaps the next.

    %some = arith.cmpi slt, %lb, %ub
    scf.if %some {
      scf.while (%i = %lb, ..) {
        ..
        %next = arith.addi %i, %step
        %left = arith.subi %ub, %i
        %more = arith.cmpi ugt, %left, %step
        scf.condition(%more) %next, ..
      } do {
      ^bb0(%j, ..):
        ..
        scf.yield %j, ..
      }
    }

A rotated loop counts like the `scf.for` that it was made from. An iteration follows only if more
than a step is left, so the variable stays below its upper bound.
"""

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

SIGNED_LESS, UNSIGNED_GREATER = 2, 8
"""The predicates `slt` and `ugt` as `arith.cmpi` encodes them."""


@dataclass(frozen=True)
class Bounds:
    """Where an induction variable starts, and the signed bound that it stays below."""

    lb: SSAValue
    ub: SSAValue


def rotated_bounds(value: BlockArgument) -> Bounds | None:
    """The bounds of the induction variable of a rotated loop; None for any other argument."""
    loop = value.block.parent_op()
    if not isinstance(loop, scf.WhileOp) or value.block is not loop.before_region.first_block:
        return None
    ub = _upper_bound(loop, value)
    if ub is None or not _is_outside(ub, loop):
        return None
    lb = loop.arguments[value.index]
    return Bounds(lb, ub) if _is_guarded(loop, lb, ub) else None


def _upper_bound(loop: scf.WhileOp, value: BlockArgument) -> SSAValue | None:
    """The value from which `value` is subtracted before each of its steps."""
    condition, end = value.block.last_op, loop.after_region.block.last_op
    assert isinstance(condition, scf.ConditionOp) and isinstance(end, scf.YieldOp)
    left, step = _compared(condition.condition, UNSIGNED_GREATER)
    if left is None or not isinstance(left.owner, arith.SubiOp) or left.owner.rhs is not value:
        return None
    following = end.operands[value.index]
    if not isinstance(following, BlockArgument) or following.block is not loop.after_region.block:
        return None
    added = condition.args[following.index].owner
    if not isinstance(added, arith.AddiOp) or {*added.operands} != {value, step}:
        return None
    return left.owner.lhs


def _compared(value: SSAValue, predicate: int) -> tuple[SSAValue | None, SSAValue | None]:
    """The operands of a comparison by a predicate; None for anything else."""
    op = value.owner
    if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != predicate:
        return None, None
    return op.lhs, op.rhs


def _is_outside(value: SSAValue, loop: scf.WhileOp) -> bool:
    owner = value.owner
    around = owner.parent_op() if isinstance(owner, Block) else owner
    return around is None or not loop.is_ancestor(around)


def _is_guarded(loop: scf.WhileOp, lb: SSAValue, ub: SSAValue) -> bool:
    """Whether a loop is executed only where it has an iteration."""
    region, op = loop.parent_region(), loop.parent_op()
    while isinstance(op, Operation):
        is_guard = isinstance(op, scf.IfOp) and _compared(op.cond, SIGNED_LESS) == (lb, ub)
        if is_guard and region is op.regions[0]:
            return True
        region, op = op.parent_region(), op.parent_op()
    return False
