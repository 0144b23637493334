"""Makes the report of a kernel when its page is opened, and again after changes."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from tileir_xdsl.view.child import Child, Outcome
from tileir_xdsl.view.folder import Entry
from tileir_xdsl.view.revisions import Revisions


class Status(StrEnum):
    """The progress of a kernel's report."""

    COMPILING = "compiling"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class State:
    """The current state of a kernel's report."""

    entry: Entry
    """The file that is being, or was, compiled."""
    forced: tuple[str, ...] = ()
    """Choices that the reader has forced, as arguments of `tileir explain --force`."""
    status: Status = Status.COMPILING
    report: bytes | None = None
    """The JSON of the last report, also for a failed compilation."""
    compiled: bytes | None = None
    """The report of the last compilation that succeeded."""
    earlier: bytes | None = None
    """The last report of a successful compilation before the current report."""
    message: str | None = None
    """The error, if the report does not contain it."""
    revision: int = 0
    """The number of the change that led to this state; pages compare it."""


class Compilations:
    """Compiles one kernel at a time, each in a process of its own."""

    def __init__(self, folder: Path, options: Sequence[str], revisions: Revisions):
        self._folder = folder
        self._options = tuple(options)
        self._revisions = revisions
        self._files = tempfile.TemporaryDirectory(prefix="tileir-view-")
        self._lock = threading.RLock()
        self._wanted = threading.Condition(self._lock)
        self._states: dict[str, State] = {}
        self._waiting: list[str] = []
        self._running: tuple[str, Child] | None = None
        self._ended = False
        self._worker = threading.Thread(target=self._work, name="compilations")
        self._worker.start()

    def states(self) -> Mapping[str, State]:
        """The states of kernels whose page was requested, by name."""
        with self._lock:
            return dict(self._states)

    def state(self, entry: Entry) -> State:
        """The report of a kernel; the first request starts its compilation."""
        with self._lock:
            if entry.name not in self._states:
                self._request(State(entry))
            return self._states[entry.name]

    def changed(self, entry: Entry) -> None:
        """Compiles a changed kernel again, if its page was requested before."""
        with self._lock:
            state = self._states.get(entry.name)
            if state is not None and state.entry != entry:
                self._request(replace(state, entry=entry))

    def force(self, entry: Entry, forced: Sequence[str]) -> State:
        """Compiles a kernel with these choices forced."""
        with self._lock:
            state = self.state(entry)
            if state.forced != tuple(forced):
                self._request(replace(state, forced=tuple(forced)))
            return self._states[entry.name]

    def forget(self, name: str) -> None:
        """Forgets a kernel whose file was deleted."""
        with self._lock:
            self._states.pop(name, None)
            self._end(name)

    def close(self) -> None:
        """Kills the running compilation, and removes the reports."""
        with self._lock:
            self._ended = True
            self._waiting.clear()
            if self._running is not None:
                self._running[1].kill()
            self._wanted.notify_all()
        self._worker.join()
        self._files.cleanup()

    def _request(self, state: State) -> None:
        name = state.entry.name
        self._end(name)
        self._states[name] = replace(state, status=Status.COMPILING, revision=self._revisions.add())
        self._waiting.append(name)
        self._wanted.notify_all()

    def _end(self, name: str) -> None:
        """Removes a kernel from the queue, and kills its compilation."""
        if name in self._waiting:
            self._waiting.remove(name)
        if self._running is not None and self._running[0] == name:
            self._running[1].kill()

    def _work(self) -> None:
        while (started := self._next()) is not None:
            state, child = started
            outcome = child.wait() if isinstance(child, Child) else child
            with self._lock:
                self._running = None
                self._finish(state, outcome)

    def _next(self) -> tuple[State, Child | Outcome] | None:
        """Starts the compilation that has waited longest; None after `close`."""
        with self._lock:
            while not self._waiting and not self._ended:
                self._wanted.wait()
            if self._ended:
                return None
            state = self._states[self._waiting.pop(0)]
            forced = (word for text in state.forced for word in ("--force", text))
            report = Path(self._files.name, "report.json")
            try:
                child = Child(self._folder, state.entry.name, report, [*self._options, *forced])
            except OSError as error:
                return state, Outcome(None, True, f"no process for the compiler: {error}")
            self._running = state.entry.name, child
            return state, child

    def _finish(self, state: State, outcome: Outcome) -> None:
        """Stores a report, unless its kernel was changed or deleted meanwhile."""
        if self._states.get(state.entry.name) != state:
            return
        new = replace(
            state,
            status=Status.FAILED if outcome.failed else Status.DONE,
            message=outcome.message,
            revision=self._revisions.add(),
        )
        if outcome.report is not None:
            compiled = state.compiled if outcome.failed else outcome.report
            new = replace(new, report=outcome.report, compiled=compiled, earlier=state.compiled)
        self._states[state.entry.name] = new
