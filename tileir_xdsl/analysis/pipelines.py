"""Which pipeline a token belongs to, and who consumes what it holds."""

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.dialects.nv_tileas import (
    AgentSwitchOp,
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreatePipelineOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)

TOKEN_USERS = (
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)
"""The ops that take the token of a pipeline and give it back as their first result."""

CONSUMERS = (ConsumeOneAsyncOp, ConsumeOneOp, ConsumerReadOp, ConsumerWaitOp)
"""The ops that say which consumer they are."""


def pipeline_of(token: SSAValue) -> CreatePipelineOp | None:
    """The op that made the pipeline of a token; None where the program's text does not tell."""
    current: SSAValue | None = token
    while current is not None:
        if isinstance(current.owner, CreatePipelineOp):
            return current.owner
        current = _token_before(current)
    return None


def consumers_of(pipeline: CreatePipelineOp) -> frozenset[int]:
    """The numbers of the consumers of a pipeline."""
    root: Operation = pipeline
    while (parent := root.parent_op()) is not None:
        root = parent
    return frozenset(
        op.consumer_idx.value.data
        for op in root.walk()
        if isinstance(op, CONSUMERS) and pipeline_of(op.token) is pipeline
    )


def _token_before(token: SSAValue) -> SSAValue | None:
    """The token that this one goes on from."""
    match token:
        case BlockArgument(owner=block, index=index):
            return _token_of_argument(block, index)
        case OpResult(op=op, index=index):
            return _token_of_result(op, index)
        case _:
            return None


def _token_of_argument(block: Block, index: int) -> SSAValue | None:
    match block.parent_op():
        case AgentSwitchOp() as op:
            return op.inputs[index]
        case scf.ForOp() as op:
            return op.iter_args[index - 1] if index else None
        case scf.WhileOp() as op if block.parent is op.before_region:
            return op.arguments[index]
        case scf.WhileOp() as op:
            return _condition_of(op).operands[index + 1]
        case _:
            return None


def _token_of_result(op: Operation, index: int) -> SSAValue | None:
    match op:
        case scf.ForOp():
            return op.iter_args[index]
        case scf.IfOp():
            last = op.true_region.block.last_op
            return None if last is None else last.operands[index]
        case scf.WhileOp():
            return _condition_of(op).operands[index + 1]
        case _ if isinstance(op, TOKEN_USERS) and not index:
            return op.token
        case _:
            return None


def _condition_of(loop: scf.WhileOp) -> Operation:
    """What ends the first region of a loop, with its condition before the values."""
    condition = loop.before_region.block.last_op
    assert isinstance(condition, scf.ConditionOp)
    return condition
