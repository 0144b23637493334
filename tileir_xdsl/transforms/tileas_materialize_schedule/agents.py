"""Splits a function into two agents: one issues the loads of its pipelines, the other does the
rest.

Each agent runs the loops of the function with the ops that it needs. Scalars, views, descriptors,
buffers and pipelines stay before the switch, shared by both agents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator, is_side_effect_free

from tileir_xdsl.analysis.buffers.pipelines import reads_answer
from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, copy_slice, slice_of
from tileir_xdsl.analysis.threads.one_thread import is_bulk_load, is_copy_to_stage
from tileir_xdsl.analysis.values.carried_values import is_seen
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.builders.pipelines import AgentSpec, build_agent_switch
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface, BulkLoadOpInterface
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in

from .program_ids import OwnAnswers

SHARED_OPS = (
    AllocationOpInterface,
    nv_tileaa.CreateMemTokenOp,
    nv_tileas.CreateIteratorOp,
    nv_tileas.CreateNullTokenOp,
    nv_tileas.MakeTiledTmaDescOp,
)
"""Ops with effects that stay before the switch; both agents share their results."""

REPEATED_OPS = (nv_tileaa.CreateMemTokenOp, nv_tileas.IncIterOp)
"""Ops that each agent may repeat, besides pure ops and control flow."""

BULK_OPS = (
    BulkLoadOpInterface,
    nv_tileas.PipelineYieldOp,
)
"""Ops of a region in which one thread can fill a stage."""

PRODUCER_WARPS = 1

MOST_COPIED_BYTES = 8192
"""The most bytes that the loading warp may copy by threads besides bulk copies: 64 words each."""


@dataclass(frozen=True)
class AgentPlan:
    """The ops of each agent."""

    moved: tuple[Operation, ...]
    """The ops of the function's body that move into the switch."""
    computes: ProgramSlice
    produces: ProgramSlice


def plan_agents(function: nv_tileaa.FuncOp, own: OwnAnswers) -> AgentPlan | str:
    """How to split a function, or the reason why it cannot be split.

    With the ops in `own`, the loading agent reads answers to its requests for tile blocks.
    """
    block = function.body.block
    produced = [op for op in ops_in(function) if isinstance(op, ProduceOp)]
    # A copy by every thread needs all warps; they would have to load as well as compute.
    if not produced:
        return "no load goes through a pipeline"
    if not all(_is_bulk(op) for op in produced):
        return "not all loads are bulk copies, which one warp can issue"
    moved = _moved_ops(block)
    produces = slice_of((*produced, *own.ops, *own.releases), block, own.instead)
    if any(isinstance(op, nv_tileas.AgentSwitchOp) for op in ops_in(function)):
        return "it has agents already"
    inside = {inner for op in (*produced, *own.ops) for inner in ops_in(op)}
    stays = set(block.ops) - set(moved)
    if not all(
        op in inside
        or _is_repeatable(op)
        or reads_answer(op)
        or (op in stays and not any(map(_is_spread, _tiles(op))))
        for op in produces.ops
    ):
        return "loads depend on what only the warps that compute do"
    roots = [op for outer in moved for op in ops_in(outer) if _is_needed(op) and op not in inside]
    computes = slice_of(roots, block)
    # The computing agent would need a result of the loads other than by their stages.
    if any(op in computes.ops for op in produced):
        return "the order of memory depends on when loads are issued"
    return AgentPlan(moved, computes, produces)


def _is_needed(op: Operation) -> bool:
    """Whether the computing agent has an op even if no other op of the agent needs it."""
    # Without its wait an MMA that nothing reads would run when its operands are overwritten.
    return isinstance(op, nv_tileas.FutureWaitOp) or (
        is_seen(op) and not isinstance(op, nv_tileas.IncIterOp)
    )


def _is_bulk(op: ProduceOp) -> bool:
    """Whether one thread can fill a stage by bulk copies, or one warp with few copies by
    threads.
    """
    inside = list(op.body.block.ops)
    copies = [inner for inner in inside if is_copy_to_stage(inner)]
    if copies and not any(map(is_bulk_load, inside)):
        return False
    few = sum(map(_copied_bytes, copies)) <= MOST_COPIED_BYTES
    return few and all(isinstance(inner, BULK_OPS) for inner in inside if inner not in copies)


def _copied_bytes(op: nv_tileas.AsyncTiledLoadOp) -> int:
    assert op.destination is not None
    tile = tile_shape(op.destination.type)
    return prod(tile.shape) * element_bytes(tile.element)


def _moved_ops(block: Block) -> tuple[Operation, ...]:
    """The ops of the function's body that move into agents, in order."""
    moved: list[Operation] = []
    inside: set[Operation] = set()
    for op in block.ops:
        if op.has_trait(IsTerminator, value_if_unregistered=False):
            continue
        # Tiles too, which `tileas-resolve-agent-boundary` brings to the agent that uses them.
        shared = isinstance(op, SHARED_OPS) or (is_side_effect_free(op) and not op.regions)
        # The number of an expert, say: agents start when it is available.
        shared |= not moved and _loads_element(op)
        if not shared or any(value.owner in inside for value in op.operands):
            moved.append(op)
            inside.add(op)
    return tuple(moved)


def _is_repeatable(op: Operation) -> bool:
    """Whether one warp may run an op in addition to the computing warps."""
    # Both agents walk the same loops; their bodies are judged op by op.
    if isinstance(op, scf.ForOp | scf.IfOp | scf.WhileOp):
        return True
    # A tile is spread over the computing warps: one warp has no part of it.
    if any(_tiles(op)):
        return False
    return isinstance(op, REPEATED_OPS) or is_side_effect_free(op)


def _tiles(op: Operation) -> Iterator[SSAValue]:
    return (value for value in (*op.operands, *op.results) if is_tile(value))


def _is_spread(tile: SSAValue) -> bool:
    """Whether a tile has several elements, which threads share out."""
    return prod(tile_shape(tile.type).shape) > 1


def _loads_element(op: Operation) -> bool:
    """Whether every thread loads the same element by a weak access."""
    return (
        isinstance(op, LoadThroughPointersOp | LoadTileOp)
        and op.mem_semantic.data is MemoryOrdering.WEAK
        and not any(map(_is_spread, _tiles(op)))
    )


def split_agents(function: nv_tileaa.FuncOp, plan: AgentPlan) -> nv_tileas.AgentSwitchOp:
    """Copies the moved ops into the agents of a new switch, and returns the switch."""
    spec = function.kernel_spec
    assert spec is not None
    insertion = InsertSwitch((spec.num_warps.data, PRODUCER_WARPS), plan.moved[0].location)
    DispatchWalker({nv_tileaa.ReturnOp: insertion}).rewrite(function)
    assert insertion.switch is not None
    blocks = [region.block for region in insertion.switch.bodies]
    kinds, moved = list(map(type, plan.moved)), frozenset(plan.moved)
    deal = DealToAgents(moved, tuple(zip((plan.computes, plan.produces), blocks, strict=True)))
    DispatchWalker(dict.fromkeys(kinds, deal)).rewrite(function)
    # Users before what they use.
    DispatchWalker(dict.fromkeys(kinds, EraseDealt(moved)), walk_reverse=True).rewrite(function)
    return insertion.switch


@dataclass
class InsertSwitch(RewritePattern):
    """Inserts a switch with empty agents at the end of a kernel."""

    num_warps: tuple[int, ...]
    location: LocationAttr
    switch: nv_tileas.AgentSwitchOp | None = None

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.ReturnOp, rewriter: PatternRewriter) -> None:
        agents = [AgentSpec(lambda _, __: (), num_warps=warps) for warps in self.num_warps]
        builder = Builder(InsertPoint.before(op))
        self.switch = build_agent_switch(builder, (), agents, isolated=False)
        self.switch.location = self.location
        rewriter.notify_op_modified(op)


@dataclass
class DealToAgents(RewritePattern):
    """Copies an op, or the part that is needed, into each agent that needs it."""

    moved: frozenset[Operation]
    agents: Sequence[tuple[ProgramSlice, Block]]
    values: list[dict[SSAValue, SSAValue]] = field(init=False)
    """For each agent, its copies of the function's values."""

    def __post_init__(self) -> None:
        self.values = [{} for _ in self.agents]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op not in self.moved:
            return
        for (part, block), values in zip(self.agents, self.values, strict=True):
            assert block.last_op is not None
            copy_slice([op], part, Builder(InsertPoint.before(block.last_op)), values)
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EraseDealt(RewritePattern):
    """Erases an op that agents have copies of."""

    moved: frozenset[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op in self.moved:
            rewriter.erase(op)
