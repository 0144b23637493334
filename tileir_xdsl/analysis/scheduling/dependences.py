"""Dependences of the ops of a loop body, within an iteration and on earlier ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.values.carried_values import is_seen
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.async_handshakes import (
    ConsumerReleaseOp,
    ConsumerWaitOp,
    IncIterOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Dependence:
    """A dependence of an op on an op `distance` iterations earlier."""

    before: Operation
    after: Operation
    distance: int
    is_chained: bool = False
    """Whether the op need not wait for the result, because the matrix unit accumulates in order."""


def body_ops(loop: scf.ForOp) -> tuple[Operation, ...]:
    """The ops of a loop's block, without the terminator."""
    return tuple(
        op
        for op in loop.body.block.ops
        if not op.has_trait(IsTerminator, value_if_unregistered=False)
    )


def dependences_of(loop: scf.ForOp) -> tuple[Dependence, ...]:
    """The dependences between the ops of a loop's block, in the order of the program.

    Ops with observable memory effects keep their order. Only ops that fill the stages of a pipeline
    may be reordered, because handshakes order them.
    """
    block = loop.body.block
    terminator = block.last_op
    assert terminator is not None
    found: dict[tuple[Operation, Operation, int, bool], None] = {}
    ordered: Operation | None = None
    for op in block.ops:
        for inner in ops_in(op):
            for operand in inner.operands:
                if operand.owner is block:
                    assert isinstance(operand, BlockArgument)
                    made = terminator.operands[operand.index - 1].owner if operand.index else None
                    if isinstance(made, Operation) and made.parent is block:
                        found[made, op, 1, _adds_to(op, operand)] = None
                elif isinstance(operand.owner, Operation):
                    made = block.find_ancestor_op_in_block(operand.owner)
                    if made is not None and made is not op:
                        found[made, op, 0, _adds_to(op, operand)] = None
        if is_seen(op) and not isinstance(op, ProduceOp | IncIterOp):
            if ordered is not None:
                found[ordered, op, 0, True] = None
            ordered = op
    for key in _handshakes(block):
        found[key] = None
    return tuple(
        Dependence(*key)
        for key in found
        if not key[1].has_trait(IsTerminator, value_if_unregistered=False)
    )


def _adds_to(op: Operation, operand: SSAValue) -> bool:
    return issues_mma(op) and operand is op.c and isinstance(operand.type, ValueType)


def _handshakes(block: Block) -> Iterator[tuple[Operation, Operation, int, bool]]:
    """The order of handshakes: a stage is filled before its wait, and emptied before its refill."""
    ends = [
        op for op in block.ops if isinstance(op, ProduceOp | ConsumerWaitOp | ConsumerReleaseOp)
    ]
    pipelines = {op: pipeline_of(op.token) for op in ends}
    for produced in ends:
        pipeline = pipelines[produced]
        if not isinstance(produced, ProduceOp) or pipeline is None:
            continue
        for other in ends:
            if pipelines[other] is not pipeline:
                continue
            if isinstance(other, ConsumerWaitOp):
                yield produced, other, 0, False
            elif isinstance(other, ConsumerReleaseOp):
                # A carried token is that of the iteration before: its stage is free one later.
                held = isinstance(other.token.owner, Block)
                yield other, produced, pipeline.num_stages.value.data - held, False


def delay(
    dependence: Dependence, latency: Mapping[Operation, int], cycles: Mapping[Operation, int]
) -> int:
    """The cycles from the start of an op to the earliest start of an op that depends on it."""
    return (cycles if dependence.is_chained else latency)[dependence.before]


def longest_cycle_ratio(
    ops: Sequence[Operation],
    dependences: Sequence[Dependence],
    latency: Mapping[Operation, int],
    cycles: Mapping[Operation, int],
) -> int:
    """The fewest cycles between iterations that carried values allow.

    This is the largest sum of latencies per iteration on a cycle of dependences.
    """
    low, high = 0, sum(latency.values())
    while low < high:
        middle = (low + high) // 2
        if _has_positive_cycle(ops, dependences, latency, cycles, middle):
            low = middle + 1
        else:
            high = middle
    return low


def _has_positive_cycle(
    ops: Sequence[Operation],
    dependences: Sequence[Dependence],
    latency: Mapping[Operation, int],
    cycles: Mapping[Operation, int],
    interval: int,
) -> bool:
    start = dict.fromkeys(ops, 0)
    for _ in range(len(ops) + 1):
        changed = False
        for d in dependences:
            earliest = start[d.before] + delay(d, latency, cycles) - interval * d.distance
            if earliest > start[d.after]:
                start[d.after] = earliest
                changed = True
        if not changed:
            return False
    return True
