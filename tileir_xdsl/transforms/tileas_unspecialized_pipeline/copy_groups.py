"""Loops whose stages are filled by per-thread copies (`cp.async`): one wait per iteration.

    %ahead = scf.for .. {                            // distance iterations
      produce_one_async %p, ..
      nv_tileas.async.commit_copies
    }
    scf.if %short { nv_tileas.async.wait_copies {pending = 0} }
    scf.for .. {
      nv_tileas.async.wait_copies {pending = distance - 1}
      scf.if %more { produce_one_async %p, .. }
      nv_tileas.async.commit_copies
      %w = consumer_wait ..
      ..
    }

An iteration commits one group, which may be empty. So the copies for the current iteration are
complete when at most `distance - 1` groups are pending. After the wait all threads have left the
previous iteration, whose stage is filled next. A loop with fewer iterations than `distance` waits
for all of its copies.

A loop that is executed repeatedly needs no wait before it. Its first loads fill stages that follow
the stage of the last iteration, in which all threads have synchronised.
"""

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.access.async_loads import users_of
from tileir_xdsl.analysis.access.fragment_loads import reads_in_steps
from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.builders import arithmetic
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.copy_groups import COPY_GROUPS
from tileir_xdsl.dialects.nv_tileas.interfaces import (
    StageTokenOpInterface,
    ThreadCopyOpInterface,
    TileMoveOpInterface,
)
from tileir_xdsl.walking import ops_in

from .plan import LoopPlan

READS = (BufferViewOpInterface, TileMoveOpInterface)
"""Ops by which threads read tiles of a stage, or create views of the tiles."""


def can_wait_for_groups(loop: scf.ForOp, plan: LoopPlan) -> bool:
    """Whether per-thread copies alone fill the pipelines of a loop, and threads alone read them.

    Copies and reads must be in the block of the loop. Each stage must be read in the iteration that
    waits for the stage.
    """
    pipelines = {pipeline_of(op.token) for op in plan.produced}
    users = [
        op
        for op in ops_in(scope_of(loop))
        if isinstance(op, StageTokenOpInterface) and pipeline_of(op.token) in pipelines
    ]
    return all(
        op.parent is loop.body.block
        and (_copies_only(op) if isinstance(op, ProduceOp) else _is_read_by_threads(op))
        for op in users
    )


def _copies_only(op: ProduceOp) -> bool:
    is_tile_filled = len(op.results) == len(op.TOKENS)
    return is_tile_filled and all(
        # Bulk copies signal mbarriers; a wait for groups says nothing of them.
        isinstance(inner, ThreadCopyOpInterface | nv_tileas.PipelineYieldOp)
        or is_side_effect_free(inner)
        for inner in op.body.block.ops
    )


def _is_read_by_threads(op: Operation) -> bool:
    """Whether a consumer op is a wait, a release, or a read by threads before the release."""
    if not isinstance(op, nv_tileas.ConsumerReadOp):
        return isinstance(op, nv_tileas.ConsumerReleaseOp | nv_tileas.ConsumerWaitOp)
    is_released = all(
        isinstance(use.operation, nv_tileas.ConsumerReleaseOp) for use in op.result.uses
    )
    users = (user for tile in op.values for user in users_of(tile))
    return is_released and all(
        isinstance(user, READS) or (isinstance(user, MMAOp) and reads_in_steps(user))
        for user in users
    )


def wait_in_loop(loop: scf.ForOp, plan: LoopPlan) -> Operation:
    """Inserts the single wait of an iteration before all others; returns the op after it."""
    for op in plan.produced:
        pipeline = pipeline_of(op.token)
        assert pipeline is not None
        # Groups are in order, so one count stands for all barriers of the pipeline.
        pipeline.attributes[COPY_GROUPS] = UnitAttr()
    first = next(op for op in loop.body.block.ops if isinstance(op, nv_tileas.ConsumerWaitOp))
    Builder(InsertPoint.before(first)).insert(nv_tileas.WaitCopiesOp(plan.distance - 1))
    return first


def wait_for_short_loop(
    builder: Builder, extent: SSAValue, step: int, plan: LoopPlan, counted: arithmetic.IndexLike
) -> None:
    """Waits for all groups if there are fewer than the waits in the loop assume."""
    # The wait in the loop is for all groups already.
    if plan.distance == 1:
        return
    reach = arithmetic.constant(builder, step * (plan.distance - 1), counted)
    is_short = builder.insert(arith.CmpiOp(extent, reach, "ule")).result
    then = Block([nv_tileas.WaitCopiesOp(0), scf.YieldOp()])
    builder.insert(scf.IfOp(is_short, [], Region(then)))
