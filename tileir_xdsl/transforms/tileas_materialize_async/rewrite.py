"""Inserts a pipeline between a group of loads and the users of the loaded tiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.async_loads import AsyncLoad, BulkTileLoad, LoadGroup, last_user
from tileir_xdsl.builders.loops import carry_from, forward_instead
from tileir_xdsl.builders.pipelines import (
    build_consumer_handshake,
    build_inc_iter,
    build_pipeline,
    build_produce_one_async,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.operand_list_syntax import SEGMENTS
from tileir_xdsl.dialects.nv_tileas.tiled_memory import MaskedAccessOp

from .planning import PipelinePlan


@dataclass(frozen=True)
class InsertPipelines(RewritePattern):
    """Inserts the pipelines for the loads in a loop."""

    function: nv_tileaa.FuncOp
    plans: Mapping[Block, Sequence[PipelinePlan]]
    """The plans by the block of the loop; a loop that gets carried values is replaced, but keeps
    its block.
    """

    @staticmethod
    def of(function: nv_tileaa.FuncOp, pipelines: Sequence[PipelinePlan]) -> "InsertPipelines":
        """The pattern for the pipelines of a function."""
        plans: dict[Block, list[PipelinePlan]] = {}
        for pipeline in pipelines:
            plans.setdefault(pipeline.group.block, []).append(pipeline)
        return InsertPipelines(function, plans)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for plan in self.plans.get(op.regions[-1].block, ()):
            _insert_pipeline(self.function, plan, rewriter)


def _insert_pipeline(
    function: nv_tileaa.FuncOp, plan: PipelinePlan, rewriter: PatternRewriter
) -> None:
    """Creates the pipeline at the start of a function, and uses it in the loop."""
    group, block = plan.group, plan.group.block
    # Once for the kernel: in a loop the barriers would be initialised in each iteration.
    entry = Builder(InsertPoint.at_start(function.body.block))
    payload = [load.tile_type for load in group.loads]
    pipeline, *iterators = build_pipeline(entry, payload, plan.stages)
    producer, consumer = pipeline.producer, pipeline.consumer
    starts = [iterator.result for iterator in iterators]
    filled, emptied = carry_from(function.body.block, block, starts, rewriter)
    last = last_user([load.tile for load in group.loads], block)
    _produce(group, producer, filled)
    _consume(group, consumer, emptied, last, rewriter)
    _advance(block, (filled, emptied))


def _produce(group: LoadGroup, token: SSAValue, iterator: SSAValue) -> None:
    """Inserts the op that fills a stage, at the last load of the group."""
    last = group.loads[-1].op
    # Here the operands of all loads of the group are computed.
    builder = Builder(InsertPoint.before(last))

    def fill(body: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
        for load, buffer in zip(group.loads, stage, strict=True):
            started = start_load(load, buffer)
            started.location = load.op.location
            body.insert(started)
        return stage

    produced = build_produce_one_async(builder, token, iterator, fill)
    produced.location = last.location


def start_load(load: AsyncLoad, buffer: SSAValue) -> Operation:
    """The op that starts a load into a buffer."""
    op = load.op
    if isinstance(op, BulkTileLoad):
        started = op.clone()
        started.operands[1] = buffer
        return started
    if isinstance(op, nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp):
        started = op.clone()
        # Its last operand, where it has a buffer.
        started.operands[len(op.operands) - 1] = buffer
        return started
    kind = nv_tileas.AsyncTiledLoadOp
    if isinstance(op, nv_tileas.LoadOp):
        kind = nv_tileas.AsyncLoadOp
    properties = {key: value for key, value in op.properties.items() if key != SEGMENTS}
    sizes = op.properties[SEGMENTS]
    assert isinstance(sizes, DenseArrayBase)
    given = [*map(int, sizes.get_values())]
    if isinstance(op, MaskedAccessOp):
        # An asynchronous load has a buffer in the place of the mask.
        del given[op.WITHOUT_MASK :]
    properties[SEGMENTS] = DenseArrayBase.from_list(i32, [*given, 1])
    return kind.create(
        operands=[*op.operands, buffer],
        result_types=[ValueType(load.tile_type)],
        properties=properties,
        attributes=op.attributes,
    )


def _consume(
    group: LoadGroup,
    token: SSAValue,
    iterator: SSAValue,
    last: Operation,
    rewriter: PatternRewriter,
) -> None:
    """Inserts a wait for the stage after the loads, and a release after the last read of the
    stage's tiles.
    """
    after_loads = Builder(InsertPoint.before(group.loads[-1].op))
    # The earlier a stage is released, the earlier its next load can start.
    _, tiles = build_consumer_handshake(after_loads, token, iterator, 0, last)
    for load, tile in zip(group.loads, tiles, strict=True):
        tile.name_hint = load.tile.name_hint
        load.tile.replace_all_uses_with(tile)
        _replace_token(load.op, after_loads)
        for part in load.parts:
            rewriter.erase(part)


def _replace_token(op: Operation, builder: Builder) -> None:
    """Replaces the result token of a load by its operand token: a full stage implies that the load
    is done.
    """
    if not isinstance(op, LoadTileOp | LoadThroughPointersOp) or len(op.results) == 1:
        return
    before, token = op.token, op.results[1]
    if before is None or before.type != token.type:
        before = builder.insert(nv_tileaa.CreateMemTokenOp()).result
    token.replace_all_uses_with(before)


def _advance(block: Block, iterators: Sequence[SSAValue]) -> None:
    """Advances iterators at the end of an iteration."""
    terminator = block.last_op
    assert terminator is not None
    builder = Builder(InsertPoint.before(terminator))
    advanced = [build_inc_iter(builder, iterator).result for iterator in iterators]
    forward_instead(block, iterators, advanced)
