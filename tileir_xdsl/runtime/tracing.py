"""Listeners of a launch: a trace, and a progress bar."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.runtime.values import Names, short_value
from tileir_xdsl.walking import ancestors


class Trace(LaunchListener):
    """Prints every op after it has run: location, results, and shortened values.

    An op with regions is printed after the indented ops inside.
    """

    def __init__(self, module: ModuleOp, stream: TextIO):
        self._names = Names(module)
        self._stream = stream

    def will_run_block(self, block: Coordinates) -> None:
        self._stream.write(f"tile block {block}\n")

    def will_resume_block(self, block: Coordinates) -> None:
        self._stream.write(f"tile block {block} goes on\n")

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        pairs = zip(op.results, results, strict=True)
        values = ", ".join(short_value(value, result.type) for result, value in pairs)
        location = location_text(op.location)
        position = f"{location}: " if location else ""
        line = f"{position}{'  ' * _depth(op)}{self._names.results(op)}{op.name}"
        self._stream.write(f"{line}: {values}\n" if values else f"{line}\n")


def _depth(op: Operation) -> int:
    """The number of ops between `op` and the kernel."""
    return max(len(tuple(ancestors(op))) - 3, 0)


class Progress:
    """Periodically reports the number of finished tile blocks of a long launch."""

    DELAY = 2.0
    """Seconds until the first report."""

    PERIOD = 0.1
    """Seconds between two reports."""

    def __init__(self, count: int, report: Callable[[int, int], None]):
        self._count = max(count, 1)
        self._report = report
        self._next = time.monotonic() + self.DELAY

    def __call__(self, done: int) -> None:
        """Notes that `done` tile blocks are finished; reports seldom."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + self.PERIOD
            self._report(min(done, self._count), self._count)


class ProgressBar:
    """Shows on a terminal how many of `count` items are done; `what` is their name in plural."""

    WIDTH = 40

    def __init__(self, stream: TextIO, what: str = "tile blocks"):
        self._stream = stream
        self._what = what
        self._shown = False

    def __call__(self, done: int, count: int) -> None:
        """Show a state."""
        self._shown = True
        filled = self.WIDTH * done // count
        bar = "#" * filled + "." * (self.WIDTH - filled)
        self._stream.write(f"\r[{bar}] {done}/{count} {self._what}")
        self._stream.flush()

    def close(self) -> None:
        """Removes the bar."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


@contextmanager
def shown_progress(count: int, what: str = "tile blocks") -> Generator[Progress | None]:
    """Yields a function that shows the number of done items of `count`, in a bar on standard error.

    Yields None if standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar = ProgressBar(sys.stderr, what)
    try:
        yield Progress(count, bar)
    finally:
        bar.close()
