"""Pipelines: stages in shared memory, each with a full and an empty mbarrier.

    %p, %c = nv_tileas.async.pipeline.create_pipeline %buffer {numStages = 4 : i32, ..}
    %p1, %done = nv_tileas.async.pipeline.produce_one_async %p, %i {..} {..}
    %w = nv_tileas.async.pipeline.consumer_wait %c, %j {consumer_idx = 0 : i32}
    %r, %a = nv_tileas.async.pipeline.consumer_read %w {consumer_idx = 0 : i32}
    %c1 = nv_tileas.async.pipeline.consumer_release %r

A producer waits until a stage is empty, fills it, and arrives at its full barrier. One thread
arrives for all bulk copies, whose bytes the barrier counts. Every producer thread arrives for its
own writes and copies. A consumer waits until the stage is full. To release the stage, one lane of
each consumer warp arrives at the empty barrier. Hardware releases the stage if `tcgen05` MMAs are
its only readers (`mma_stages.py`). An iterator consists of a stage index and the parity of the
phase in which the stage is filled. A consumer waits for this phase of the full barrier, a producer
for the preceding phase of the empty barrier. In the first phase all stages are empty, so producers
do not wait.

The protocol is the same if one agent is both producer and consumer. The agent's warps may drift
apart, since the loop has no block barrier. A pipeline with `nv_tileas.copy_groups` has no barriers:
`async.wait_copies` synchronises all its stages.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.allocation.allocation_requests import BARRIER_BYTES
from tileir_xdsl.analysis.buffers.pipelines import (
    holds_accumulators,
    is_in_pipeline,
    is_null,
    payload_of,
    pipeline_of,
)
from tileir_xdsl.analysis.buffers.shared_layouts import (
    shared_layout,
    size_in_bytes,
    stage_bytes,
    stage_layout,
)
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.analysis.threads.one_thread import (
    is_bulk_load,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.copy_groups import COPY_GROUPS
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.dialects.nv_tileas.interfaces import BulkLoadOpInterface, ThreadCopyOpInterface
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, decided_strategy
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, MemoryScope
from tileir_xdsl.dialects.nvvm.copies import (
    CpAsyncCommitGroupOp,
    CpAsyncMBarrierArriveOp,
    CpAsyncWaitGroupOp,
)
from tileir_xdsl.dialects.nvvm.synchronization import SyncWarpOp
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05CommitOp
from tileir_xdsl.walking import ops_in

from ..thread.builder import Index
from ..thread.clusters import is_leader, leader_rank, pair_mask
from ..thread.device_calls import first_thread, go_on, only_where
from ..thread.elected_thread import (
    ALL_LANES,
    LAST_LANE,
    enter_one_thread,
    leave_one_thread,
    mma_thread,
)
from ..thread.patterns import LowerOp, Patterns
from ..thread.pipeline_values import Pipeline, PipelineIterator, StageToken
from ..thread.program import ControlFlow, ThreadRewriter
from . import mbarriers
from .barrier_setup import (
    Arrivals,
    arrivals_of,
    pipeline_counts,
    pipeline_ctas,
)
from .mma_stages import release_by_commit
from .stage_values import bind_stage, store_scalars, store_tile_values
from .tensor_memory import address_of, check_written, stage_column

ProduceOp = nv_tileas.ProduceOneOp | nv_tileas.ProduceOneAsyncOp
ConsumeOp = nv_tileas.ConsumeOneOp | nv_tileas.ConsumeOneAsyncOp


# Creation


class LowerCreatePipeline(LowerOp[nv_tileas.CreatePipelineOp]):
    """Binds a pipeline to its barriers and stages; initialises barriers in a loop each time."""

    def lower(self, op: nv_tileas.CreatePipelineOp, rewriter: ThreadRewriter) -> None:
        arrivals = arrivals_of(function_of(op))[op]
        accumulators = tuple(op.buffer_views) if holds_accumulators(op) else ()
        views = [] if accumulators else [rewriter.shared_tile(view) for view in op.buffer_views]
        tiles = [] if accumulators else [stage_layout(op, type) for type in payload_of(op)]
        if len(tiles) != len(views):
            fail(op, f"'{op.name}' op expects its iterators to have one value for each buffer")
        stages = op.num_stages.value.data
        full = rewriter.function.shared_allocation.offsets.get(op, 0)
        rewriter.program.pipelines[op] = Pipeline(
            stages,
            full,
            full + stages * BARRIER_BYTES,
            has_barriers=COPY_GROUPS not in op.attributes,
            has_bulk_copies=arrivals.bulk,
            has_thread_copies=bool(arrivals.threads),
            is_read_by_threads=arrivals.read_by_threads,
            is_read_by_mmas=arrivals.read_by_mmas,
            buffers=tuple(views),
            tiles=tuple(tiles),
            distances=tuple(stage_bytes(view.layout) for view in views),
            ctas=pipeline_ctas(op, rewriter),
            accumulators=accumulators,
            is_of_pair=arrivals.of_pair,
        )
        for token in op.results:
            rewriter.replace(token, StageToken())
        # Copy groups are counters of the hardware and need no initialisation.
        if is_repeated(op) and COPY_GROUPS not in op.attributes:
            _set_up_again(op, arrivals, rewriter)


def _set_up_again(
    op: nv_tileas.CreatePipelineOp, arrivals: Arrivals, rewriter: ThreadRewriter
) -> None:
    """Initialises the barriers of a pipeline in a loop; the end of the loop's body invalidates
    them.
    """
    block = op.parent
    assert block is not None
    counts = dict(pipeline_counts(op, arrivals, rewriter))
    after = only_where(rewriter, first_thread(rewriter))
    mbarriers.initialise(rewriter, counts)
    go_on(rewriter, after)
    rewriter.barrier()
    rewriter.program.held.barriers_in_block.setdefault(block, []).extend(counts)


class LowerCreateIterator(LowerOp[nv_tileas.CreateIteratorOp]):
    """Creates an iterator at stage 0, which is filled in phase 0."""

    def lower(self, op: nv_tileas.CreateIteratorOp, rewriter: ThreadRewriter) -> None:
        rewriter.replace(op.result, PipelineIterator(_pipeline(op, op.token, rewriter).stages))


class LowerIncIter(LowerOp[nv_tileas.IncIterOp]):
    """The next iteration."""

    def lower(self, op: nv_tileas.IncIterOp, rewriter: ThreadRewriter) -> None:
        iterator = rewriter.iterator(op.iterator)
        rewriter.replace(op.result, iterator.next(rewriter.builder))


class LowerCreateNullToken(LowerOp[nv_tileas.CreateNullTokenOp]):
    """Creates a token that owns no stage."""

    def lower(self, op: nv_tileas.CreateNullTokenOp, rewriter: ThreadRewriter) -> None:
        rewriter.replace(op.result, StageToken())


def _pipeline(op: Operation, token: SSAValue, rewriter: ThreadRewriter) -> Pipeline:
    """The pipeline of a token."""
    created = pipeline_of(token)
    if created is None:
        fail(op, f"'{op.name}' op expects the token of a pipeline")
    return rewriter.program.pipelines[created]


# Producers.


def wait_until_empty(
    pipeline: Pipeline, iterator: PipelineIterator, rewriter: ThreadRewriter
) -> None:
    """Waits until all consumers have released the stage's previous contents."""
    # In the first phase all stages are empty, and a wait would be for a phase that never was.
    if iterator.is_first_phase or not pipeline.has_barriers:
        return
    # The empty barrier is one phase after the full one, so the wait is for the other parity.
    if isinstance(iterator.parity, int):
        parity: Index = iterator.parity ^ 1
    else:
        one = rewriter.builder.integer(1, i32)
        parity = rewriter.builder.compute(llvm.XOrOp, iterator.parity, one)
    barrier = mbarriers.barrier_at(rewriter, pipeline.empty, iterator.stage)
    # Threads of all CTAs have read what one of them writes for all; commits have no scope.
    if pipeline.ctas > 1 and not pipeline.is_read_by_mmas:
        mbarriers.wait_for_readers(rewriter, barrier, parity)
        return
    # The epilogues of both CTAs of a pair have released a stage of accumulators.
    of_cluster = bool(pipeline.accumulators) and rewriter.function.has_pairs
    scope = MemoryScope.CLUSTER if of_cluster else MemoryScope.CTA
    mbarriers.wait(rewriter, barrier, parity, scope)


def commit(pipeline: Pipeline, stage: Index, rewriter: ThreadRewriter, *, copies: bool) -> None:
    """Makes all executing threads arrive at the full barrier of a stage.

    With `copies`, each thread arrives when its copies complete, otherwise when its writes are
    visible.
    """
    if not (pipeline.has_thread_copies and pipeline.has_barriers):
        return
    barrier = mbarriers.barrier_at(rewriter, pipeline.full, stage)
    if copies:
        # `.noinc`: the barrier expects this arrival (PTX ISA, "cp.async.mbarrier.arrive").
        arrival = CpAsyncMBarrierArriveOp(barrier, noinc=True)
        rewriter.builder.insert_without_result(arrival)
        return
    mbarriers.arrive(rewriter, barrier)


@dataclass
class Produce(ControlFlow):
    """A region that fills a stage; threads that skip it continue at `after`."""

    runs_once = True

    op: ProduceOp
    pipeline: Pipeline
    iterator: PipelineIterator
    after: list[Block]

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        op = self.op
        leave_one_thread(rewriter, self.after)
        if op.stores_values:
            for value, held in zip(terminator.operands, op.body.block.args, strict=True):
                if value is not held and isinstance(value.type, TensorType):
                    fail(
                        terminator,
                        f"'{terminator.name}' op must yield the tiles of the stage, which "
                        "are the arguments of its block",
                    )
            store_scalars(op, terminator.operands, self.pipeline, self.iterator.stage, rewriter)
        copies = any(
            isinstance(inner, ThreadCopyOpInterface) and is_in_pipeline(inner)
            for inner in ops_in(op.body)
        )
        if copies and _is_written(op):
            # The arrival for copies says nothing of what the thread itself has written.
            rewriter.builder.insert_without_result(CpAsyncCommitGroupOp())
            rewriter.builder.insert_without_result(CpAsyncWaitGroupOp(0))
            copies = False
        commit(self.pipeline, self.iterator.stage, rewriter, copies=copies)
        rewriter.leave_region(terminator)
        rewriter.replace(op.result_token, StageToken())
        if isinstance(op, nv_tileas.ProduceOneAsyncOp):
            rewriter.replace(op.completion, self.iterator)
        for result, value in zip(op.values, terminator.operands, strict=False):
            rewriter.bind(result, rewriter.parts(value), value)


def _is_written(op: ProduceOp) -> bool:
    """Whether threads write to the stage, besides their copies."""
    return op.stores_values or any(
        isinstance(inner, nv_tileas.CopyOp) and is_in_pipeline(inner) for inner in ops_in(op.body)
    )


class LowerProduceOne(LowerOp[ProduceOp]):
    """Waits for an empty stage, runs the region, and publishes the stage."""

    def lower(self, op: ProduceOp, rewriter: ThreadRewriter) -> None:
        pipeline, iterator = _pipeline(op, op.token, rewriter), rewriter.iterator(op.iterator)
        by_threads = decided_strategy(op) is not Strategy.ONE_THREAD
        # Before the wait: then the other threads of the agent do not poll the barrier.
        after = [] if by_threads else enter_one_thread(op, rewriter)
        wait_until_empty(pipeline, iterator, rewriter)
        if pipeline.has_bulk_copies:
            inside = enter_one_thread(op, rewriter) if by_threads else []
            _arrive_for_bulk_copies(op, pipeline, iterator, rewriter)
            leave_one_thread(rewriter, inside)
        _bind_stage(op, pipeline, iterator, rewriter)
        rewriter.enter_region(Produce(op, pipeline, iterator, after), op.body)


def _arrive_for_bulk_copies(
    op: ProduceOp, pipeline: Pipeline, iterator: PipelineIterator, rewriter: ThreadRewriter
) -> None:
    """Makes the issuing thread arrive, with the bytes of all bulk copies in the region."""
    bytes = sum(map(bulk_bytes, _bulk_loads(op)))
    if pipeline.is_of_pair:
        # The copies of both CTAs count at the barrier of the first one, which may be told later.
        after, bytes = only_where(rewriter, is_leader(rewriter)), PAIR * bytes
    else:
        after = None
    barrier = mbarriers.barrier_at(rewriter, pipeline.full, iterator.stage)
    if bytes:
        mbarriers.arrive_and_expect(rewriter, barrier, bytes)
    else:
        mbarriers.arrive(rewriter, barrier)
    if after is not None:
        go_on(rewriter, after)


def _bulk_loads(op: ProduceOp) -> Iterator[BulkLoadOpInterface]:
    """The bulk copies of a region, each of which is executed exactly once."""
    for inner in ops_in(op.body):
        if is_bulk_load(inner) and is_in_pipeline(inner):
            # The bytes announced before would not be those that arrive.
            if inner.parent is not op.body.block:
                fail(
                    inner, f"'{inner.name}' op is not supported in a branch or a loop of a producer"
                )
            yield inner


def bulk_bytes(op: BulkLoadOpInterface) -> int:
    """The bytes that a bulk copy adds to its barrier: the CTA's part of the tile, in bounds or
    not.
    """
    assert op.filled is not None
    return size_in_bytes(shared_layout(op, op.filled.type))


def _bind_stage(
    op: ProduceOp | ConsumeOp,
    pipeline: Pipeline,
    iterator: PipelineIterator,
    rewriter: ThreadRewriter,
) -> None:
    """Binds the arguments of a region to the tiles of the stage, or to the iterator."""
    arguments = op.body.block.args
    if len(arguments) == 1 and isinstance(arguments[0].type, nv_tileas.PipelineIteratorType):
        rewriter.replace(arguments[0], iterator)
        return
    bind_stage(op, arguments, pipeline, iterator.stage, rewriter)


class LowerProducerAcquire(LowerOp[nv_tileas.ProducerAcquireOp]):
    """Waits for an empty stage."""

    def lower(self, op: nv_tileas.ProducerAcquireOp, rewriter: ThreadRewriter) -> None:
        pipeline, iterator = _pipeline(op, op.token, rewriter), rewriter.iterator(op.iterator)
        wait_until_empty(pipeline, iterator, rewriter)
        for buffer in pipeline.accumulators:
            # Known here, they are not computed again in each iteration of the MMAs.
            columns = rewriter.function.columns.of[buffer]
            address_of(rewriter, stage_column(columns, iterator.stage, rewriter.builder))
        rewriter.replace(op.result, StageToken(iterator.stage))


class LowerProducerWrite(LowerOp[nv_tileas.ProducerWriteOp]):
    """Stores values to the stage, which nobody reads until it is published."""

    def lower(self, op: nv_tileas.ProducerWriteOp, rewriter: ThreadRewriter) -> None:
        pipeline, token = _pipeline(op, op.token, rewriter), rewriter.stage_token(op.token)
        if pipeline.accumulators:
            # The MMAs of these accumulators write to the columns of the stage.
            check_written(op, pipeline.accumulators, rewriter)
            rewriter.replace(op.result, token)
            return
        held = len(pipeline.tiles)
        if len(op.values) != held:
            fail(op, f"'{op.name}' op expects {held} tiles, the number in a stage")
        store_tile_values(op, op.values, pipeline, token.stage, rewriter)
        store_scalars(op, op.values, pipeline, token.stage, rewriter)
        rewriter.replace(op.result, token)


class LowerProducerCommit(LowerOp[nv_tileas.ProducerCommitOp]):
    """Publishes the threads' writes to the stage."""

    def lower(self, op: nv_tileas.ProducerCommitOp, rewriter: ThreadRewriter) -> None:
        pipeline, stage = _pipeline(op, op.token, rewriter), rewriter.stage_token(op.token).stage
        if pipeline.accumulators:
            with mma_thread(op, rewriter):
                barrier = mbarriers.barrier_at(rewriter, pipeline.full, stage)
                if rewriter.function.has_pairs:
                    # Each CTA reads its rows, and waits for them at a barrier of its own.
                    published = Tcgen05CommitOp(barrier, pair_mask(rewriter), CTAGroup.TWO)
                else:
                    published = Tcgen05CommitOp(barrier)
                rewriter.builder.insert_without_result(published)
        else:
            commit(pipeline, stage, rewriter, copies=False)
        rewriter.replace(op.result, StageToken())


# Consumers


def wait_until_full(
    pipeline: Pipeline, iterator: PipelineIterator, rewriter: ThreadRewriter
) -> None:
    """Waits until the stage holds the producers' data of this iteration."""
    if not pipeline.has_barriers:
        return
    barrier = mbarriers.barrier_at(rewriter, pipeline.full, iterator.stage)
    mbarriers.wait(rewriter, barrier, iterator.parity)


def release(op: Operation, pipeline: Pipeline, token: StageToken, rewriter: ThreadRewriter) -> None:
    """Makes one lane of each warp arrive at the empty barrier, if the token owns a stage.

    If CTAs fill stages for each other, the lane arrives at the barrier of each CTA.
    """
    if (isinstance(token.stage, int) and token.stage < 0) or not pipeline.has_barriers:
        return
    if pipeline.is_read_by_mmas:
        release_by_commit(op, pipeline, token, rewriter)
        return
    builder = rewriter.builder
    if rewriter.region.runs_in_one_thread:
        barrier = mbarriers.barrier_at(rewriter, pipeline.empty, token.stage)
        for number in range(pipeline.ctas) if pipeline.ctas > 1 else ():
            mbarriers.arrive_in_cluster(rewriter, barrier, builder.integer(number, i32))
        if pipeline.ctas == 1:
            mbarriers.arrive(rewriter, barrier)
        return
    if pipeline.is_read_by_threads:
        # One lane arrives for all, so the reads of the other lanes must be complete before it does.
        builder.insert_without_result(SyncWarpOp(builder.integer(ALL_LANES, i32)))
    # One arrival a warp and not one a thread: a 32nd of the traffic on the barrier.
    lane = builder.compute(llvm.AndOp, builder.thread_index(), builder.integer(LAST_LANE, i32))
    if pipeline.ctas > 1:
        arrives = builder.compare("ult", lane, builder.integer(pipeline.ctas, i32))
    else:
        arrives = builder.compare("eq", lane, builder.integer(0, i32))
    if token.may_own_none:
        assert isinstance(token.stage, SSAValue)
        owns = builder.compare("sge", token.stage, builder.integer(0, i32))
        arrives = builder.insert(llvm.AndOp(arrives, owns))
    after = only_where(rewriter, arrives)
    barrier = mbarriers.barrier_at(rewriter, pipeline.empty, token.stage)
    if pipeline.ctas > 1:
        mbarriers.arrive_in_cluster(rewriter, barrier, lane)
    elif pipeline.accumulators and rewriter.function.has_pairs:
        # The first CTA of a pair issues the MMAs that overwrite the columns of both.
        mbarriers.arrive_in_cluster(rewriter, barrier, leader_rank(rewriter))
    else:
        mbarriers.arrive(rewriter, barrier)
    go_on(rewriter, after)


def wait_for_completion(
    op: nv_tileas.ProduceOneAsyncOp, value: SSAValue, rewriter: ThreadRewriter
) -> None:
    """Waits until a producer's stage is full."""
    wait_until_full(_pipeline(op, op.token, rewriter), rewriter.iterator(value), rewriter)


def nothing_to_wait_for(
    _op: nv_tileas.ConsumeOneAsyncOp, _value: SSAValue, _rewriter: ThreadRewriter
) -> None:
    """Emits nothing: threads have finished with a stage when the region that empties it ends."""


class LowerConsumerWait(LowerOp[nv_tileas.ConsumerWaitOp]):
    """Waits for a full stage, unless MMAs are its first readers and wait themselves."""

    def lower(self, op: nv_tileas.ConsumerWaitOp, rewriter: ThreadRewriter) -> None:
        pipeline, iterator = _pipeline(op, op.token, rewriter), rewriter.iterator(op.iterator)
        # In one thread the wait can stand where it is: that thread issues the MMAs, too.
        left = pipeline.is_read_by_mmas and not rewriter.region.runs_in_one_thread
        left &= not is_padded(op)
        if not left:
            wait_until_full(pipeline, iterator, rewriter)
        rewriter.replace(
            op.result, StageToken(iterator.stage, left_to_mmas=iterator if left else None)
        )


def is_padded(op: nv_tileas.ConsumerWaitOp) -> bool:
    """Whether threads pad a tile of the stage before it is read."""
    reads = [use.operation for use in op.result.uses]
    tiles = [t for read in reads if isinstance(read, nv_tileas.ConsumerReadOp) for t in read.values]
    return any(isinstance(use.operation, nv_tileas.PadOp) for tile in tiles for use in tile.uses)


class LowerConsumerRead(LowerOp[nv_tileas.ConsumerReadOp]):
    """Binds the results to the tiles of the stage."""

    def lower(self, op: nv_tileas.ConsumerReadOp, rewriter: ThreadRewriter) -> None:
        pipeline, token = _pipeline(op, op.token, rewriter), rewriter.stage_token(op.token)
        if not pipeline.accumulators:
            bind_stage(op, op.values, pipeline, token.stage, rewriter)
        # Read again on both sides of the test, which share the addresses that are known before it.
        if any(isinstance(use.operation, scf.ConditionOp) for use in op.result.uses):
            for tile in pipeline.stage_tiles(rewriter.builder, token.stage):
                tile.pointer(rewriter.builder)
        rewriter.replace(op.result, token)


class LowerConsumerRelease(LowerOp[nv_tileas.ConsumerReleaseOp]):
    """Releases the stage to the producers."""

    def lower(self, op: nv_tileas.ConsumerReleaseOp, rewriter: ThreadRewriter) -> None:
        # The commit of the MMAs has released the stage already; a null token has none.
        if op not in rewriter.program.issued_mmas.released and not is_null(op.token):
            pipeline, token = _pipeline(op, op.token, rewriter), rewriter.stage_token(op.token)
            release(op, pipeline, token, rewriter)
        rewriter.replace(op.result, StageToken())


@dataclass
class _Consume(ControlFlow):
    """A region that empties a stage."""

    runs_once = True

    op: ConsumeOp
    pipeline: Pipeline
    iterator: PipelineIterator

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        op = self.op
        if not any(isinstance(inner, nv_tileas.ConsumerReleaseOp) for inner in op.body.block.ops):
            release(op, self.pipeline, StageToken(self.iterator.stage), rewriter)
        rewriter.leave_region(terminator)
        rewriter.replace(op.result_token, StageToken())
        for result, value in zip(op.values, terminator.operands, strict=False):
            rewriter.bind(result, rewriter.parts(value), value)


class LowerConsumeOne(LowerOp[ConsumeOp]):
    """Waits for a full stage, runs the region, and releases the stage unless the region does."""

    def lower(self, op: ConsumeOp, rewriter: ThreadRewriter) -> None:
        pipeline, iterator = _pipeline(op, op.token, rewriter), rewriter.iterator(op.iterator)
        wait_until_full(pipeline, iterator, rewriter)
        _bind_stage(op, pipeline, iterator, rewriter)
        rewriter.enter_region(_Consume(op, pipeline, iterator), op.body)


class LowerPipelineYield(LowerOp[nv_tileas.PipelineYieldOp]):
    """Ends a region; the enclosing op emits the exit."""

    def lower(self, op: nv_tileas.PipelineYieldOp, rewriter: ThreadRewriter) -> None:
        mbarriers.release_barriers(op, rewriter)
        rewriter.region.enclosing[-1].end_region(op, rewriter)


WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadRewriter], None]] = {
    nv_tileas.ConsumeOneAsyncOp: nothing_to_wait_for,
    nv_tileas.ProduceOneAsyncOp: wait_for_completion,
}
"""The wait of an agent for its own work on a stage, by the op that fills or empties it."""

PATTERNS: Patterns = {
    nv_tileas.ConsumeOneAsyncOp: LowerConsumeOne,
    nv_tileas.ConsumeOneOp: LowerConsumeOne,
    nv_tileas.ConsumerReadOp: LowerConsumerRead,
    nv_tileas.ConsumerReleaseOp: LowerConsumerRelease,
    nv_tileas.ConsumerWaitOp: LowerConsumerWait,
    nv_tileas.CreateIteratorOp: LowerCreateIterator,
    nv_tileas.CreateNullTokenOp: LowerCreateNullToken,
    nv_tileas.CreatePipelineOp: LowerCreatePipeline,
    nv_tileas.IncIterOp: LowerIncIter,
    nv_tileas.PipelineYieldOp: LowerPipelineYield,
    nv_tileas.ProduceOneAsyncOp: LowerProduceOne,
    nv_tileas.ProduceOneOp: LowerProduceOne,
    nv_tileas.ProducerAcquireOp: LowerProducerAcquire,
    nv_tileas.ProducerCommitOp: LowerProducerCommit,
    nv_tileas.ProducerWriteOp: LowerProducerWrite,
}
