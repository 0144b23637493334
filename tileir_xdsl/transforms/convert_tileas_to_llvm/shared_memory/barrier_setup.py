"""The mbarriers of a function: their arrival counts, and their initialisation.

Barriers created once are initialised at the start of the kernel; those of a pipeline created in a
loop are initialised in every iteration.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.analysis.allocation.allocation_requests import ANSWER_BYTES, BARRIER_BYTES
from tileir_xdsl.analysis.buffers.pipelines import (
    CONSUMERS,
    holds_accumulators,
    holds_answers,
    pipeline_of,
)
from tileir_xdsl.analysis.mma.cta_pairs import fills_for_pair, has_pairs, issues_mmas
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
    agent_around,
    block_warps,
    kernel_warps,
)
from tileir_xdsl.analysis.threads.one_thread import (
    is_bulk_load,
    starts_bulk_copies,
    writes_by_threads,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    CreatePipelineOp,
    ProducerCommitOp,
)
from tileir_xdsl.dialects.nv_tileas.agents import consumer_number
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.dialects.nv_tileas.control import ProgramIdRequestOp
from tileir_xdsl.dialects.nv_tileas.cta_groups import PAIR
from tileir_xdsl.dialects.nv_tileas.strategies import issuer_of
from tileir_xdsl.dialects.nvvm.copies import PrefetchOp
from tileir_xdsl.walking import ops_in

from ..thread.clusters import cluster_barrier, cluster_size
from ..thread.device_calls import first_thread, go_on, only_where
from ..thread.program import TENSOR_MAPS, ThreadRewriter
from .mbarriers import initialise

ENDPOINTS = (ProduceOp, ProducerCommitOp, *CONSUMERS)


@dataclass
class Arrivals:
    """The arrivals at the barriers of a pipeline stage in one phase."""

    bulk: bool = False
    """Whether one thread arrives for bulk copies and announces their bytes."""
    threads: int = 0
    """The number of threads that arrive for their own writes or copies."""
    commits: bool = False
    """Whether a commit of MMAs arrives, because MMAs fill the stage in tensor memory."""
    consumers: int = 0
    """The number of warps that release a stage; 1 if MMAs release it."""
    leaders: int = 0
    """The number of releasing warps that only the first CTA of each pair has, since their agent
    issues MMAs.
    """
    read_by_threads: bool = False
    """Whether threads, and not only asynchronous matrix instructions, read a stage.
    """
    read_by_mmas: bool = False
    """Whether only `tcgen05` MMAs read a stage."""
    epilogues: int = 1
    """The number of CTAs whose epilogues release a stage of accumulators to the CTA that issues
    MMAs.
    """
    of_pair: bool = False
    """Whether the first CTA of a pair counts bytes and releases stages for both CTAs."""

    @property
    def full(self) -> int:
        """The arrivals that complete the full barrier of a stage."""
        return self.bulk + self.threads + self.commits


def check_groups(function: nv_tileaa.FuncOp) -> None:
    """Raises `PassFailedException` if a pipeline between two agents has equal producer and consumer
    groups.
    """
    block = kernel_warps(function)
    sides: dict[CreatePipelineOp, tuple[set[Region | None], set[Region | None]]] = {}
    for op in ops_in(function):
        pipeline = pipeline_of(op.token) if isinstance(op, ENDPOINTS) else None
        if pipeline is not None:
            agent = agent_around(op, block)
            side = sides.setdefault(pipeline, (set(), set()))[isinstance(op, CONSUMERS)]
            side.add(None if agent is None else agent.region)
    for pipeline, (filling, emptying) in sides.items():
        is_one = pipeline.producer_group_id == pipeline.consumer_group_id
        if is_one and filling and emptying and filling.isdisjoint(emptying):
            message = "has one group in producerGroupId and consumerGroupId, but two agents"
            fail(pipeline, f"'{pipeline.name}' op {message}")


def arrivals_of(function: nv_tileaa.FuncOp) -> dict[CreatePipelineOp, Arrivals]:
    """The arrivals of every pipeline of a function."""
    block, launched = kernel_warps(function), block_warps(function)
    in_pairs = has_pairs(function)
    check_groups(function)
    found: dict[CreatePipelineOp, Arrivals] = {}
    consumers: dict[CreatePipelineOp, dict[int, int]] = {}
    for op in ops_in(function):
        if isinstance(op, CreatePipelineOp):
            found.setdefault(op, Arrivals())
        if not isinstance(op, ENDPOINTS):
            continue
        pipeline = pipeline_of(op.token)
        if pipeline is None:
            continue
        agent = agent_around(op, block)
        warps = launched if agent is None else agent.warps
        arrivals = found.setdefault(pipeline, Arrivals())
        if isinstance(op, CONSUMERS):
            number = consumer_number(op, op.consumer_idx.value.data)
            is_first = number not in consumers.setdefault(pipeline, {})
            consumers[pipeline][number] = warps
            if agent is not None and in_pairs and holds_answers(pipeline):
                arrivals.leaders += warps if is_first and issues_mmas(agent.region) else 0
            users = (use.operation for tile in _tiles_of(op) for use in tile.uses)
            # Threads that read must be done before the release; MMAs are waited for elsewhere.
            arrivals.read_by_threads |= not all(map(issues_mma, users))
            continue
        if holds_accumulators(pipeline):
            arrivals.commits = True
            continue
        if isinstance(op, ProducerCommitOp) or writes_by_threads(op):
            # `cp.async.mbarrier.arrive` stands for the copies of its own thread (PTX ISA).
            arrivals.threads = warps * THREADS_PER_WARP
        # However many copies there are, one thread announces the bytes of all.
        if not isinstance(op, ProducerCommitOp) and starts_bulk_copies(op):
            arrivals.bulk = True
            arrivals.of_pair |= fills_for_pair(op)
    for pipeline, warps in consumers.items():
        # Threads arrive once a warp.
        found[pipeline].consumers = sum(warps.values())
    if released := consumers.keys() & set(released_by_mmas(function)):
        # Imported where MMAs release stages: most kernels have none.
        from tileir_xdsl.analysis.mma.warpgroup_mmas import issuing_warpgroups  # noqa: PLC0415

        # A commit is one arrival of hardware for a consumer; of several that issue, each commits.
        commits = issuing_warpgroups(function)
        for pipeline in released:
            found[pipeline].read_by_mmas = True
            found[pipeline].consumers = commits * len(consumers[pipeline])
    filled_by_mmas = [arrivals for arrivals in found.values() if arrivals.commits]
    if filled_by_mmas and in_pairs:
        for arrivals in filled_by_mmas:
            arrivals.epilogues = PAIR
    return found


def released_by_mmas(function: nv_tileaa.FuncOp) -> Iterator[CreatePipelineOp]:
    """The pipelines whose stages a commit of MMAs releases."""
    for op in ops_in(function):
        if isinstance(op, ConsumerReleaseOp) and issuer_of(op) is not None:
            pipeline = pipeline_of(op.token)
            if pipeline is not None:
                yield pipeline


def _tiles_of(op: Operation) -> Sequence[SSAValue]:
    """The tiles that a consumer reads."""
    if isinstance(op, ConsumerReadOp):
        return op.values
    return op.regions[0].block.args if op.regions else ()


def pipeline_counts(
    op: CreatePipelineOp, arrivals: Arrivals, rewriter: ThreadRewriter
) -> Iterator[tuple[int, int]]:
    """The offset and arrival count of each barrier of a pipeline, full barriers first."""
    stages, start = op.num_stages.value.data, rewriter.function.shared_allocation.offsets[op]
    ctas, consumers = pipeline_ctas(op, rewriter), arrivals.consumers * arrivals.epilogues
    consumers = consumers * ctas - arrivals.leaders * (ctas - ctas // PAIR)
    if arrivals.of_pair:
        consumers //= PAIR
    for half, count in enumerate((arrivals.full, consumers)):
        for stage in range(stages):
            # No thread waits for a side that has no arrivals.
            yield start + (half * stages + stage) * BARRIER_BYTES, max(1, count)


def pipeline_ctas(op: CreatePipelineOp, rewriter: ThreadRewriter) -> int:
    """The number of CTAs of a cluster that fill and release a pipeline's stages for each other."""
    return (
        cluster_size(rewriter) if op in rewriter.function.shared_allocation.shared_pipelines else 1
    )


def _threads_of(op: Operation, function: nv_tileaa.FuncOp) -> int:
    """The number of threads that run an op."""
    agent = agent_around(op, kernel_warps(function))
    warps = block_warps(function) if agent is None else agent.warps
    return warps * THREADS_PER_WARP


def set_up_barriers(function: nv_tileaa.FuncOp, rewriter: ThreadRewriter) -> None:
    """Initialises the barriers of a function and prefetches its tensor maps, in its first
    thread.
    """
    arrivals, mmas = arrivals_of(function), rewriter.function.columns.mmas
    counts: dict[int, int] = {}
    for op, offset in rewriter.function.shared_allocation.offsets.items():
        if isinstance(op, CreatePipelineOp):
            # Those in loops are initialised where the loop creates them.
            if not is_repeated(op):
                counts |= dict(pipeline_counts(op, arrivals[op], rewriter))
        elif is_bulk_load(op):
            counts[offset] = 1
        elif op in mmas:
            # All threads that wait for the accumulator arrive, and so does the commit of its MMAs.
            groups = rewriter.function.mma_warpgroups
            for group in range(groups):
                counts[offset + group * BARRIER_BYTES] = _threads_of(op, function) // groups + 1
            if rewriter.function.has_pairs:
                counts[offset + BARRIER_BYTES] = PAIR * _threads_of(op, function)
        elif isinstance(op, ProgramIdRequestOp):
            counts[offset + ANSWER_BYTES] = _threads_of(op, function)
    maps = [arg for arg in function.body.block.args if isinstance(arg.type, TENSOR_MAPS)]
    if not counts and not maps:
        return
    after = only_where(rewriter, first_thread(rewriter))
    for argument in maps:
        rewriter.builder.insert_without_result(PrefetchOp(rewriter.scalar(argument)))
    if counts:
        initialise(rewriter, counts)
    go_on(rewriter, after)
    asks = any(
        isinstance(op, ProgramIdRequestOp) for op in rewriter.function.shared_allocation.offsets
    )
    if rewriter.function.shared_allocation.shared_pipelines or (
        asks and cluster_size(rewriter) > 1
    ):
        # No CTA may copy to another CTA before that one has initialised its barriers.
        cluster_barrier(rewriter)
    elif counts:
        rewriter.barrier()
