"""Listeners of a launch that tell what it does: a trace, and a progress bar."""

import time
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.interpreters.errors import location_text
from tileir_xdsl.interpreters.execution import LaunchListener
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.runtime.values import Names, short_value


class Trace(LaunchListener):
    """Prints every op after it has run: location, results, short forms of their values.

    An op with regions follows on what it ran; ops inside of it are indented.
    """

    def __init__(self, module: ModuleOp, stream: TextIO):
        self._names = Names(module)
        self._stream = stream

    def will_run_block(self, block: Coordinates) -> None:
        self._stream.write(f"tile block {block}\n")

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        pairs = zip(op.results, results, strict=True)
        values = ", ".join(short_value(value, result.type) for result, value in pairs)
        location = location_text(op.location)
        position = f"{location}: " if location else ""
        line = f"{position}{'  ' * _depth(op)}{self._names.results(op)}{op.name}"
        self._stream.write(f"{line}: {values}\n" if values else f"{line}\n")


def _depth(op: Operation) -> int:
    """How many ops there are between `op` and the kernel."""
    depth, parent = -3, op.parent_op()
    while parent is not None:
        depth, parent = depth + 1, parent.parent_op()
    return max(depth, 0)


class ProgressBar(LaunchListener):
    """Shows how many tile blocks have run, once a launch takes longer than `DELAY`."""

    DELAY = 1.0
    """Seconds until the bar appears."""

    PERIOD = 0.1
    """Seconds between two states of the bar."""

    WIDTH = 40

    def __init__(self, count: int, stream: TextIO):
        self._count = count
        self._stream = stream
        self._done = -1
        self._next = time.monotonic() + self.DELAY
        self._shown = False

    def will_run_block(self, block: Coordinates) -> None:
        self._done += 1
        now = time.monotonic()
        if now >= self._next:
            self._next, self._shown = now + self.PERIOD, True
            filled = self.WIDTH * self._done // self._count
            bar = "#" * filled + "." * (self.WIDTH - filled)
            self._stream.write(f"\r[{bar}] {self._done}/{self._count} tile blocks")
            self._stream.flush()

    def close(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
