"""Mutexes: each participant has a named barrier, at which it waits for its predecessor.

    acquire_mutex  ->  bar.sync  (its barrier), (threads of the one before and of itself)
    release_mutex  ->  bar.arrive (barrier of the next), (threads of itself and of the next)

When the mutex is created, the last participant arrives at the first one's barrier, so that the
first acquire does not wait. One barrier for all would not suffice: a participant that arrives
without waiting could arrive again before the others are released. The barrier numbers of mutexes
follow those of the agents. Source: PTX ISA, "bar".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
    WARPS_PER_GROUP,
    agent_around,
    function_of,
    kernel_warps,
)
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas import (
    AcquireMutexOp,
    CreateMutexOp,
    ReleaseMutexOp,
)
from tileir_xdsl.dialects.nv_tileas.mutexes import MutexOp
from tileir_xdsl.dialects.nvvm.synchronization import BarrierArriveOp, BarrierOp
from tileir_xdsl.walking import ops_in

from ..thread.builder import Index
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

NAMED_BARRIERS = 16
"""The number of named barriers per block (PTX ISA, "bar"); number 0 is the block's barrier."""


@dataclass(frozen=True)
class Participant:
    """Some warps of a block, and the barrier at which they wait."""

    first_warp: int
    warps: int
    barrier: int


def mutex_of(value: SSAValue) -> CreateMutexOp:
    """The `create_mutex` op of a mutex. Raises `PassFailedException` where the op cannot be
    determined statically.
    """
    owner = value.owner
    # Agents may get a mutex as an operand; no other op forwards one.
    while isinstance(value, BlockArgument) and isinstance(
        switch := value.block.parent_op(), nv_tileaa.AgentLikeOpInterface
    ):
        value = switch.inputs[value.index]
        owner = value.owner
    if isinstance(owner, CreateMutexOp):
        return owner
    at = owner if isinstance(owner, Operation) else owner.parent_op()
    assert at is not None
    fail(at, "fails to assign named barrier")


def first_barrier(mutex: CreateMutexOp) -> int:
    """The number of the first barrier of a mutex.

    Raises `PassFailedException` if there are not enough barriers.
    """
    function = function_of(mutex)
    number = _after_agents(function)
    for op in ops_in(function):
        # Numbers follow the order of the program, so that every op finds the same ones.
        if isinstance(op, CreateMutexOp):
            if op is mutex:
                break
            number += op.participants.value.data
    if number + mutex.participants.value.data > NAMED_BARRIERS:
        fail(mutex, "fails to assign named barrier")
    return number


def _after_agents(function: Operation) -> int:
    """The number of the first barrier after those of agents."""
    agents = [
        len(op.agent_bodies)
        for op in ops_in(function)
        if isinstance(op, nv_tileaa.AgentLikeOpInterface)
    ]
    # Barrier 0 is that of all threads, then one for each agent.
    return 1 + max(agents, default=0)


def free_named_barrier(function: Operation, warpgroups: int) -> int:
    """The number of the first of the free barriers, one for each of several warpgroups.

    Raises `PassFailedException` if too few barriers are left; one warpgroup needs none.
    """
    if warpgroups == 1:
        return 0
    mutexes = (op for op in ops_in(function) if isinstance(op, CreateMutexOp))
    taken = _after_agents(function) + sum(op.participants.value.data for op in mutexes)
    if taken + warpgroups > NAMED_BARRIERS:
        fail(function, "fails to assign named barrier")
    return taken


def participants_of(mutex: CreateMutexOp) -> Sequence[Participant]:
    """The warps of each participant, as the ops on a mutex specify them.

    Raises `PassFailedException` if a participant has no specification, or contradictory ones.
    """
    count, number = mutex.participants.value.data, first_barrier(mutex)
    found: list[set[tuple[int, int]]] = [set() for _ in range(count)]
    for op in _ops_on(mutex):
        warps = _warps_of(op, count)
        if op.participant is not None:
            found[op.participant.value.data].add(warps[0])
        else:
            for known, more in zip(found, warps, strict=True):
                known.add(more)
    # `bar` counts threads, and a changing number of warps might never reach it.
    if any(len(known) != 1 for known in found):
        fail(
            mutex,
            f"'{mutex.name}' op expects exactly one group of warps to act as each participant",
        )
    return [
        Participant(first, warps, number + index) for index, ((first, warps),) in enumerate(found)
    ]


def _ops_on(mutex: CreateMutexOp) -> Iterator[MutexOp]:
    for op in ops_in(function_of(mutex)):
        if isinstance(op, MutexOp) and mutex_of(op.mutex) is mutex:
            yield op


def _warps_of(op: MutexOp, participants: int) -> list[tuple[int, int]]:
    """The first warp and the number of warps of the participants of an op."""
    block = kernel_warps(function_of(op))
    agent = agent_around(op, block)
    first, warps = (0, block) if agent is None else (agent.first_warp, agent.warps)
    if op.participant is not None:
        return [(first, warps)]
    # Without a stated participant, the warpgroups are the participants in their order.
    if warps != participants * WARPS_PER_GROUP:
        fail(
            op,
            f"'{op.name}' op expects {participants} warpgroups to execute it, but {warps} warps do",
        )
    return [(first + WARPS_PER_GROUP * group, WARPS_PER_GROUP) for group in range(participants)]


class LowerCreateMutex(LowerOp[CreateMutexOp]):
    """Makes the last participant release the first one."""

    def lower(self, op: CreateMutexOp, rewriter: ThreadRewriter) -> None:
        # In a loop the first participant would be released again by a barrier still in use.
        if not isinstance(op.parent_op(), nv_tileaa.FuncOp):
            fail(op, f"'{op.name}' op must be directly in the body of a function")
        builder, participants = rewriter.builder, participants_of(op)
        last = participants[-1]
        distance = builder.integer(
            builder.subtract(warp_index(rewriter), last.first_warp, i32), i32
        )
        is_last = builder.compare("ult", distance, builder.integer(last.warps, i32))
        # Arrivals are counted by threads, so only the last participant's may arrive.
        after = only_where(rewriter, is_last)
        _arrive_for(0, participants, rewriter)
        go_on(rewriter, after)


class LowerAcquireMutex(LowerOp[AcquireMutexOp]):
    """Waits at the participant's barrier; each warpgroup of an agent is a participant."""

    def lower(self, op: AcquireMutexOp, rewriter: ThreadRewriter) -> None:
        participants = participants_of(mutex_of(op.mutex))
        number = _number(op, rewriter)
        rewriter.builder.insert_without_result(
            BarrierOp(*_barrier_of(number, participants, rewriter))
        )


class LowerReleaseMutex(LowerOp[ReleaseMutexOp]):
    """Arrives at the barrier of the next participant."""

    def lower(self, op: ReleaseMutexOp, rewriter: ThreadRewriter) -> None:
        builder, participants = rewriter.builder, participants_of(mutex_of(op.mutex))
        number = _number(op, rewriter)
        if isinstance(number, int):
            _arrive_for((number + 1) % len(participants), participants, rewriter)
            return
        is_last = builder.compare("eq", number, builder.integer(len(participants) - 1, i32))
        following = builder.integer(builder.add(number, 1, i32), i32)
        following = builder.select(is_last, builder.integer(0, i32), following)
        _arrive_for(following, participants, rewriter)


def _number(op: MutexOp, rewriter: ThreadRewriter) -> Index:
    """The index of the participant that executes an op: a constant, or its warpgroup's index."""
    if op.participant is not None:
        return op.participant.value.data
    builder = rewriter.builder
    shift = builder.integer(WARPS_PER_GROUP.bit_length() - 1, i32)
    return builder.compute(llvm.LShrOp, warp_index(rewriter), shift)


def _arrive_for(
    number: Index, participants: Sequence[Participant], rewriter: ThreadRewriter
) -> None:
    arrive = BarrierArriveOp(*_barrier_of(number, participants, rewriter))
    rewriter.builder.insert_without_result(arrive)


def _barrier_of(
    number: Index, participants: Sequence[Participant], rewriter: ThreadRewriter
) -> tuple[SSAValue, SSAValue]:
    """The barrier of a participant, and the number of threads at it.

    A barrier number may be in a register, so that warpgroups need no branches.
    """
    builder = rewriter.builder
    # Warpgroups have as many warps as each other; of others the number is known.
    own = number if isinstance(number, int) else 0
    # Those that wait and those that arrive; -1 makes the last one the predecessor of the first.
    warps = participants[own].warps + participants[own - 1].warps
    barrier = builder.add(number, participants[0].barrier, i32)
    return builder.integer(barrier, i32), builder.integer(warps * THREADS_PER_WARP, i32)


PATTERNS: Patterns = {
    AcquireMutexOp: LowerAcquireMutex,
    CreateMutexOp: LowerCreateMutex,
    ReleaseMutexOp: LowerReleaseMutex,
}
