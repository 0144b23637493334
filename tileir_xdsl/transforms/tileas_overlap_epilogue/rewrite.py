"""Inserts a pipeline of accumulators between the MMAs of a tile and its epilogue, which move to
separate agents.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, TensorType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.pipelines import reads_answer
from tileir_xdsl.analysis.regions.program_slices import ProgramSlice, copy_slice, slice_of
from tileir_xdsl.builders import pipelines
from tileir_xdsl.builders.loops import carry_from, forward_instead
from tileir_xdsl.builders.tiles import allocate
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.accumulators import ACCUMULATORS
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in

from .plan import OverlapPlan, epilogue_roots, issuing_slice

ISSUING_WARPS = 1
"""The warps of the agent for MMAs: one thread issues all of them."""


def execute(function: nv_tileaa.FuncOp, plan: OverlapPlan, stages: int) -> None:
    """Moves the MMAs of a tile to a separate agent, with a number of accumulator stages."""
    DispatchWalker({nv_tileas.AgentSwitchOp: InsertAccumulatorPipeline(plan, stages)}).rewrite(
        function
    )
    DispatchWalker({nv_tileas.AgentSwitchOp: SplitAgent(plan, stages)}).rewrite(function)


@dataclass(frozen=True)
class Stages:
    """A pipeline of accumulators, and the iterators of producer and consumer."""

    pipeline: nv_tileas.CreatePipelineOp
    payload: tuple[TensorType[Attribute], ...]
    filled: BlockArgument
    emptied: BlockArgument


@dataclass(frozen=True)
class InsertAccumulatorPipeline(RewritePattern):
    """Lets the epilogue of a tile read accumulators from the stages of a pipeline, still in one
    agent.
    """

    plan: OverlapPlan
    stages: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.AgentSwitchOp, rewriter: PatternRewriter) -> None:
        plan = self.plan
        if op is not plan.switch:
            return
        stages = self._create(op, rewriter)
        condition = _any_runs(plan)
        after = Builder(InsertPoint.after(plan.issuing[-1]))
        filled = _issue(plan, stages, condition, after)
        emptied = _read(plan, stages, condition, after, rewriter)
        forward_instead(plan.block, (stages.filled, stages.emptied), (filled, emptied))
        rewriter.notify_op_modified(op)

    def _create(self, op: nv_tileas.AgentSwitchOp, rewriter: PatternRewriter) -> Stages:
        plan, memory = self.plan, MemoryAttr(Residency.TENSOR)
        builder = Builder(InsertPoint.before(op))
        tiles = [tile_shape(a.start.source.type) for a in plan.accumulators]
        payload = tuple(TensorType(t.element, t.shape, memory) for t in tiles)
        buffers = [
            allocate(builder, TensorType(t.element, (self.stages, *t.shape), memory), op.location)
            for t in tiles
        ]
        pipeline = pipelines.build_create_pipeline(
            builder,
            buffers,
            self.stages,
            pipelines.PRODUCERS,
            pipelines.CONSUMERS,
            shared_mem=False,
            dynamic=False,
        )
        starts = [
            pipelines.build_create_iterator(builder, token, payload).result
            for token in pipeline.results
        ]
        pipeline.location = op.location
        filled, emptied = carry_from(plan.agent.block, plan.block, starts, rewriter)
        return Stages(pipeline, payload, filled, emptied)


def _any_runs(plan: OverlapPlan) -> SSAValue | None:
    """A test whether any loop of MMAs runs; None if a tile certainly has MMAs."""
    condition: SSAValue | None = None
    for loop in plan.guards:
        builder = Builder(InsertPoint.before(loop))
        runs = builder.insert(arith.CmpiOp(loop.lb, loop.ub, "slt")).result
        if condition is not None:
            runs = builder.insert(arith.OrIOp(condition, runs)).result
        condition = runs
    return condition


def _issue(
    plan: OverlapPlan, stages: Stages, condition: SSAValue | None, after: Builder
) -> SSAValue:
    """Emits the MMAs of a tile into a stage, if the tile has any; returns the next iterator."""
    inside = [*(a.start for a in plan.accumulators), *plan.issuing]
    needed = () if condition is None else _used_elsewhere(plan, inside)
    if condition is None:
        builder, arms = after, None
    else:
        arms = Region(Block()), Region(Block())
        builder = Builder(InsertPoint.at_end(arms[0].block))
    acquired = pipelines.build_producer_acquire(builder, stages.pipeline.producer, stages.filled)
    acquired.location = plan.issuing[0].location
    for op in inside:
        op.detach()
        builder.insert(op)
    written = pipelines.build_producer_write(
        builder, acquired.result, [a.wait.source for a in plan.accumulators]
    )
    committed = pipelines.build_producer_commit(builder, written.result)
    following = pipelines.build_inc_iter(builder, stages.filled).result
    for new in (written, committed):
        new.location = plan.issuing[-1].location
    if condition is None or arms is None:
        return following
    builder.insert(scf.YieldOp(following, *needed))
    unchanged = [stages.filled, *(_without_iterations(value, plan) for value in needed)]
    Builder(InsertPoint.at_end(arms[1].block)).insert(scf.YieldOp(*unchanged))
    branch = after.insert(scf.IfOp(condition, [value.type for value in unchanged], *arms))
    branch.location = plan.issuing[-1].location
    for value, result in zip(needed, branch.results[1:], strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: not branch.is_ancestor(use.operation))
    return branch.results[0]


def _used_elsewhere(plan: OverlapPlan, inside: Sequence[Operation]) -> tuple[OpResult, ...]:
    """The results of ops that issue MMAs with other users than the waits for accumulators."""
    waits = [accumulator.wait for accumulator in plan.accumulators]
    return tuple(
        result
        for op in plan.issuing
        for result in op.results
        if any(
            use.operation not in waits
            and not any(other.is_ancestor(use.operation) for other in inside)
            for use in result.uses
        )
    )


def _without_iterations(value: SSAValue, plan: OverlapPlan) -> SSAValue:
    """The value of a loop's result if none of the loops of MMAs runs."""
    while isinstance(value, OpResult) and isinstance(value.op, scf.ForOp):
        if value.op not in plan.issuing:
            break
        value = value.op.iter_args[value.index]
    return value


def _read(
    plan: OverlapPlan,
    stages: Stages,
    condition: SSAValue | None,
    after: Builder,
    rewriter: PatternRewriter,
) -> SSAValue:
    """Reads accumulators from a stage, and releases it; returns the next iterator.

    The release comes at once, so that waits of the epilogue do not delay the MMAs.
    """
    waits = [accumulator.wait for accumulator in plan.accumulators]
    if condition is None:
        tiles, following = _load(plan, stages, after)
    else:
        arms = Region(Block()), Region(Block())
        builder = Builder(InsertPoint.at_end(arms[0].block))
        tiles, following = _load(plan, stages, builder)
        builder.insert(scf.YieldOp(following, *tiles))
        zeros = [accumulator.start.source for accumulator in plan.accumulators]
        Builder(InsertPoint.at_end(arms[1].block)).insert(scf.YieldOp(stages.emptied, *zeros))
        branch = after.insert(
            scf.IfOp(condition, [following.type, *(tile.type for tile in tiles)], *arms)
        )
        branch.location = waits[0].location
        following, *tiles = branch.results
    _read_answers_before(waits[0])
    for wait, tile in zip(waits, tiles, strict=True):
        rewriter.replace(wait, [], [tile])
    return following


def _load(plan: OverlapPlan, stages: Stages, builder: Builder) -> tuple[list[SSAValue], SSAValue]:
    """Loads the accumulators of a stage to registers, and releases the stage."""
    location = plan.accumulators[0].wait.location
    waited = pipelines.build_consumer_wait(builder, stages.pipeline.consumer, stages.emptied, 0)
    read = pipelines.build_consumer_read(builder, waited.result, 0, stages.payload)
    copies = [
        builder.insert(
            nv_tileas.CopyOp.build(
                operands=[value, None], result_types=[accumulator.wait.result.type]
            )
        )
        for value, accumulator in zip(read.values, plan.accumulators, strict=True)
    ]
    release = pipelines.build_consumer_release(builder, read.result)
    for new in (waited, read, *copies, release):
        new.location = location
    return [copy.result for copy in copies], pipelines.build_inc_iter(
        builder, stages.emptied
    ).result


def _read_answers_before(wait: Operation) -> None:
    """Moves reads of the next tile block before the epilogue.

    The loading agent can send its next request only after these reads.
    """
    block = wait.parent
    assert block is not None
    answers = [op for op in block.ops if reads_answer(op)]
    builder = Builder(InsertPoint.before(wait))
    for op in answers:
        op.detach()
        builder.insert(op)


# Agents.


@dataclass(frozen=True)
class SplitAgent(RewritePattern):
    """Splits an agent in two: one fills the stages of accumulators, the other keeps the rest."""

    plan: OverlapPlan
    stages: int

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.AgentSwitchOp, rewriter: PatternRewriter) -> None:
        plan = self.plan
        if op is not plan.switch:
            return
        block, number = plan.agent.block, plan.number
        issuing = _issuing_ops(plan)
        slices = (
            slice_of(epilogue_roots(plan.agent, issuing), block),
            issuing_slice(plan.agent, issuing),
        )
        others = [region for region in op.bodies if region is not plan.agent]
        agents = [_agent_of_slice(block, part) for part in slices]
        for region in others:
            op.detach_region(region)
        bodies = [*others[:number], *agents, *others[number:]]
        warps = op.agent_warps
        assert warps is not None
        counts = [*warps[: number + 1], ISSUING_WARPS, *warps[number + 1 :]]
        new = pipelines.build_agent_switch(
            Builder(InsertPoint.before(op)),
            op.inputs,
            [
                pipelines.AgentSpec(body, num_warps=count)
                for body, count in zip(bodies, counts, strict=True)
            ],
            agents_per_group=op.agents_per_group,
            isolated=op.isolated is not None and bool(op.isolated.value.data),
        )
        new.attributes.update(op.attributes)
        new.attributes[ACCUMULATORS] = IntegerAttr(self.stages, i32)
        new.location = op.location
        rewriter.erase(op)


def _issuing_ops(plan: OverlapPlan) -> set[Operation]:
    """The ops that issue MMAs and fill stages of accumulators, including nested ops."""
    producers = (nv_tileas.ProducerAcquireOp, nv_tileas.ProducerWriteOp, nv_tileas.ProducerCommitOp)
    found = {inner for op in plan.issuing for inner in ops_in(op)}
    around = plan.issuing[0].parent
    assert around is not None
    return found | {op for op in around.ops if isinstance(op, producers)}


def _agent_of_slice(block: Block, part: ProgramSlice) -> Region:
    """A new agent with the ops of a slice."""
    copy = Block(arg_types=block.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(block.args, copy.args, strict=True))
    builder = Builder(InsertPoint.at_end(copy))
    copy_slice(list(block.ops), part, builder, values)
    pipelines.build_pipeline_yield(builder)
    return Region(copy)
