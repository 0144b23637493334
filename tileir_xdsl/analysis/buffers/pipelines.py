"""The pipeline of a token, and the ops that fill and read its stages."""

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, Region, SSAValue

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerStepOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.control import ANSWER
from tileir_xdsl.dialects.nv_tileas.interfaces import StageTokenOpInterface
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.targets.atoms import Memory

CONSUMERS = (ConsumeOp, nv_tileas.ConsumerReadOp, nv_tileas.ConsumerWaitOp)
"""The ops that state the number of their consumer."""


def pipeline_of(token: SSAValue) -> nv_tileas.CreatePipelineOp | None:
    """The op that made the pipeline of a token; None if it cannot be determined.

    A loop may begin with a null token; then the token that the loop yields determines the pipeline.
    """
    owners = (current.owner for current in _origins(token))
    return next((owner for owner in owners if isinstance(owner, nv_tileas.CreatePipelineOp)), None)


def releases_of(token: SSAValue) -> Iterator[nv_tileas.ConsumerReleaseOp]:
    """The ops that release the stage that a token owns."""
    for use in token.uses:
        if isinstance(use.operation, nv_tileas.ConsumerReleaseOp):
            yield use.operation


def is_null(token: SSAValue) -> bool:
    """Whether a token owns no stage on any path: all tokens that it may come from are null."""
    return all(isinstance(origin.owner, nv_tileas.CreateNullTokenOp) for origin in _origins(token))


def _origins(token: SSAValue) -> Iterator[SSAValue]:
    """The tokens without predecessors that a token may come from, the nearest first."""
    seen: set[SSAValue] = set()
    pending = [token]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        before = _tokens_before(current)
        if not before:
            yield current
        pending += reversed(before)


def holds_accumulators(pipeline: nv_tileas.CreatePipelineOp) -> bool:
    """Whether the stages of a pipeline are in tensor memory, for MMAs to fill."""
    return any(memory_of(view.type) is Memory.TENSOR for view in pipeline.buffer_views)


def holds_answers(pipeline: nv_tileas.CreatePipelineOp) -> bool:
    """Whether the stages of a pipeline hold answers to requests for the next tile block."""
    return tuple(payload_of(pipeline)) == (ANSWER,)


def reads_answer(op: Operation) -> bool:
    """Whether an op helps to read the answer to a request for a tile block from its stage."""
    if isinstance(op, nv_tileas.ReadProgramIdOp):
        return True
    if not isinstance(op, ConsumerStepOp):
        return False
    pipeline = pipeline_of(op.token)
    return pipeline is not None and holds_answers(pipeline)


def is_in_pipeline(op: Operation) -> bool:
    """Whether a copy fills a stage: its destination is an argument of the producer's region, or a
    view of that argument.
    """
    buffer = getattr(op, "destination", None)
    while isinstance(buffer, OpResult) and isinstance(buffer.op, BufferViewOpInterface):
        buffer = buffer.op.operands[0]
    if not isinstance(buffer, BlockArgument):
        return False
    parent = buffer.block.parent_op()
    return isinstance(parent, ProduceOp)


def payload_of(pipeline: nv_tileas.CreatePipelineOp) -> Sequence[Attribute]:
    """The types of the values in a stage, which iterators state; empty without iterators."""
    for token in pipeline.results:
        for use in token.uses:
            if isinstance(use.operation, nv_tileas.CreateIteratorOp):
                type = use.operation.result.type
                assert isinstance(type, nv_tileas.PipelineIteratorType)
                return type.payload.data
    return ()


def _tokens_before(token: SSAValue) -> list[SSAValue]:
    """The tokens from which a token directly comes."""
    match token:
        case BlockArgument(owner=block, index=index):
            return _tokens_of_argument(block, index)
        case OpResult(op=op, index=index):
            return _tokens_of_result(op, index)
        case _:
            return []


def _tokens_of_argument(block: Block, index: int) -> list[SSAValue]:
    match block.parent_op():
        case nv_tileaa.AgentLikeOpInterface() as op:
            return [op.inputs[index]]
        case scf.ForOp() as op if index:
            return [op.iter_args[index - 1], _end_of(op.body).operands[index - 1]]
        case scf.WhileOp() as op if block.parent is op.before_region:
            return [op.arguments[index], _end_of(op.after_region).operands[index]]
        case scf.WhileOp() as op:
            return [_end_of(op.before_region).operands[index + 1]]
        case _:
            return []


def _tokens_of_result(op: Operation, index: int) -> list[SSAValue]:
    match op:
        case scf.ForOp():
            return [op.iter_args[index], _end_of(op.body).operands[index]]
        case scf.IfOp():
            arms = (region for region in op.regions if region.blocks)
            return [_end_of(arm).operands[index] for arm in arms]
        case scf.WhileOp():
            return [_end_of(op.before_region).operands[index + 1]]
        case StageTokenOpInterface() if not index:
            return [op.token]
        case _:
            return []


def _end_of(region: Region) -> Operation:
    """The terminator of a region; a loop's condition comes before the values it forwards."""
    last = region.block.last_op
    assert last is not None
    return last
