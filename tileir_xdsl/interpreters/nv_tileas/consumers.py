"""Finds the consumers of a pipeline from the uses of its token."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.agents import consumer_number

ConsumerOp = (
    dialect.ConsumeOneAsyncOp
    | dialect.ConsumeOneOp
    | dialect.ConsumerReadOp
    | dialect.ConsumerWaitOp
)
"""The ops that name their consumer by number."""


def consumer(op: ConsumerOp) -> int:
    """The number of an op's consumer."""
    return consumer_number(op, op.consumer_idx.value.data)


def consumers_of(pipeline: dialect.CreatePipelineOp) -> frozenset[int]:
    """The numbers of the consumers of a pipeline."""
    found: set[int] = set()
    seen: set[SSAValue] = set()
    pending: list[SSAValue] = list(pipeline.results)
    while pending:
        token = pending.pop()
        if token in seen:
            continue
        seen.add(token)
        for use in token.uses:
            if isinstance(use.operation, ConsumerOp) and use.operation.token is token:
                found.add(consumer(use.operation))
            pending += _continued(use.operation, use.index)
    return frozenset(found)


def _continued(user: Operation, index: int) -> Sequence[SSAValue]:
    """The tokens that result from the token that is operand `index` of an op."""
    match user:
        case nv_tileaa.AgentLikeOpInterface():
            return [region.block.args[index] for region in user.regions]
        case scf.ForOp() if index > 2:
            return user.body.block.args[index - 2], user.results[index - 3]
        case scf.WhileOp():
            return (user.before_region.block.args[index],)
        case scf.ConditionOp() if index:
            loop = user.parent_op()
            assert isinstance(loop, scf.WhileOp)
            return loop.after_region.block.args[index - 1], loop.results[index - 1]
        case scf.YieldOp():
            return _yielded(user.parent_op(), index)
        case _ if _takes_token(user, index):
            return user.results[:1]
        case _:
            return ()


def _yielded(parent: Operation | None, index: int) -> Sequence[SSAValue]:
    match parent:
        case scf.ForOp():
            return parent.body.block.args[index + 1], parent.results[index]
        case scf.WhileOp():
            return (parent.before_region.block.args[index],)
        case scf.IfOp():
            return (parent.results[index],)
        case _:
            return ()


def _takes_token(op: Operation, index: int) -> bool:
    """Whether a pipeline op takes a token as first operand, and returns it as first result."""
    tokens = dialect.PipelineConsumerTokenType | dialect.PipelineProducerTokenType
    return bool(op.results) and isinstance(op.results[0].type, tokens) and not index
