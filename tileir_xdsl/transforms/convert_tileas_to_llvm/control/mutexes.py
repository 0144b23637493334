"""Mutexes: a named barrier for each participant, at which it waits for its predecessor.

    acquire_mutex  ->  bar.sync  (its barrier), (threads of the one before and of itself)
    release_mutex  ->  bar.arrive (barrier of the next), (threads of itself and of the next)

The last participant arrives at the barrier of the first one when the mutex is created, so that the
first acquire does not wait. A single barrier would not suffice: a participant that arrives without
waiting could arrive again before the others have been released. Barrier numbers follow those of the
agents. Source: PTX ISA, "bar".
"""

from abc import abstractmethod
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
    AgentSwitchOp,
    CreateMutexOp,
    ReleaseMutexOp,
)
from tileir_xdsl.dialects.nv_tileas.mutexes import MutexOp
from tileir_xdsl.dialects.nvvm.synchronization import BarrierArriveOp, BarrierOp

from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter

NAMED_BARRIERS = 16
"""Named barriers per block (PTX ISA, "bar"); number 0 is that of all threads."""


@dataclass(frozen=True)
class Participant:
    """Some warps of a block, and the barrier at which they wait."""

    first_warp: int
    warps: int
    barrier: int


def mutex_of(value: SSAValue) -> CreateMutexOp:
    """The op that made a mutex. Raises `PassFailedException` where it cannot be determined
    statically.
    """
    owner = value.owner
    # Agents may get a mutex as an operand; no other op forwards one.
    while isinstance(value, BlockArgument) and isinstance(
        switch := value.block.parent_op(), AgentSwitchOp
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
    agents = [len(op.bodies) for op in function.walk() if isinstance(op, AgentSwitchOp)]
    # Barrier 0 is that of all threads, then one for each agent.
    number = 1 + max(agents, default=0)
    for op in function.walk():
        # Numbers follow the order of the program, so that every op finds the same ones.
        if isinstance(op, CreateMutexOp):
            if op is mutex:
                break
            number += op.participants.value.data
    if number + mutex.participants.value.data > NAMED_BARRIERS:
        fail(mutex, "fails to assign named barrier")
    return number


def participants_of(mutex: CreateMutexOp) -> Sequence[Participant]:
    """The warps of each participant, as stated by the ops on a mutex.

    Raises `PassFailedException` where a participant has no statement, or contradicting ones.
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
        fail(mutex, f"'{mutex.name}' op expects each participant to be one group of warps")
    return [
        Participant(first, warps, number + index) for index, ((first, warps),) in enumerate(found)
    ]


def _ops_on(mutex: CreateMutexOp) -> Iterator[MutexOp]:
    for op in function_of(mutex).walk():
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
        fail(op, f"'{op.name}' op expects {participants} warpgroups, but {warps} warps run it")
    return [(first + WARPS_PER_GROUP * group, WARPS_PER_GROUP) for group in range(participants)]


class LowerCreateMutex(LowerOp[CreateMutexOp]):
    """The last participant releases the first one."""

    def lower(self, op: CreateMutexOp, rewriter: ThreadRewriter) -> None:
        # In a loop the first participant would be released again by a barrier still in use.
        if not isinstance(op.parent_op(), nv_tileaa.FuncOp):
            fail(op, f"'{op.name}' op is expected outside of loops and agents")
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


class LowerMutexOp(LowerOp[MutexOp]):
    """An acquire or release by the warps of a participant; each warpgroup of an agent is one."""

    @abstractmethod
    def take_part(
        self, number: int, participants: Sequence[Participant], rewriter: ThreadRewriter
    ) -> None:
        """The acquire or release of one participant."""

    def lower(self, op: MutexOp, rewriter: ThreadRewriter) -> None:
        builder, participants = rewriter.builder, participants_of(mutex_of(op.mutex))
        if op.participant is not None:
            self.take_part(op.participant.value.data, participants, rewriter)
            return
        shift = builder.integer(WARPS_PER_GROUP.bit_length() - 1, i32)
        group = builder.compute(llvm.LShrOp, warp_index(rewriter), shift)
        for number in range(len(participants)):
            is_group = builder.compare("eq", group, builder.integer(number, i32))
            after = only_where(rewriter, is_group)
            self.take_part(number, participants, rewriter)
            go_on(rewriter, after)


class LowerAcquireMutex(LowerMutexOp):
    def take_part(
        self, number: int, participants: Sequence[Participant], rewriter: ThreadRewriter
    ) -> None:
        barrier = BarrierOp(*_barrier_of(number, participants, rewriter))
        rewriter.builder.insert_without_result(barrier)


class LowerReleaseMutex(LowerMutexOp):
    def take_part(
        self, number: int, participants: Sequence[Participant], rewriter: ThreadRewriter
    ) -> None:
        _arrive_for((number + 1) % len(participants), participants, rewriter)


def _arrive_for(number: int, participants: Sequence[Participant], rewriter: ThreadRewriter) -> None:
    arrive = BarrierArriveOp(*_barrier_of(number, participants, rewriter))
    rewriter.builder.insert_without_result(arrive)


def _barrier_of(
    number: int, participants: Sequence[Participant], rewriter: ThreadRewriter
) -> tuple[SSAValue, SSAValue]:
    """The barrier of a participant, and how many threads take part in it."""
    # Those that wait and those that arrive; -1 makes the last one the predecessor of the first.
    warps = participants[number].warps + participants[number - 1].warps
    barrier = participants[number].barrier
    return (
        rewriter.builder.integer(barrier, i32),
        rewriter.builder.integer(warps * THREADS_PER_WARP, i32),
    )


PATTERNS: Patterns = {
    AcquireMutexOp: LowerAcquireMutex,
    CreateMutexOp: LowerCreateMutex,
    ReleaseMutexOp: LowerReleaseMutex,
}
