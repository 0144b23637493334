"""Loops of `tcgen05` MMAs that one thread executes.

    scf.for .. iter_args(%acc = %0, %out = %i) {            cond_br %runs, ^enter, ^after
      %w = consumer_wait %c, %out                         ^enter:
      %r, %a, %b = consumer_read %w                         cond_br %elected, ^body, ^after
      %d = async.dot %a, %b, %acc                    ->   ^body:
      async.wait %d                                         wait for the stage
      consumer_release %r                                   tcgen05.mma ..
      scf.yield %d, ..                                      tcgen05.commit %empty
    }                                                       cond_br %more, ^body, ^after

The loop's strategy selects one thread if that thread can execute the whole loop. The loop may
contain scalar ops, bulk copies, waits for stages that only MMAs read, and `tcgen05` MMAs
(`analysis/mma/mma_loops.py`). All other threads skip the loop, and wait for the accumulators when
they read them.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, strategy_of

from ..thread.clusters import is_leader
from ..thread.elected_thread import CONDITIONS, Condition, issuer_on
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from .structured_control_flow import OneThread, begin_for


class LowerFor(LowerOp[scf.ForOp]):
    """Lowers a loop that all threads or one thread execute."""

    def lower(self, op: scf.ForOp, rewriter: ThreadRewriter) -> None:
        conditions = CONDITIONS[issuer_on(op)] if strategy_of(op) is Strategy.ONE_THREAD else ()
        if not conditions:
            begin_for(op, rewriter)
            return
        others: list[SSAValue] = []
        for value in op.iter_args:
            # After the loop the columns are initialised, whichever thread issued the MMAs.
            is_accumulator = value in rewriter.function.columns.of
            parts = rewriter.parts(value)
            others += [rewriter.builder.integer(1, i1) for _ in parts] if is_accumulator else parts
        condition, leads = _is_the_thread(conditions, rewriter), rewriter.function.has_pairs
        if leads:
            # The other CTA of a pair has nothing to do in the loop.
            condition = rewriter.builder.compute(llvm.AndOp, is_leader(rewriter), condition)
        begin_for(op, rewriter, OneThread(condition, others, leads))


def _is_the_thread(conditions: Sequence[Condition], rewriter: ThreadRewriter) -> SSAValue:
    """Whether this is the issuing thread; all conditions share a branch, since both paths carry
    values.
    """
    # `elect.sync` is for whole warps: before the comparison of warps, not after it.
    first, *others = reversed(conditions)
    found = first(rewriter)
    for holds in others:
        found = rewriter.builder.compute(llvm.AndOp, holds(rewriter), found)
    return found


PATTERNS: Patterns = {scf.ForOp: LowerFor}
