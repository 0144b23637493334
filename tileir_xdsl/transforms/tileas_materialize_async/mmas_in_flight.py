"""MMAs that add to a carried accumulator stay in flight across iterations.

    scf.for .. iter_args(%acc = %zero) {      %null = create_null_token
      %w = consumer_wait ..                   %start = async.to_async %zero
      %r, %a, %b = consumer_read %w           scf.for .. iter_args(%acc = %start, %held = %null) {
      %d = async.dot %a, %b, %acc               %w = consumer_wait ..
      %s = async.future_wait %d         ->      %r, %a, %b = consumer_read %w
      consumer_release %r                       %d = async.dot %a, %b, %acc
      scf.yield %s                              async.wait %acc
    }                                           consumer_release %held
                                                scf.yield %d, %r
                                              }
                                              %s = async.future_wait ..
                                              consumer_release ..

The stage that an MMA reads is released when the MMA completes, which is an iteration later.
Accumulators in tensor memory are handled by `tensor_memory_accumulators.py`.
"""

from collections.abc import Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of, releases_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    is_tensor_memory_mma,
    reads_stages_alone,
    stage_of,
)
from tileir_xdsl.builders.loops import with_carried_values
from tileir_xdsl.builders.pipelines import build_consumer_release
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait

from .carried_mmas import CarriedMMA, await_result, carry_unfinished
from .tensor_memory_accumulators import keep_in_tensor_memory, keep_replaced_accumulators


class KeepMMAsInFlight(RewritePattern):
    """Defers the waits for the MMAs of a loop, and the releases of their stages, by one
    iteration.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        keep_replaced_accumulators(op, rewriter)
        if mmas := list(_carried_mmas(op)):
            _keep_in_flight(op, mmas, rewriter)


def _keep_in_flight(loop: scf.ForOp, mmas: Sequence[CarriedMMA], rewriter: PatternRewriter) -> None:
    # Hardware releases their stages when they complete, so releases stay where they are.
    if all(is_tensor_memory_mma(mma.dot) for mma in mmas):
        keep_in_tensor_memory(loop, mmas, rewriter)
        return
    reads = {mma.dot: _stages_read(mma.dot) for mma in mmas}
    releases = {
        release for tokens in reads.values() for token in tokens for release in releases_of(token)
    }
    # A branch has no token to carry; with one stage the next load would wait for itself.
    if any(release.parent is not loop.body.block or _is_single(release) for release in releases):
        return
    before = Builder(InsertPoint.before(loop))
    ordered = [op for op in loop.body.block.ops if op in releases]
    nulls = [
        # The first iteration has no MMA before it: its release frees nothing.
        before.insert(nv_tileas.CreateNullTokenOp(nv_tileas.PipelineConsumerTokenType())).result
        for _ in ordered
    ]
    loop, held = with_carried_values(loop, nulls, rewriter)
    for mma in mmas:
        carry_unfinished(loop, mma, rewriter)
    after = Builder(InsertPoint.after(loop))
    block = loop.body.block
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp)
    first = len(loop.iter_args) - len(held)
    for number, (release, token) in enumerate(zip(ordered, held, strict=True)):
        assert isinstance(release, nv_tileas.ConsumerReleaseOp)
        readers = [p for p in mmas if release.token in reads[p.dot]]
        sources = [block.args[mma.position + 1] for mma in readers]
        end = Builder(InsertPoint.before(terminator))
        end.insert(nv_tileas.WaitOp(sources))
        terminator.operands[first + number] = release.token
        build_consumer_release(end, token)
        rewriter.erase(release)
    for mma in mmas:
        await_result(loop.results[mma.position], after)
    for number in range(len(held)):
        build_consumer_release(after, loop.results[first + number])


def _carried_mmas(loop: scf.ForOp) -> Iterator[CarriedMMA]:
    """The MMAs of a loop that add to a carried accumulator without another use."""
    block = loop.body.block
    terminator = block.last_op
    assert terminator is not None
    for dot in block.ops:
        if not isinstance(dot, nv_tileas.AsyncDotOp) or dot.c.owner is not block:
            continue
        if not _reads_stages_alone(dot):
            continue
        argument = dot.c
        position = block.args.index(argument) - 1 if argument in block.args else -1
        wait = only_wait(dot.result)
        # Any other reader would need the finished accumulator in every iteration.
        if position < 0 or argument.get_user_of_unique_use() is not dot:
            continue
        if wait is None or wait.parent is not block:
            continue
        if (
            wait.result.get_user_of_unique_use() is terminator
            and terminator.operands[position] is wait.result
        ):
            yield CarriedMMA(dot, wait, position)


def _reads_stages_alone(dot: nv_tileas.AsyncDotOp) -> bool:
    """Whether an MMA reads operands only from stages: other memory is overwritten in the next
    iteration.
    """
    if is_tensor_memory_mma(dot):
        return reads_stages_alone(dot)
    return None not in map(stage_of, (dot.a, dot.b))


def _stages_read(dot: nv_tileas.AsyncDotOp) -> tuple[SSAValue, ...]:
    """The tokens of the stages from which an MMA reads its operands."""
    stages = map(stage_of, (dot.a, dot.b))
    return tuple(stage.result for stage in stages if stage is not None)


def _is_single(release: Operation) -> bool:
    """Whether a pipeline has a single stage, whose release cannot be deferred to the next
    iteration.
    """
    pipeline = pipeline_of(release.operands[0])
    return pipeline is None or pipeline.num_stages.value.data < 2
