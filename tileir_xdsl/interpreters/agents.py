"""Agents: bodies of one op that run at the same time and wait for each other.

Each is a thread, of which one runs at a time: it has its turn until it waits for something or ends.
Turns go round, so that a run is the same every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.interpreters.errors import ExecutionError


class _Abandoned(BaseException):
    """Ends an agent whose group has failed."""


def _always() -> bool:
    return True


def _nowhere() -> str:
    return "has not begun"


@dataclass(eq=False)
class Agent:
    """One body; `ready` says whether it could go on, `position` what it waits for and where."""

    body: Callable[[], object]
    ready: Callable[[], bool] = _always
    position: Callable[[], str] = _nowhere
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
        self._hindrance = hindrance
        self._resumed.release()
        self._pause.acquire()

    def wait_until(self, ready: Callable[[], bool], position: Callable[[], str]) -> None:
        """Called by the body: give up the turn until `ready`."""
        self.ready, self.position = ready, position
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

        Raises `ExecutionError` if that can never be, with the `position` of every agent.
        """
        if ready():
            return
        if self.current is None:
            raise ExecutionError(f"waits for ever: no other agent runs ({position()})")
        self.current.wait_until(ready, position)

    def run(self, bodies: Sequence[Callable[[], object]]) -> None:
        """Run `bodies` as agents and wait for all. Raises what the first of them to fail raises."""
        outer = self.current
        agents = [Agent(body) for body in bodies]
        for agent in agents:
            agent.start()
        try:
            self._interleave(agents, outer)
        finally:
            for agent in agents:
                if not agent.ended:
                    self.current = agent
                    agent.run_until_blocked(_Abandoned())
            self.current = outer

    def _interleave(self, agents: Sequence[Agent], outer: Agent | None) -> None:
        while waiting := [agent for agent in agents if not agent.ended]:
            ready = [agent for agent in waiting if agent.ready()]
            if not ready and outer is not None:
                self.current = outer
                outer.wait_until(
                    lambda: any(agent.ready() for agent in waiting), lambda: _positions(agents)
                )
                continue
            hindrance = None if ready else _deadlock(agents)
            for agent in ready or waiting[:1]:
                self.current = agent
                agent.run_until_blocked(hindrance)
                if agent.error is not None:
                    raise agent.error


def _deadlock(agents: Sequence[Agent]) -> ExecutionError:
    return ExecutionError(f"waits for ever: every agent waits for another ({_positions(agents)})")


def _positions(agents: Sequence[Agent]) -> str:
    """Where each agent is, for a report."""
    return "; ".join(
        f"agent {number} {'has ended' if agent.ended else agent.position()}"
        for number, agent in enumerate(agents)
    )
