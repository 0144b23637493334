"""A process with the device, as the one that has the results sees it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.pack.runner.clock import Clock

END_SECONDS = 10.0
"""For how long a process that was killed may be busy with giving back the device."""


class WorkerLost(RuntimeError):
    """A process says nothing more: it hangs, or has ended."""

    def __init__(self, status: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """The result of an order, the last contender that ran, and whether the process is lost."""

    result: dict[str, Any]
    who: str | None
    lost: bool
    ended: bool = False
    """Whether this contender has ended the item before its time."""


@dataclass
class Worker:
    """A process, and the moment of its last line on the clock of the run."""

    process: subprocess.Popen[bytes]
    answers: int
    clock: Clock
    has_torch: bool
    moment: float
    pending: bytearray = field(default_factory=bytearray)

    @staticmethod
    def start(pack: Path, device: str, rehearse: str, clock: Clock, *, has_torch: bool) -> Worker:
        """A fresh process; answers come through a pipe of their own, as kernels may print."""
        ours, theirs = os.pipe()
        command = [sys.executable, str(Path(sys.argv[0]).resolve()), "--pack", str(pack)]
        command += ["--device", device, "--rehearse", rehearse, "--serve", str(theirs)]
        command += ["--torch"] if has_torch else []
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, pass_fds=(theirs,)
        )
        os.close(theirs)
        return Worker(process, ours, clock, has_torch, clock.now())

    def send(self, order: dict[str, Any]) -> None:
        """Gives an order; raises WorkerLost."""
        assert self.process.stdin is not None
        self.moment = max(self.moment, self.clock.now())
        try:
            self.process.stdin.write(f"{json.dumps(order)}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise WorkerLost("crash", "the process was gone") from error

    def line(self, seconds: float) -> dict[str, Any]:
        """The next line, which may take so long; raises WorkerLost."""
        due = self.clock.now() + seconds
        line = self._read(due)
        found: dict[str, Any] = {"spent": math.inf} if line is None else json.loads(line)
        self.moment += found.pop("spent")
        if self.moment > due:
            self.clock.reach(due)
            raise WorkerLost("hung", f"no answer after {seconds:.3g} s")
        self.clock.reach(self.moment)
        return found

    def _read(self, due: float) -> bytes | None:
        """The bytes of a line; None where there are none when they are due."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.answers, selectors.EVENT_READ)
            while b"\n" not in self.pending:
                if not selector.select(self.clock.patience(due)):
                    return None
                data = os.read(self.answers, 1 << 16)
                if not data:
                    raise WorkerLost("crash", f"the process ended with {self._ended()}")
                self.pending += data
        line, _, rest = bytes(self.pending).partition(b"\n")
        self.pending = bytearray(rest)
        return line

    def ask(self, order: dict[str, Any], silence: float, end: float) -> Answer:
        """The result of an order, whatever becomes of the process.

        It is lost after so many seconds without a line, or at the moment `end`.
        """
        who: str | None = None
        try:
            self.send(order)
            while True:
                line = self.line(min(silence, max(0.0, end - self.clock.now())))
                if "at" not in line:
                    lost, ended = line.pop("lost", False), line.pop("ended", False)
                    return Answer(line, who, lost, lost or ended)
                who = line["at"]
        except WorkerLost as lost:
            return Answer({"status": lost.status, "detail": str(lost)}, who, lost=True, ended=True)

    def _ended(self) -> int | None:
        """The status of a process that ends; None if it does not."""
        try:
            return self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            print("a process with a kernel that hangs does not end", file=sys.stderr)
            return None

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self._ended()
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        os.close(self.answers)
