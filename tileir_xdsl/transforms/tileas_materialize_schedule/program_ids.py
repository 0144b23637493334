"""The agent that requests the next tile block reads the answer itself; others read it from the
pipeline.

%p1, %done, %answer = produce_one_async %p, %in {     // the agent that asks
  .. async.cancel_next_program_id into %stage
}
async.wait %done
%mine = read_program_id %answer

%w = consumer_wait %c, %out                            // the agent that computes
%r, %tile = consumer_read %w
%next = read_program_id %tile
consumer_release %r
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas


@dataclass(frozen=True)
class OwnAnswers:
    """The ops by which the requesting agent reads answers, and their results."""

    ops: tuple[Operation, ...]
    instead: Mapping[SSAValue, SSAValue]

    def erase(self, rewriter: PatternRewriter) -> None:
        """Removes the ops, which nothing uses."""
        for op in reversed(self.ops):
            rewriter.erase(op)


def insert_own_answers(function: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> OwnAnswers:
    """Makes the requesting agent read each answer where the other agent waits for it."""
    ops: list[Operation] = []
    instead: dict[SSAValue, SSAValue] = {}
    requests = {pipeline_of(op.token): op for op in _requests(function)}
    for read in [op for op in function.walk() if isinstance(op, nv_tileas.ReadProgramIdOp)]:
        given = read.answer.owner
        if not isinstance(given, nv_tileas.ConsumerReadOp):
            continue
        request = requests.get(pipeline_of(given.token))
        if request is None or request.parent is not given.parent or not request.values:
            continue
        builder = Builder(InsertPoint.before(given))
        waited = builder.insert(nv_tileas.WaitOp([request.completion]))
        mine = builder.insert(nv_tileas.ReadProgramIdOp(request.values[0]))
        mine.location = read.location
        rewriter.notify_op_modified(function)
        ops += [waited, mine]
        instead[read.result] = mine.result
    return OwnAnswers(tuple(ops), instead)


def _requests(function: nv_tileaa.FuncOp) -> Iterator[nv_tileas.ProduceOneAsyncOp]:
    """The ops that fill a stage with the answer to a request."""
    for op in function.walk():
        if isinstance(op, nv_tileas.ProduceOneAsyncOp) and any(
            isinstance(inner, nv_tileas.AsyncCancelNextProgramIdOp) for inner in op.body.block.ops
        ):
            yield op
