"""Loops of `tcgen05` MMAs that one thread executes.

    scf.for .. iter_args(%acc = %0, %out = %i) {            cond_br %runs, ^enter, ^after
      %w = consumer_wait %c, %out                         ^enter:
      %r, %a, %b = consumer_read %w                         cond_br %elected, ^body, ^after
      %d = async.dot %a, %b, %acc                    ->   ^body:
      async.wait %d                                         wait for the stage
      consumer_release %r                                   tcgen05.mma ..
      scf.yield %d, ..                                      tcgen05.commit %empty
    }                                                       cond_br %more, ^body, ^after

The strategy of the loop says so, where one thread can execute all of it: scalars, bulk copies,
waits for stages that only MMAs read, and these MMAs (`analysis/mma/mma_loops.py`). All other
threads continue after it, where they wait for the accumulators when they read them.
"""

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, strategy_of
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp

from ..thread.elected_thread import WARP, warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from .structured_control_flow import OneThread, begin_for


class LowerFor(LowerOp[scf.ForOp]):
    """A loop that all threads execute, or one of them."""

    def lower(self, op: scf.ForOp, program: ThreadProgram) -> None:
        # Inside of such a loop or agent the thread has been elected already.
        if program.region.runs_in_one_thread or strategy_of(op) is not Strategy.ONE_THREAD:
            begin_for(op, program)
            return
        others: list[SSAValue] = []
        for value in op.iter_args:
            # After the loop the columns are initialised, whichever thread issued the MMAs.
            is_accumulator = value in program.function.columns.of
            parts = program.parts(value)
            others += [program.builder.integer(1, i1) for _ in parts] if is_accumulator else parts
        begin_for(op, program, OneThread(_is_the_thread(program), others))


def _is_the_thread(program: ThreadProgram) -> SSAValue:
    """Whether this is the thread that `one_thread` elects."""
    builder = program.builder
    elected = builder.compute(ElectSyncOp)
    # With one warp its election is enough.
    if program.region.threads <= WARP:
        return elected
    is_first = builder.compare("eq", warp_index(program), builder.integer(0, i32))
    return builder.compute(llvm.AndOp, is_first, elected)


PATTERNS: Patterns = {scf.ForOp: LowerFor}
