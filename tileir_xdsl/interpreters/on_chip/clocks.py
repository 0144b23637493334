"""Knowledge of threads about completed work, forwarded by barriers, fences, handshakes and waits.

The threads that execute a region, an agent or a whole thread block, run one program, each at its
own pace. `tick` counts the barriers at which they have synchronised. All of them know what any did
before the last barrier. Asynchronous work is over for those who have waited for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, auto

from xdsl.ir import Operation


@dataclass(eq=False)
class Clock:
    """The tick up to which accesses of threads are complete, and the asynchronous accesses that
    are.
    """

    ticks: dict[Threads, int] = field(default_factory=dict["Threads", int])
    flights: set[Flight] = field(default_factory=set["Flight"])

    def copy(self) -> Clock:
        """Another clock with the same contents."""
        return Clock(self.ticks.copy(), set(self.flights))

    def join(self, other: Clock) -> None:
        """Adds the contents of another clock."""
        for threads, tick in other.ticks.items():
            if self.ticks.get(threads, -1) < tick:
                self.ticks[threads] = tick
        self.flights |= other.flights

    def says(self, actor: Threads | Flight, tick: int) -> bool:
        """Whether what somebody did at a tick is over; asynchronous work has tick 0 only."""
        if isinstance(actor, Flight):
            return actor in self.flights
        return self.ticks.get(actor, -1) >= tick

    def names(self, actor: Threads | Flight) -> bool:
        """Whether something that somebody did is over."""
        return self.says(actor, 0)


class Start(Enum):
    """Asynchronous work that an op starts, by what it is waited for."""

    THREAD_COPY = auto()
    """Copies of each thread, in groups: `cp.async`."""
    BULK_LOAD = auto()
    """Waited for by all threads at an mbarrier."""
    BULK_STORE = auto()
    """Waited for by the thread that has issued it."""
    WARPGROUP_MMA = auto()
    TENSOR_MMA = auto()


@dataclass(eq=False)
class Flight:
    """Asynchronous work that an op has started.

    `arrivals` is what all threads had done that arrived at its mbarrier as it began.
    """

    op: Operation
    start: Start
    arrivals: Clock = field(default_factory=Clock)


@dataclass(frozen=True)
class Message:
    """Knowledge that an mbarrier forwards to waiting threads: completed work, and fenced work.

    `tensor` is fenced for MMAs in tensor memory, by a fence before the arrival.
    """

    over: Clock = field(default_factory=Clock)
    fenced: Clock = field(default_factory=Clock)
    tensor: Clock = field(default_factory=Clock)

    def add(self, other: Message) -> None:
        """Adds another one, for a barrier that several arrive at."""
        self.over.join(other.over)
        self.fenced.join(other.fenced)
        self.tensor.join(other.tensor)


@dataclass(eq=False)
class Threads:
    """The threads that execute a region, and what they know.

    `known` is over for all of them; `own` each knows by itself, and all do from the next barrier
    on. `fenced` is what asynchronous accesses may follow; `fenced_own` from the next barrier on.
    `tensor` has the accesses that MMAs may follow in tensor memory. A fence before the barrier puts
    them in `tensor_own`, the barrier brings them to all threads (`tensor_met`), and a fence after
    it uses them.
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
    """Copies of each thread since its last group."""
    groups: list[list[Flight]] = field(default_factory=list[list[Flight]])
    """Groups of copies, the oldest first."""
    mmas: list[Flight] = field(default_factory=list[Flight])
    """MMAs of one kind or the other in the order of their issue; a thread block has one kind."""
    agents: list[Threads] = field(default_factory=list["Threads"])
    """Those that execute the regions of the switch that these threads are at."""
    is_alone: bool = False
    """Whether one of them executes what comes next."""
    is_one: bool = False
    """Whether one thread executes all of the region."""

    def agent(self) -> Threads:
        """Threads that begin to execute a region of a switch."""
        agent = Threads(
            known=self.known.copy(),
            fenced=self.fenced.copy(),
            tensor=self.tensor.copy(),
            tensor_met=self.tensor_met.copy(),
        )
        self.agents.append(agent)
        return agent

    def done(self) -> Clock:
        """The work that each thread knows to be over, its own accesses included."""
        clock = self.known.copy()
        clock.ticks[self] = self.tick
        clock.join(self.own)
        return clock

    def knows(self, actor: Threads | Flight, tick: int) -> bool:
        """Whether something is over for whoever executes what comes next."""
        if self.is_one and actor is self:
            return True
        is_alone = self.is_alone or self.is_one
        return self.known.says(actor, tick) or (is_alone and self.own.says(actor, tick))

    # Events that order accesses.

    def meet(self) -> None:
        """All threads come to a barrier."""
        self.known.join(self.done())
        self.fenced.join(self.fenced_own)
        self.tensor_met.join(self.tensor_own)
        self.tick += 1

    def leave(self) -> None:
        """All agents of a switch have ended; each thread knows of those that it has executed."""
        for agent in self.agents:
            self.own.join(agent.done())
            self.fenced_own.join(agent.fenced)
            self.tensor_own.join(agent.tensor_met)
        self.agents.clear()

    def fence(self) -> None:
        """Each thread fences what it knows of against asynchronous accesses."""
        self.fenced_own.join(self.done())
        self.fenced.join(self.known)
        if self.is_alone or self.is_one:
            self.fenced.join(self.own)

    def fence_before_barrier(self) -> None:
        """Each thread fences its accesses of tensor memory before a barrier."""
        self.tensor_own.join(self.done())

    def fence_after_barrier(self) -> None:
        """Each thread fences its accesses of tensor memory after a barrier."""
        self.tensor.join(self.tensor_met)

    def learn(self, flights: Iterable[Flight], *, all_know: bool) -> None:
        """All threads, or each for what it has started, have waited for work."""
        (self.known if all_know else self.own).flights.update(flights)

    # Handshakes.

    def send(self, *, all_arrive: bool) -> Message:
        """The message of threads that arrive at an mbarrier: all of them, or one for all."""
        if not all_arrive:
            over = self.known.copy()
            over.join(self.own)
            return Message(over, self.fenced.copy())
        fenced, tensor = self.fenced.copy(), self.tensor_met.copy()
        fenced.join(self.fenced_own)
        tensor.join(self.tensor_own)
        return Message(self.done(), fenced, tensor)

    def receive(self, message: Message, *, all_wait: bool) -> None:
        """All threads, or one of them, have waited at an mbarrier."""
        (self.known if all_wait else self.own).join(message.over)
        (self.fenced if all_wait else self.fenced_own).join(message.fenced)
        self.tensor_met.join(message.tensor)
