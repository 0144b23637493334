"""Finds the ops that issue a loop's loads, and checks that these ops can run iterations ahead."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, slice_of
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.builders.schedule import (
    SERIAL_KEY,
    MaterializeOptions,
    ScheduleAnalysis,
    is_async_eligible,
    materialize_schedule,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.walking import ops_in

LARGEST_DISTANCE = 1 << 30
"""The largest advance of an induction variable, so that the arithmetic on it does not wrap."""


@dataclass(frozen=True)
class LoopPlan:
    """How the loads of a loop are run ahead of the rest of its body."""

    produced: tuple[ProduceOp, ...]
    iterators: tuple[nv_tileas.IncIterOp, ...]
    """The ops that advance the producers' iterators."""
    load_slice: ProgramSlice
    distance: int
    """How many iterations the loads are ahead."""
    can_run_prologue: bool


def plan_loop(loop: scf.ForOp) -> LoopPlan | None:
    """The plan of a loop; None if no pipeline is filled in its body."""
    block = loop.body.block
    produced = tuple(op for op in block.ops if isinstance(op, ProduceOp))
    if not produced:
        return None
    iterators = tuple(
        use.operation
        for op in produced
        for use in op.iterator.uses
        if isinstance(use.operation, nv_tileas.IncIterOp) and use.operation.parent is block
    )
    # One prologue serves all loads of a loop.
    distance = min(_distances(produced, loop))
    parent = loop.parent
    assert parent is not None
    load_slice = slice_of((*produced, *iterators), parent)
    step = constant_index(loop.step)
    return LoopPlan(
        produced,
        iterators,
        load_slice,
        distance,
        step is not None
        and _feeds_loads_alone(produced, iterators)
        and 0 < step * max(distance, 1) < LARGEST_DISTANCE
        and all(
            # The loads themselves are moved, not repeated.
            can_be_repeated(op) or any(p.is_ancestor(op) for p in produced)
            for op in ops_in(block)
            if op in load_slice.ops
        ),
    )


def _feeds_loads_alone(
    produced: Sequence[ProduceOp], iterators: Sequence[nv_tileas.IncIterOp]
) -> bool:
    """Whether nothing else in the loop needs what the loads return, or follows their iterators."""
    if any(result.uses for op in produced for result in op.results):
        return False
    followed = [*(op.iterator for op in (*produced, *iterators)), *(op.result for op in iterators)]
    return all(
        use.operation in produced
        or use.operation in iterators
        or isinstance(use.operation, scf.YieldOp)
        for iterator in followed
        for use in iterator.uses
    )


def _distances(produced: Sequence[ProduceOp], loop: scf.ForOp) -> list[int]:
    """How many iterations each load is ahead: as scheduled, limited by the stages."""
    block = loop.body.block
    waits = [op for op in block.ops if isinstance(op, nv_tileas.ConsumerWaitOp)]
    readers: dict[Operation, list[Operation]] = {
        op: [wait for wait in waits if pipeline_of(wait.token) is pipeline_of(op.token)]
        for op in produced
    }
    # A serial schedule was asked for: nothing is ahead.
    options = MaterializeOptions(use_async=SERIAL_KEY not in loop.attributes)
    analysis = ScheduleAnalysis.of(block, readers)
    schedule = materialize_schedule(analysis, options)
    # Computation of threads takes their time whenever it is done: only copies overlap other work.
    overlapping = {*schedule.resident_async, *(access.op for access in schedule.pending_async)}
    distances: list[int] = []
    for op in produced:
        free = _free_stages(op, block)
        if op in overlapping:
            distances.append(min(free, analysis.iterations(op)))
        else:
            is_scheduled = op in analysis.stages
            distances.append(0 if is_scheduled or not is_async_eligible(op, options) else free)
    return distances


def _free_stages(op: ProduceOp, block: Block) -> int:
    """How many stages can be full besides the one that an iteration empties.

    One less where a stage is released an iteration later.
    """
    pipeline = pipeline_of(op.token)
    if pipeline is None:
        # A token of unknown origin: no stage is known to be free.
        return 0
    terminator = block.last_op
    held = any(
        isinstance(value.owner, nv_tileas.ConsumerReadOp)
        and pipeline_of(value.owner.token) is pipeline
        for value in (() if terminator is None else terminator.operands)
    )
    return max(pipeline.num_stages.value.data - 1 - held, 0)


def can_be_repeated(op: Operation) -> bool:
    """Whether an op returns the same when it is run earlier than the ops before it, or repeated."""
    if isinstance(op, nv_tileaa.CreateMemTokenOp | nv_tileas.IncIterOp | scf.ForOp | scf.IfOp):
        return True
    return is_side_effect_free(op)
