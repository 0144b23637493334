"""Whether MMAs surely write an accumulator that begins at zero.

    scf.if %lb < %ub {
      %c = async.to_async %zero
      %d = scf.for %k = %lb to %ub .. iter_args(%acc = %c) {..}       // %d is written
    }

The first MMA overwrites the columns. Without an MMA, the columns keep their previous contents.
"""

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.regions.region_flow import surely_runs
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma

LESS_THAN = 2
"""The predicate `slt` of `arith.cmpi`, by which loops are entered."""


def is_surely_written(value: SSAValue, at: Operation) -> bool:
    """Whether an MMA has been issued to an accumulator when an op is reached."""
    loops: set[tuple[SSAValue, SSAValue]] = set()
    while True:
        op = value.owner
        if issues_mma(op):
            return True
        if not isinstance(op, scf.ForOp):
            return _one_runs(loops, at)
        end = op.body.block.last_op
        assert end is not None
        index = op.results.index(value)
        if issues_mma(end.operands[index].owner):
            if surely_runs(op):
                return True
            loops.add((op.lb, op.ub))
        value = op.iter_args[index]


def _one_runs(loops: set[tuple[SSAValue, SSAValue]], at: Operation) -> bool:
    """Whether a branch around an op implies that a loop with one of some bounds runs."""
    child, around = at, at.parent_op()
    while around is not None:
        if (
            isinstance(around, scf.IfOp)
            and child.parent is around.true_region.block
            and _implies(around.cond, loops)
        ):
            return True
        child, around = around, around.parent_op()
    return False


def _implies(condition: SSAValue, loops: set[tuple[SSAValue, SSAValue]]) -> bool:
    """Whether a condition holds only where a loop with one of some bounds runs."""
    op = condition.owner
    if isinstance(op, arith.OrIOp):
        return all(_implies(operand, loops) for operand in op.operands)
    if not isinstance(op, arith.CmpiOp) or op.predicate.value.data != LESS_THAN:
        return False
    return (op.lhs, op.rhs) in loops
