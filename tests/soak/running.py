"""Runs of parts until their time is over, and what earlier runs have done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.reach.map import REPOSITORY

from .parts import Part, command_line

LEAST = 1.5
"""How much longer than its share the first run of a part may take: one is made in any case."""
GRACE = 60.0
"""Seconds that the first run has at least."""


@dataclass(frozen=True)
class Done:
    """What has been run of a part."""

    seeds: int = 0
    """The first so many have been run."""
    failed: int = 0
    """Runs with findings."""
    cut_off: int = 0
    """Runs that were stopped when the time was over; their seeds come again."""
    seconds: float = 0.0

    def __add__(self, other: Done) -> Done:
        return Done(
            self.seeds + other.seeds,
            self.failed + other.failed,
            self.cut_off + other.cut_off,
            self.seconds + other.seconds,
        )


def read_log(log: Path | None) -> dict[str, Done]:
    """What earlier runs have done, by part."""
    if log is None or not log.exists():
        return {}
    return {name: Done(**row) for name, row in json.loads(log.read_text("utf-8")).items()}


def write_log(log: Path | None, done: Mapping[str, Done]) -> None:
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        rows = {name: asdict(each) for name, each in sorted(done.items())}
        log.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


def run_part(part: Part, first: int, seconds: float, say: Callable[[str], None]) -> Done:
    """Runs a part from a seed on until the time is over; `say` gets what a run has found."""
    start, done = time.monotonic(), Done()
    while True:
        left = seconds - (time.monotonic() - start)
        if done.seeds and left <= 0:
            break
        command = command_line(part, first + done.seeds)
        limit = left if done.seeds else max(GRACE, LEAST * seconds)
        status, output = _limited(command, limit)
        if status is None:
            done = replace(done, cut_off=1)
            break
        done = replace(done, seeds=done.seeds + part.seeds)
        if status not in part.fine:
            done = replace(done, failed=done.failed + 1)
            say(f"$ {' '.join(command)}\n{output}")
    return replace(done, seconds=time.monotonic() - start)


def _limited(command: list[str], seconds: float) -> tuple[int | None, str]:
    """Exit status and output of a command; no status if it takes longer."""
    process = subprocess.Popen(
        command,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # What the command has started is in the same session.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, output
