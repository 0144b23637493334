"""Agents: concurrent bodies that may wait for each other.

Agents are the bodies of one op, or tile blocks. Each agent is a thread; only one runs at a time,
until it waits for something or ends. Agents run in a fixed cyclic order, so that runs are
reproducible.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.interpreters.errors import DeadlockError


class _Abandoned(BaseException):
    """Raised in an agent to end it after another one has failed."""


def _always() -> bool:
    return True


def _nowhere() -> str:
    return "has not begun"


_MOST_BEGUN = 64
"""The number of agents that begin before others run again. This number doubles if no agent can
continue.
"""


@dataclass(eq=False)
class Agent:
    """One body; `ready` returns whether it can continue, and `position` describes its wait.

    The agent runs inside of the context `turn`. `could_go_on` is set if it waits only to let others
    run.
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
        """Starts the thread, which waits for its first turn."""
        threading.Thread(target=self._run, daemon=True).start()

    def run_until_blocked(self, hindrance: BaseException | None = None) -> None:
        """Runs the agent until it waits or ends; a `hindrance` is raised in its present wait."""
        with self.turn:
            self._resume(hindrance)

    def abandon(self) -> None:
        """Ends a waiting agent."""
        self._resume(_Abandoned())

    def _resume(self, hindrance: BaseException | None) -> None:
        self._hindrance = hindrance
        self._resumed.release()
        self._pause.acquire()

    def wait_until(self, ready: Callable[[], bool], position: Callable[[], str]) -> None:
        """Called by the body: lets other agents run until `ready`."""
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
    """Runs agents in turns; `current` is the running one, if any."""

    current: Agent | None = None

    def wait_until(self, ready: Callable[[], bool], position: Callable[[], str]) -> None:
        """Lets other agents run until `ready`.

        Raises `DeadlockError`, with the `position` of every agent, if `ready` can never become
        true.
        """
        if ready():
            return
        if self.current is None:
            raise DeadlockError(f"waits for ever: no other agent runs ({position()})")
        self.current.wait_until(ready, position)

    def let_others_run(self, position: Callable[[], str]) -> None:
        """Lets each other agent run once."""
        if self.current is not None:
            self.current.wait_until(_always, position)

    def run(self, bodies: Sequence[Callable[[], object]]) -> None:
        """Runs `bodies` as agents until all have ended. Raises the first exception of a body."""
        agents = [Agent(body) for body in bodies]
        self.run_all(agents, lambda _: _deadlock(agents))

    def run_all(self, agents: Iterable[Agent], deadlock: Callable[[Sequence[Agent]], str]) -> None:
        """Runs `agents` until all have ended; takes each from the iterable when it begins.

        Raises the first exception of an agent. If none can continue, one of them raises a
        `DeadlockError` with the text that `deadlock` returns for those left.
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
        """Begins and resumes agents; `begun` has those that have not ended."""
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
