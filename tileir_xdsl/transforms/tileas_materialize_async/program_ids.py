"""Requests for the next tile block go through a pipeline, issued an iteration ahead.

    scf.while (%program = %first) {           scf.while (%program = %first, %in = %i, %out = %j) {
      ..                                        ..
    } do {                                    } do {
      ..                                        produce_one_async %p, %in {
      %next = cancel_next_program_id    ->      ^bb0(%answer):
      scf.yield %next                             async.cancel_next_program_id into %answer
    }                                             yield %answer
                                                }
                                                ..
                                                %w = consumer_wait %c, %out
                                                %r, %answer = consumer_read %w
                                                %next = read_program_id %answer
                                                consumer_release %r
                                                scf.yield %next, ..
                                              }

The request for the next tile block overlaps the current one; a pipeline transfers the answer to all
agents. A kernel without pipelines has one agent, which issues `async.cancel_next_program_id` at the
start and waits for the value. Source: PTX ISA, "clusterlaunchcontrol.try_cancel".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.loops import carry_from, forward_instead
from tileir_xdsl.builders.pipelines import (
    build_consumer_handshake,
    build_inc_iter,
    build_pipeline,
    build_produce_one_async,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.control import ANSWER
from tileir_xdsl.rewriting import replace_op
from tileir_xdsl.walking import ops_in

STAGES = 2
"""The stages of the pipeline: one for the requested tile block, one for the answer that an agent
has not read yet.
"""


def requests_in_loops(function: nv_tileaa.FuncOp) -> list[nv_tileas.CancelNextProgramIdOp]:
    """The requests for tile blocks in loops that no other op with regions encloses."""
    return [
        op
        for op in ops_in(function)
        if isinstance(op, nv_tileas.CancelNextProgramIdOp) and _is_in_loops_only(op, function)
    ]


def _is_in_loops_only(op: Operation, function: nv_tileaa.FuncOp) -> bool:
    parent = op.parent_op()
    is_repeated = parent is not function
    while isinstance(parent, scf.ForOp | scf.WhileOp):
        parent = parent.parent_op()
    return is_repeated and parent is function


@dataclass(frozen=True)
class AskEarly(RewritePattern):
    """Moves a request to the start of the iteration; the answer is read at the request's former
    place.
    """

    function: nv_tileaa.FuncOp

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nv_tileas.CancelNextProgramIdOp, rewriter: PatternRewriter
    ) -> None:
        if not _is_in_loops_only(op, self.function):
            return
        block, first = op.parent, self.function.body.block
        assert block is not None
        # Once for the kernel, as mbarriers are initialised once.
        entry = Builder(InsertPoint.at_start(first))
        pipeline, *iterators = build_pipeline(entry, [ANSWER], STAGES)
        starts = [iterator.result for iterator in iterators]
        filled, emptied = carry_from(first, block, starts, rewriter)
        _ask(pipeline.producer, filled, op)
        _read_answer(pipeline.consumer, emptied, op, rewriter)


@dataclass(frozen=True)
class AskAlone(RewritePattern):
    """Moves a request as `AskEarly` does, without a pipeline, in a function of one agent."""

    function: nv_tileaa.FuncOp

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nv_tileas.CancelNextProgramIdOp, rewriter: PatternRewriter
    ) -> None:
        if not _is_in_loops_only(op, self.function):
            return
        request = nv_tileas.AsyncCancelNextProgramIdOp()
        request.location = op.location
        block = op.parent
        assert block is not None
        rewriter.insert(request, InsertPoint.at_start(block))
        replace_op(rewriter, op, nv_tileas.FutureWaitOp(request.result))


def _ask(token: SSAValue, iterator: BlockArgument, op: Operation) -> None:
    def request(body: Builder, stage: Sequence[BlockArgument]) -> Sequence[SSAValue]:
        started = body.insert(nv_tileas.AsyncCancelNextProgramIdOp(stage[0]))
        started.location = op.location
        return stage

    # As early as possible: the answer takes a round trip to the scheduler of the grid.
    builder = Builder(InsertPoint.at_start(iterator.block))
    # The requesting agent reads the answer itself.
    produced = build_produce_one_async(builder, token, iterator, request, [ANSWER])
    produced.location = op.location
    following = build_inc_iter(builder, iterator).result
    forward_instead(iterator.block, [iterator], [following])


def _read_answer(
    token: SSAValue,
    iterator: BlockArgument,
    op: nv_tileas.CancelNextProgramIdOp,
    rewriter: PatternRewriter,
) -> None:
    builder = Builder(InsertPoint.before(op))
    released, (answer,) = build_consumer_handshake(builder, token, iterator, 0)
    program = nv_tileas.ReadProgramIdOp(answer)
    program.location = op.location
    assert isinstance(released.owner, Operation)
    rewriter.insert(program, InsertPoint.before(released.owner))
    following = build_inc_iter(builder, iterator).result
    forward_instead(iterator.block, [iterator], [following])
    rewriter.replace(op, (), [program.result])
