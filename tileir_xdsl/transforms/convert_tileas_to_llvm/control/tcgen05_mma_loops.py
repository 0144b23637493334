"""Loops of `tcgen05` MMAs that one thread executes.

    scf.for .. iter_args(%acc = %0, %out = %i) {            cond_br %runs, ^enter, ^after
      %w = consumer_wait %c, %out                         ^enter:
      %r, %a, %b = consumer_read %w                         cond_br %elected, ^body, ^after
      %d = async.dot %a, %b, %acc                    ->   ^body:
      async.wait %d                                         wait for the stage
      consumer_release %r                                   tcgen05.mma ..
      scf.yield %d, ..                                      tcgen05.commit %empty
    }                                                       cond_br %more, ^body, ^after

A loop qualifies if one thread can execute all of it: scalars, bulk copies, waits for stages that
only MMAs read, and these MMAs. All other threads continue after it, where they wait for the
accumulators when they read them.
"""

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, reads_stages_alone
from tileir_xdsl.analysis.threads.one_thread import is_in_registers, is_scalar
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas.types import (
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp

from ..mma.tensor_memory_accumulators import is_finished_by_hardware
from ..shared_memory.mma_stages import is_left_to_hardware
from ..thread.elected_thread import WARP, warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from .structured_control_flow import OneThread, begin_for

CONSUMERS = (
    nv_tileas.ConsumerReadOp,
    nv_tileas.ConsumerReleaseOp,
    nv_tileas.ConsumerWaitOp,
)

CARRIERS = (scf.ForOp, scf.IfOp, scf.YieldOp)
"""Ops that forward values."""

OF_THE_ONE_THREAD = (
    MemTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
"""Types of results of such a loop that no other thread reads."""


class LowerFor(LowerOp[scf.ForOp]):
    """A loop that all threads execute, or one of them."""

    def lower(self, op: scf.ForOp, program: ThreadProgram) -> None:
        # Inside of such a loop or agent the thread has been elected already.
        if program.runs_in_one_thread or not is_loop_of_mmas(op, program):
            begin_for(op, program)
            return
        others: list[SSAValue] = []
        for value in op.iter_args:
            # After the loop the columns are initialised, whichever thread issued the MMAs.
            is_accumulator = value in program.columns.of
            parts = program.parts(value)
            others += [program.builder.integer(1, i1) for _ in parts] if is_accumulator else parts
        begin_for(op, program, OneThread(_is_the_thread(program), others))


def _is_the_thread(program: ThreadProgram) -> SSAValue:
    """Whether this is the thread that `one_thread` elects."""
    builder = program.builder
    elected = builder.compute(ElectSyncOp)
    # With one warp its election is enough.
    if program.threads <= WARP:
        return elected
    is_first = builder.compare("eq", warp_index(program), builder.integer(0, i32))
    return builder.compute(llvm.AndOp, is_first, elected)


def is_loop_of_mmas(op: scf.ForOp, program: ThreadProgram) -> bool:
    """Whether one thread can execute a whole loop, and MMAs are in it."""
    ops = list(op.body.walk())
    return (
        any(map(is_tensor_memory_mma, ops))
        and all(_is_for_one_thread(inner, program) for inner in (op, *ops))
        # A value of the one thread cannot be read by the others without going through memory.
        and all(_is_left_alone(result, program) for result in op.results)
    )


def _is_left_alone(result: SSAValue, program: ThreadProgram) -> bool:
    """Whether no other thread needs the result of a loop."""
    known = result in program.columns.of or isinstance(result.type, OF_THE_ONE_THREAD)
    return known or not result.uses


def _is_for_one_thread(op: Operation, program: ThreadProgram) -> bool:
    """Whether one thread can execute an op, disregarding its regions."""
    accumulators = program.columns.of
    match op:
        case nv_tileas.AsyncDotOp():
            return (
                op.c in accumulators and reads_stages_alone(op) and is_left_to_hardware(op, program)
            )
        case nv_tileas.WaitOp():
            # A token result would promise the other threads what only one has waited for.
            return not op.results and all(
                source in accumulators and is_finished_by_hardware(op, source, program)
                for source in op.sources
            )
        case _ if isinstance(op, CONSUMERS):
            pipeline = pipeline_of(op.token)
            return pipeline is not None and program.pipelines[pipeline].is_read_by_mmas
        case _ if isinstance(op, CARRIERS):
            forwarded = (v for v in (*op.operands, *op.results) if v not in accumulators)
            # A tile in registers is spread over all threads.
            return not any(is_in_registers(value.type) for value in forwarded)
        case _:
            return is_scalar(op)


PATTERNS: Patterns = {scf.ForOp: LowerFor}
