"""Knowledge of threads about completed work, forwarded by barriers, fences, handshakes and waits.

The threads that execute a region (an agent or a whole thread block) run one program, each at its
own pace. `tick` counts the barriers at which these threads have synchronised. All of them know what
each did before the last barrier. Asynchronous work is complete for threads that have waited for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from xdsl.ir import Operation


@dataclass(eq=False)
class Clock:
    """Complete work: for each group of threads up to a tick, and complete asynchronous work."""

    ticks: dict[Threads, int] = field(default_factory=dict["Threads", int])
    flights: set[Flight] = field(default_factory=set["Flight"])

    def copy(self) -> Clock:
        """A copy of the clock."""
        return Clock(self.ticks.copy(), set(self.flights))

    def join(self, other: Clock) -> None:
        """Adds the contents of another clock."""
        for threads, tick in other.ticks.items():
            if self.ticks.get(threads, -1) < tick:
                self.ticks[threads] = tick
        self.flights |= other.flights

    def says(self, actor: Threads | Flight, tick: int) -> bool:
        """Whether an actor's accesses at a tick are complete; asynchronous work has tick 0 only."""
        if isinstance(actor, Flight):
            return actor in self.flights
        return self.ticks.get(actor, -1) >= tick

    def names(self, actor: Threads | Flight) -> bool:
        """Whether any access of an actor is complete."""
        return self.says(actor, 0)


class Start(Enum):
    """The kinds of asynchronous work that ops start, by the way of waiting."""

    THREAD_COPY = auto()
    """Copies of each thread, in groups: `cp.async`."""
    BULK_LOAD = auto()
    """All threads wait for the work at an mbarrier."""
    BULK_STORE = auto()
    """Only the issuing thread waits for the work."""
    WARPGROUP_MMA = auto()
    TENSOR_MMA = auto()


@dataclass(eq=False)
class Flight:
    """Asynchronous work that an op has started.

    `arrivals` has the work of the threads before they arrived at the mbarrier of this work.
    """

    op: Operation
    start: Start
    arrivals: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class Message:
    """Knowledge that an mbarrier forwards to waiting threads: complete work, and fenced work.

    `tensor` has tensor-memory accesses before a fence that precedes the arrival.
    """

    over: Clock = field(default_factory=Clock)
    fenced: Clock = field(default_factory=Clock)
    tensor: Clock = field(default_factory=Clock)

    def add(self, other: Message) -> None:
        """Adds the message of another arrival."""
        self.over.join(other.over)
        self.fenced.join(other.fenced)
        self.tensor.join(other.tensor)


@dataclass(eq=False)
class Threads:
    """The threads that execute a region, and what they know.

    All threads know `known` as complete; each thread knows its part of `own`, and all know it after
    the next barrier. Asynchronous accesses may follow `fenced` and, after the next barrier,
    `fenced_own`. MMAs in tensor memory may follow `tensor`. A fence before a barrier adds accesses
    to `tensor_own`, the barrier moves them to `tensor_met`, and a fence after it to `tensor`.
    """

    tick: int = 0
    known: Clock = field(default_factory=Clock)
    own: Clock = field(default_factory=Clock)
    fenced: Clock = field(default_factory=Clock)
    fenced_own: Clock = field(default_factory=Clock)
    tensor: Clock = field(default_factory=Clock)
    tensor_met: Clock = field(default_factory=Clock)
    tensor_own: Clock = field(default_factory=Clock)
    group: list[Flight] = field(default_factory=list[Flight])
    """Copies since the last commit group."""
    groups: list[list[Flight]] = field(default_factory=list[list[Flight]])
    """Commit groups of copies, the oldest first."""
    mmas: list[Flight] = field(default_factory=list[Flight])
    """MMAs in order of issue; a thread block has only one kind of them."""
    agents: list[Threads] = field(default_factory=list["Threads"])
    """The agents that execute the regions of the present `agent_switch`."""
    is_alone: bool = False
    """Whether a single thread executes the next ops."""
    is_one: bool = False
    """Whether a single thread executes the whole region."""

    def agent(self) -> Threads:
        """Creates the threads that execute a region of an `agent_switch`."""
        agent = Threads(
            known=self.known.copy(),
            fenced=self.fenced.copy(),
            tensor=self.tensor.copy(),
            tensor_met=self.tensor_met.copy(),
        )
        self.agents.append(agent)
        return agent

    def done(self) -> Clock:
        """The work that each thread knows as complete, including its own accesses."""
        clock = self.known.copy()
        clock.ticks[self] = self.tick
        clock.join(self.own)
        return clock

    def knows(self, actor: Threads | Flight, tick: int) -> bool:
        """Whether work is complete for the threads that execute the next op."""
        if self.is_one and actor is self:
            return True
        is_alone = self.is_alone or self.is_one
        return self.known.says(actor, tick) or (is_alone and self.own.says(actor, tick))

    # Events that order accesses.

    def meet(self) -> None:
        """All threads synchronise at a barrier."""
        self.known.join(self.done())
        self.fenced.join(self.fenced_own)
        self.tensor_met.join(self.tensor_own)
        self.tick += 1

    def leave(self) -> None:
        """All agents of an `agent_switch` have ended; each thread knows those that it executed."""
        for agent in self.agents:
            self.own.join(agent.done())
            self.fenced_own.join(agent.fenced)
            self.tensor_own.join(agent.tensor_met)
        self.agents.clear()

    def fence(self) -> None:
        """Each thread fences the work that it knows for later asynchronous accesses."""
        self.fenced_own.join(self.done())
        self.fenced.join(self.known)
        if self.is_alone or self.is_one:
            self.fenced.join(self.own)

    def fence_before_barrier(self) -> None:
        """A fence before a barrier, for each thread's accesses to tensor memory."""
        self.tensor_own.join(self.done())

    def fence_after_barrier(self) -> None:
        """A fence after a barrier, for each thread's accesses to tensor memory."""
        self.tensor.join(self.tensor_met)

    def learn(self, flights: Iterable[Flight], *, all_know: bool) -> None:
        """Work is complete for all threads, or for each thread that started part of it."""
        (self.known if all_know else self.own).flights.update(flights)

    # Handshakes.

    def send(self, *, all_arrive: bool) -> Message:
        """The message of threads that arrive at an mbarrier: all of them, or one for the others."""
        if not all_arrive:
            over = self.known.copy()
            over.join(self.own)
            return Message(over, self.fenced.copy())
        fenced, tensor = self.fenced.copy(), self.tensor_met.copy()
        fenced.join(self.fenced_own)
        tensor.join(self.tensor_own)
        return Message(self.done(), fenced, tensor)

    def receive(self, message: Message, *, all_wait: bool) -> None:
        """All threads, or only one of them, have waited at an mbarrier."""
        (self.known if all_wait else self.own).join(message.over)
        (self.fenced if all_wait else self.fenced_own).join(message.fenced)
        self.tensor_met.join(message.tensor)
