"""Pipeline stages whose only readers are `tcgen05` MMAs.

    %w = consumer_wait %c, %i               in one thread:
    %r, %a, %b = consumer_read %w             wait for the stage
    %d = async.dot %a, %b, %s          ->     tcgen05.mma ..
    async.wait %d                             tcgen05.commit %empty
    consumer_release %r

The thread that issues the MMAs waits until the stage is full; no other thread reads it.
`tcgen05.commit` makes the hardware arrive at the empty barrier when all earlier MMAs complete, so
that no thread waits for them. Source: PTX ISA, "tcgen05.commit".
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import i16, i32
from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of, releases_of
from tileir_xdsl.analysis.mma.mma_loops import are_operands_left_to_hardware, stage_readers
from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    stages_read,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, ProxyKind, SharedSpace
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05CommitOp

from ..thread.builder import Index
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import mma_thread
from ..thread.pipeline_values import Pipeline, StageToken
from ..thread.program import ThreadRewriter
from . import mbarriers

# Operations of the issuing thread on the stages of its MMAs.


def is_left_to_hardware(op: MMAOp, rewriter: ThreadRewriter) -> bool:
    """Whether no thread must wait for an MMA before its operands are overwritten."""
    of_mmas = {
        op for op, pipeline in rewriter.program.pipelines.items() if pipeline.is_read_by_mmas
    }
    return are_operands_left_to_hardware(op, of_mmas)


def await_stages(op: MMAOp, rewriter: ThreadRewriter) -> None:
    """Waits until the stages that an MMA reads are full, unless they are known to be."""
    for read in stages_read(op):
        iterator = rewriter.stage_token(read.result).left_to_mmas
        if iterator is not None:
            pipeline = _pipeline(read, rewriter)
            full = mbarriers.barrier_at(rewriter, pipeline.full, iterator.stage)
            mbarriers.wait(rewriter, full, iterator.parity)
            if pipeline.has_thread_copies:
                # Copies of threads are only then visible to the hardware that reads them.
                fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
                rewriter.builder.insert_without_result(fence)


def release_stages(op: MMAOp, rewriter: ThreadRewriter) -> None:
    """Releases the stages that an MMA is the last to read, if their release follows."""
    for read in stages_read(op):
        pipeline = _pipeline(read, rewriter)
        # The commit covers all MMAs before it, so the last reader's is enough.
        if not pipeline.is_read_by_mmas or not _is_last(op, stage_readers(read)):
            continue
        for release in releases_of(read.result):
            if release.parent is op.parent and op.is_before_in_block(release):
                commit_stage(pipeline, rewriter.stage_token(read.result).stage, rewriter)
                rewriter.program.issued_mmas.released.add(release)


def _pipeline(read: nv_tileas.ConsumerReadOp, rewriter: ThreadRewriter) -> Pipeline:
    created = pipeline_of(read.token)
    assert created is not None
    return rewriter.program.pipelines[created]


def _is_last(op: Operation, readers: Sequence[Operation]) -> bool:
    block = op.parent
    assert block is not None
    ancestors = [block.find_ancestor_op_in_block(reader) for reader in readers]
    return all(a is op or (a is not None and a.is_before_in_block(op)) for a in ancestors)


def release_by_commit(
    op: Operation, pipeline: Pipeline, token: StageToken, rewriter: ThreadRewriter
) -> None:
    """Releases the stage that the token owns, if any, when all earlier MMAs have completed."""
    builder = rewriter.builder
    with mma_thread(op, rewriter):
        if not token.may_own_none:
            commit_stage(pipeline, token.stage, rewriter)
            return
        stage = builder.integer(token.stage, i32)
        after = only_where(rewriter, builder.compare("sge", stage, builder.integer(0, i32)))
        commit_stage(pipeline, stage, rewriter)
        go_on(rewriter, after)


def commit_stage(pipeline: Pipeline, stage: Index, rewriter: ThreadRewriter) -> None:
    """Makes a commit of the MMAs arrive at a stage's empty barrier; runs in one thread."""
    barrier = mbarriers.barrier_at(rewriter, pipeline.empty, stage)
    # CTAs that fill stages for each other are all released: the commit is a multicast.
    all_ctas = (
        rewriter.builder.integer((1 << pipeline.ctas) - 1, i16) if pipeline.ctas > 1 else None
    )
    group = CTAGroup.TWO if pipeline.is_of_pair else CTAGroup.ONE
    rewriter.builder.insert_without_result(Tcgen05CommitOp(barrier, all_ctas, group))
