"""Which ops of a loop issue its loads, and whether they can be run for later iterations."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, slice_of
from tileir_xdsl.analysis.values.tile_chains import constant_index
from tileir_xdsl.builders.schedule import SERIAL_KEY
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY, ProduceOp

COPIES = (
    nv_tileas.AsyncCancelNextProgramIdOp,
    nv_tileas.AsyncGatherTmaLoadOp,
    nv_tileas.AsyncLoadOp,
    nv_tileas.AsyncTiledLoadOp,
    nv_tileas.AsyncTiledTmaLoadOp,
)
"""Asynchronous ops that fill stages while the loop goes on."""

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
    distance = min(_distance(op, loop) for op in produced)
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
            for op in block.walk()
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


def _distance(op: ProduceOp, loop: scf.ForOp) -> int:
    """How many iterations a load is ahead: as scheduled, limited by the stages."""
    # What threads compute takes their time whenever it is done: only copies overlap other work.
    if not any(isinstance(inner, COPIES) for inner in op.body.walk()):
        return 0
    free, scheduled = _free_stages(op, loop.body.block), _scheduled_distance(op, loop)
    return free if scheduled is None else min(free, scheduled)


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


def _scheduled_distance(op: ProduceOp, loop: scf.ForOp) -> int | None:
    """The iterations that a schedule puts between a load and its wait, if there is a schedule.

    A partial interval counts as a whole one, as the ops of an iteration keep their order.
    """
    # A serial schedule was asked for: nothing is ahead.
    if SERIAL_KEY in loop.attributes:
        return 0
    pipeline = pipeline_of(op.token)
    waits = (
        other
        for other in loop.body.block.ops
        if isinstance(other, nv_tileas.ConsumerWaitOp) and pipeline_of(other.token) is pipeline
    )
    positions = [
        other.attributes.get(key)
        for other in (op, next(waits, op))
        for key in (STAGE_KEY, ORDER_KEY)
    ]
    numbers = [position.value.data for position in positions if isinstance(position, IntegerAttr)]
    if len(numbers) < len(positions):
        return None
    stage, order, wait_stage, wait_order = numbers
    return wait_stage - stage + (wait_order > order)


def can_be_repeated(op: Operation) -> bool:
    """Whether an op returns the same when it is run earlier than the ops before it, or repeated."""
    if isinstance(op, nv_tileaa.CreateMemTokenOp | nv_tileas.IncIterOp | scf.ForOp | scf.IfOp):
        return True
    return is_side_effect_free(op)
