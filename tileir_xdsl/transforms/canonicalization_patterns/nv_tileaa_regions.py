"""Removes unused yielded values."""

from collections.abc import Sequence
from typing import TypeVar

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.dialects.nv_tileaa.functions import ExecuteOp
from tileir_xdsl.dialects.nv_tileaa.hints import MarkForReuseOp, PragmaOp
from tileir_xdsl.dialects.nv_tileaa.queues import (
    CreateQueueOp,
    QueueGetOp,
    QueuePutOp,
    QueueYieldOp,
)
from tileir_xdsl.dialects.nv_tileaa.types import QueueType
from tileir_xdsl.dialects.nv_tileaa.yields import YieldOp
from tileir_xdsl.rewriting import replace_op

ItemT = TypeVar("ItemT")


def _select(items: Sequence[ItemT], chosen: Sequence[bool]) -> list[ItemT]:
    return [item for item, choice in zip(items, chosen, strict=True) if choice]


class DropUnusedResultsOfPragma(RewritePattern):
    """Removes unused results of a pragma; the others keep their order."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PragmaOp, rewriter: PatternRewriter, /) -> None:
        used = [bool(result.uses) for result in op.outputs]
        if all(used):
            return
        terminator = op.body.block.last_op
        assert isinstance(terminator, YieldOp)
        replace_op(rewriter, terminator, YieldOp(_select(terminator.values, used)))
        kept = PragmaOp.create(
            result_types=[result.type for result in _select(op.outputs, used)],
            properties=op.properties,
            attributes=op.attributes,
            regions=[op.detach_region(op.body)],
        )
        results = iter(kept.results)
        replace_op(rewriter, op, kept, [next(results) if use else None for use in used])


class DropUnusedValuesOfQueue(RewritePattern):
    """Removes queue elements that no `queue.get` uses; the others keep their order.

    If all are unused, the first one stays, since a queue needs an element.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CreateQueueOp, rewriter: PatternRewriter, /) -> None:
        names = _names_of(op.result)
        if names is None:
            return
        users = [use.operation for name in names for use in name.uses]
        gets = [user for user in users if isinstance(user, QueueGetOp)]
        puts = [user for user in users if isinstance(user, QueuePutOp)]
        used = [any(get.values[i].uses for get in gets) for i in range(_width(op))]
        # The type of a queue without elements does not verify, and the put still synchronises.
        used[0] |= not any(used)
        if all(used):
            return
        assert isinstance(op.result.type, QueueType)
        kept = _select(op.result.type.element_types.data, used)
        type = QueueType(kept, bool(op.result.type.isolated.data))
        for name in names:
            rewriter.replace_value_with_new_type(name, type)
        for put in puts:
            terminator = put.body.block.last_op
            assert isinstance(terminator, QueueYieldOp)
            replace_op(rewriter, terminator, QueueYieldOp(_select(terminator.values, used)))
        for get in gets:
            smaller = QueueGetOp.create(
                operands=get.operands,
                result_types=kept,
                properties=get.properties,
                attributes=get.attributes,
            )
            results = iter(smaller.results)
            replace_op(rewriter, get, smaller, [next(results) if use else None for use in used])


def _width(op: CreateQueueOp) -> int:
    assert isinstance(op.result.type, QueueType)
    return len(op.result.type.element_types)


def _names_of(queue: SSAValue) -> list[SSAValue] | None:
    """The queue and the block arguments that alias it; None if it has other uses."""
    names = [queue]
    for name in names:
        for use in name.uses:
            user = use.operation
            if isinstance(user, ExecuteOp):
                names += [body.block.args[use.index] for body in user.bodies]
            # A queue that leaves the function has users that are not seen here.
            elif not isinstance(user, QueueGetOp | QueuePutOp | MarkForReuseOp):
                return None
    return names


PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    CreateQueueOp: (DropUnusedValuesOfQueue(),),
    PragmaOp: (DropUnusedResultsOfPragma(),),
}
