"""In-order timing of the ops of a loop that one agent issues.

An agent runs its ops in order. Warpgroup MMAs run one after the other while the agent continues,
until it waits for them. Copies into stages take no time, because they start early enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import AwaitOp

from .occupancy import Occupancy

ITERATIONS = 4
"""The iterations after which each iteration takes as long as the previous one."""


@dataclass(frozen=True)
class LoopOrder:
    """The ops of a loop's body in an order, and the iteration that each works on.

    An op of offset 1 works on the next iteration, one of offset -1 on the one before.
    """

    ops: tuple[Operation, ...]
    offsets: Mapping[Operation, int]

    def offset(self, op: Operation) -> int:
        """The iteration that an op works on, relative to that of the other ops."""
        return self.offsets.get(op, 0)


@dataclass(frozen=True)
class Timing:
    """The cycles of an iteration, and when the ops start in it."""

    interval: int
    start: Mapping[Operation, int]


def in_order_timing(
    loop: scf.ForOp, order: LoopOrder, occupancies: Mapping[Operation, Occupancy]
) -> Timing:
    """The steady-state time of an iteration with its ops in an order."""
    done: dict[tuple[Operation | Block, int], int] = {}
    start: dict[Operation, int] = {}
    now = free = begin = 0
    for iteration in range(ITERATIONS):
        begin = now
        for op in order.ops:
            own = iteration + order.offset(op)
            start[op] = now - begin
            if is_asynchronous_mma(op):
                occupancy = occupancies[op]
                free = max(now, free) + occupancy.cycles
                done[op, own] = free + occupancy.latency - occupancy.cycles
            elif isinstance(op, AwaitOp):
                for source in op.operands:
                    mma, distance = started_by_mma(source, loop)
                    if isinstance(op, nv_tileas.WaitOp) and is_left_to_hardware(mma):
                        continue
                    now = max(now, done.get((mma, own - distance), now))
                start[op] = now - begin
            elif not isinstance(op, ProduceOp):
                now += occupancies[op].cycles
    return Timing(now - begin, start)


def is_left_to_hardware(mma: Operation | Block) -> bool:
    """Whether the hardware, not the threads, executes a wait for an MMA without a result."""
    return isinstance(mma, Operation) and is_tensor_memory_mma(mma)


def started_by_mma(value: SSAValue, loop: scf.ForOp) -> tuple[Operation | Block, int]:
    """The op that started a value, and how many iterations earlier."""
    distance = 0
    if isinstance(value, BlockArgument) and value.block is loop.body.block and value.index:
        end = loop.body.block.last_op
        assert end is not None
        value, distance = end.operands[value.index - 1], 1
    return value.owner, distance
