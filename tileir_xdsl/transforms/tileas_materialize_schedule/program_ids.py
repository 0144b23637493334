"""The agent that requests the next tile block reads the answer directly; other agents read it from
the pipeline.

%p1, %done, %answer = produce_one_async %p, %in {     // the agent that asks
  .. async.cancel_next_program_id into %stage
}
async.wait %done
%mine = read_program_id %answer

%w = consumer_wait %c, %out                            // the agent that computes
%r, %tile = consumer_read %w
%next = read_program_id %tile
consumer_release %r

In a cluster, one CTA sends the request for all CTAs. So each loading agent reads the answer from
the pipeline, as other agents do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of, reads_answer
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.core import cluster_shape
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class OwnAnswers:
    """The ops by which the requesting agent reads answers, and their results."""

    ops: tuple[Operation, ...]
    instead: Mapping[SSAValue, SSAValue]
    releases: tuple[Operation, ...] = ()
    """The releases of stages from which the agent reads answers as others do."""

    def erase(self, function: nv_tileaa.FuncOp) -> None:
        """Erases the ops, which have no users."""
        pattern = EraseOwnAnswer(frozenset(self.ops))
        DispatchWalker(
            {nv_tileas.WaitOp: pattern, nv_tileas.ReadProgramIdOp: pattern}, walk_reverse=True
        ).rewrite(function)


def insert_own_answers(function: nv_tileaa.FuncOp) -> OwnAnswers:
    """Inserts reads of the requesting agent for each answer, where the other agent waits for it."""
    requests = {pipeline_of(op.token): op for op in _requests(function)}
    if not requests:
        return OwnAnswers((), {})
    if prod(cluster_shape(function)) > 1:
        releases = (op for op in ops_in(function) if isinstance(op, nv_tileas.ConsumerReleaseOp))
        return OwnAnswers((), {}, tuple(filter(reads_answer, releases)))
    pattern = ReadOwnAnswer(requests)
    DispatchWalker({nv_tileas.ReadProgramIdOp: pattern}).rewrite(function)
    return OwnAnswers(tuple(pattern.ops), pattern.instead)


@dataclass
class ReadOwnAnswer(RewritePattern):
    """Reads an answer from its stage, where it is also read by another agent."""

    requests: Mapping[nv_tileas.CreatePipelineOp | None, nv_tileas.ProduceOneAsyncOp]
    """By pipeline."""
    ops: list[Operation] = field(default_factory=list[Operation])
    instead: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.ReadProgramIdOp, rewriter: PatternRewriter) -> None:
        given = op.answer.owner
        if not isinstance(given, nv_tileas.ConsumerReadOp):
            return
        request = self.requests.get(pipeline_of(given.token))
        # In another block the answer may be of another iteration.
        if request is None or request.parent is not given.parent or not request.values:
            return
        # The agent that asks holds no consumer token, so it waits for the copy itself.
        waited = nv_tileas.WaitOp([request.completion])
        mine = nv_tileas.ReadProgramIdOp(request.values[0])
        mine.location = op.location
        rewriter.insert([waited, mine], InsertPoint.before(given))
        self.ops += [waited, mine]
        self.instead[op.result] = mine.result


@dataclass(frozen=True)
class EraseOwnAnswer(RewritePattern):
    """Erases an op that was inserted to read an answer."""

    ops: frozenset[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op in self.ops:
            rewriter.erase(op)


def _requests(function: nv_tileaa.FuncOp) -> Iterator[nv_tileas.ProduceOneAsyncOp]:
    """The ops that fill a stage with the answer to a request."""
    for op in ops_in(function):
        if isinstance(op, nv_tileas.ProduceOneAsyncOp) and any(
            isinstance(inner, nv_tileas.AsyncCancelNextProgramIdOp) for inner in op.body.block.ops
        ):
            yield op
