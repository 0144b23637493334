"""Agents: bodies that run at the same time and wait for each other.

They are the bodies of one op, or tile blocks. Each is a thread, and one of them runs at a time,
until it waits for something or ends. Turns go round, so that a run is the same every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.interpreters.errors import DeadlockError


class _Abandoned(BaseException):
    """Ends an agent whose group has failed."""


def _always() -> bool:
    return True


def _nowhere() -> str:
    return "has not begun"


_MOST_BEGUN = 64
"""Agents that begin before others get another turn. The number of turns doubles while none can
continue.
"""


@dataclass(eq=False)
class Agent:
    """One body; `ready` returns whether it can continue, `position` the event and the place that it
    waits for.

    Each of its turns is taken inside of `turn`. `could_go_on` says that it has only let others run.
    """

    body: Callable[[], object]
    turn: AbstractContextManager[object] = field(default_factory=nullcontext[None])
    ready: Callable[[], bool] = _always
    position: Callable[[], str] = _nowhere
    could_go_on: bool = False
    ended: bool = False
    error: BaseException | None = None
    _hindrance: BaseException | None = None
    _resumed: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    _pause: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def start(self) -> None:
        """Make the thread, which waits for its first turn."""
        threading.Thread(target=self._run, daemon=True).start()

    def run_until_blocked(self, hindrance: BaseException | None = None) -> None:
        """Let the agent run until it waits or ends; with a `hindrance`, that ends its waiting."""
        with self.turn:
            self._resume(hindrance)

    def abandon(self) -> None:
        """End the agent where it waits."""
        self._resume(_Abandoned())

    def _resume(self, hindrance: BaseException | None) -> None:
        self._hindrance = hindrance
        self._resumed.release()
        self._pause.acquire()

    def wait_until(self, ready: Callable[[], bool], position: Callable[[], str]) -> None:
        """Called by the body: give up the turn until `ready`."""
        self.ready, self.position, self.could_go_on = ready, position, ready is _always
        self._pause.release()
        self._await_resume()

    def _await_resume(self) -> None:
        self._resumed.acquire()
        if self._hindrance is not None:
            raise self._hindrance

    def _run(self) -> None:
        try:
            self._await_resume()
            with np.errstate(all="ignore"):
                self.body()
        except _Abandoned:
            pass
        except BaseException as error:
            self.error = error
        self.ended = True
        self._pause.release()


@dataclass
class Agents:
    """Which agent has its turn, if any."""

    current: Agent | None = None

    def wait_until(self, ready: Callable[[], bool], position: Callable[[], str]) -> None:
        """Let others run until `ready`.

        Raises `DeadlockError` if that can never be, with the `position` of every agent.
        """
        if ready():
            return
        if self.current is None:
            raise DeadlockError(f"waits for ever: no other agent runs ({position()})")
        self.current.wait_until(ready, position)

    def let_others_run(self, position: Callable[[], str]) -> None:
        """Give up one turn."""
        if self.current is not None:
            self.current.wait_until(_always, position)

    def run(self, bodies: Sequence[Callable[[], object]]) -> None:
        """Run `bodies` as agents and wait for all. Raises what the first of them to fail raises."""
        agents = [Agent(body) for body in bodies]
        self.run_all(agents, lambda _: _deadlock(agents))

    def run_all(self, agents: Iterable[Agent], deadlock: Callable[[Sequence[Agent]], str]) -> None:
        """Run `agents` and wait for all; each is asked for when it is to begin.

        Raises what the first of them to fail raises. Where none can go on, one of them raises an
        `DeadlockError` with what `deadlock` says of those that have not ended.
        """
        outer, begun = self.current, list[Agent]()
        try:
            self._interleave(iter(agents), begun, outer, deadlock)
        finally:
            for agent in begun:
                if not agent.ended:
                    self.current = agent
                    agent.abandon()
            self.current = outer

    def _interleave(
        self,
        agents: Iterator[Agent],
        begun: list[Agent],
        outer: Agent | None,
        deadlock: Callable[[Sequence[Agent]], str],
    ) -> None:
        """Begin and resume agents; `begun` holds those that have not ended."""
        most = _MOST_BEGUN
        while True:
            begins = next(agents, None) if len(begun) < most else None
            ready = [begins] if begins else [agent for agent in begun if agent.ready()]
            if not ready and (begins := next(agents, None)) is not None:
                ready, most = [begins], 2 * len(begun)
            if begins is not None:
                begins.start()
                begun.append(begins)
            if not begun:
                return
            if not ready and outer is not None:
                outer.wait_until(
                    lambda: any(agent.ready() for agent in begun), lambda: deadlock(begun)
                )
                continue
            hindrance = None if ready else DeadlockError(deadlock(begun))
            for agent in ready or begun[:1]:
                self.current = agent
                agent.run_until_blocked(hindrance)
                if agent.error is not None:
                    raise agent.error
            begun[:] = [agent for agent in begun if not agent.ended]
            if outer is not None and any(agent.could_go_on for agent in begun):
                outer.wait_until(_always, lambda: deadlock(begun))


def _deadlock(agents: Sequence[Agent]) -> str:
    positions = "; ".join(
        f"agent {number} {'has ended' if agent.ended else agent.position()}"
        for number, agent in enumerate(agents)
    )
    return f"waits for ever: every agent waits for another ({positions})"
