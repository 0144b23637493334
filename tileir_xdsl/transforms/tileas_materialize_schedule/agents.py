"""Splits a function into two agents: one issues the loads of its pipelines, the other does the
rest.

Both run the loops of the function, each with the ops it needs. Ops that both can use stay before
the switch: scalars, views, descriptors, buffers and pipelines.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, copy_slice, slice_of
from tileir_xdsl.analysis.values.carried_values import is_seen
from tileir_xdsl.builders.pipelines import ensure_pipeline_yield
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp

from .program_ids import OwnAnswers

SHARED_OPS = (
    nv_tileaa.CreateMemTokenOp,
    nv_tileas.AllocTensorOp,
    nv_tileas.CreateIteratorOp,
    nv_tileas.CreateNullTokenOp,
    nv_tileas.CreatePipelineOp,
    nv_tileas.MakeTiledTmaDescOp,
)
"""Ops before the switch that are not pure: their results are shared by both agents."""

REPEATED_OPS = (nv_tileaa.CreateMemTokenOp, nv_tileas.IncIterOp)
"""Ops that each agent may repeat, besides pure ones and control flow."""

BULK_OPS = (
    nv_tileas.AsyncCancelNextProgramIdOp,
    nv_tileas.AsyncTiledTmaLoadOp,
    nv_tileas.PipelineYieldOp,
)
"""Ops by which one thread can fill a stage."""

PRODUCER_WARPS = 1


@dataclass(frozen=True)
class AgentPlan:
    """Which ops go to which agent."""

    moved: tuple[Operation, ...]
    """The ops of the function's block that move into the switch."""
    computes: ProgramSlice
    produces: ProgramSlice


def plan_agents(function: nv_tileaa.FuncOp, own: OwnAnswers) -> AgentPlan | str:
    """How a function is split, or why it is not.

    `own` has the ops by which the loading agent reads answers to its requests for tile blocks.
    """
    block = function.body.block
    produced = [op for op in function.walk() if isinstance(op, ProduceOp)]
    # A copy by every thread needs all warps; they would have to load as well as compute.
    if not produced:
        return "no load goes through a pipeline"
    if not all(_is_bulk(op) for op in produced):
        return "not all loads are bulk copies, which one warp can issue"
    moved = _moved_ops(block)
    produces = slice_of((*produced, *own.ops), block, own.instead)
    if any(isinstance(op, nv_tileas.AgentSwitchOp) for op in function.walk()):
        return "it has agents already"
    inside = {inner for op in (*produced, *own.ops) for inner in op.walk()}
    stays = set(block.ops) - set(moved)
    if not all(op in stays or op in inside or _is_repeatable(op) for op in produces.ops):
        return "loads depend on what only the warps that compute do"
    roots = [
        op
        for outer in moved
        for op in outer.walk()
        if is_seen(op) and op not in inside and not isinstance(op, nv_tileas.IncIterOp)
    ]
    computes = slice_of(roots, block)
    # The computing agent would need a result of the loads other than by their stages.
    if any(op in computes.ops for op in produced):
        return "the order of memory depends on when loads are issued"
    return AgentPlan(moved, computes, produces)


def _is_bulk(op: ProduceOp) -> bool:
    """Whether one thread can issue everything that fills a stage."""
    return all(isinstance(inner, BULK_OPS) for inner in op.body.block.ops)


def _moved_ops(block: Block) -> tuple[Operation, ...]:
    """The ops of a function's block that the agents execute, in order."""
    moved: list[Operation] = []
    inside: set[Operation] = set()
    for op in block.ops:
        if op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        # Tiles stay with the agent: only its warps hold their registers.
        shared = isinstance(op, SHARED_OPS) or (is_side_effect_free(op) and not op.regions)
        tiles = any(is_tile(result) for result in op.results)
        if not shared or tiles or any(value.owner in inside for value in op.operands):
            moved.append(op)
            inside.add(op)
    return tuple(moved)


def _is_repeatable(op: Operation) -> bool:
    """Whether one warp may run an op in addition to the computing warps."""
    if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
        return True
    if any(is_tile(value) for value in (*op.operands, *op.results)):
        return False
    return isinstance(op, REPEATED_OPS) or is_side_effect_free(op)


def split_agents(
    function: nv_tileaa.FuncOp, plan: AgentPlan, rewriter: PatternRewriter
) -> nv_tileas.AgentSwitchOp:
    """Replaces the moved ops by the switch, and returns it."""
    spec = function.kernel_spec
    assert spec is not None
    bodies = [_agent(plan.moved, part) for part in (plan.computes, plan.produces)]
    switch = nv_tileas.AgentSwitchOp([], bodies, num_warps=(spec.num_warps.data, PRODUCER_WARPS))
    switch.location = plan.moved[0].location
    end = function.body.block.last_op
    assert end is not None
    rewriter.insert(switch, InsertPoint.before(end))
    for op in reversed(plan.moved):
        rewriter.erase(op)
    return switch


def _agent(ops: Sequence[Operation], part: ProgramSlice) -> Region:
    block = Block()
    copy_slice(ops, part, Builder(InsertPoint.at_end(block)), {})
    ensure_pipeline_yield(block)
    return Region(block)
