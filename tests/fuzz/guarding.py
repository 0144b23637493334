"""Limits of time and memory for one input, and what came out of it."""

from __future__ import annotations

import re
import resource
import signal
import traceback
import warnings
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from .subjects import Input, Subject

SECONDS = 10
BYTES = 2 << 30
"""What one input may take."""


class OutOfTime(BaseException):
    """An input took longer than the limit; what catches `Exception` lets it pass."""


def _stop(_number: int, _frame: Any) -> None:
    raise OutOfTime


@contextmanager
def limited_time() -> Generator[None]:
    """Raises `OutOfTime` after so many seconds."""
    before = signal.signal(signal.SIGALRM, _stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def limited_memory() -> Generator[None]:
    """Lets this process take so many bytes more than it has."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    match = re.search(r"VmData:\s+([0-9]+) kB", Path("/proc/self/status").read_text("ascii"))
    used = int(match[1]) << 10 if match else 0
    resource.setrlimit(resource.RLIMIT_DATA, (used + BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


UPSTREAM: Mapping[tuple[str, str], str] = {
    ("comparisons.py", "signed_lower_bound"): "xDSL computes 2**n of an integer type of n bits",
    ("builtin.py", "format"): "xDSL packs no integers of more than 64 bits",
    (
        "core.py",
        "new",
    ): "xDSL's own types, such as `!llvm.void`, take parameters they have no room for",
}
"""What is known of xDSL itself: the innermost file and function, and why it raises there."""


@dataclass(frozen=True)
class Failure:
    """Something that may not come out of an input."""

    what: str
    """The exception."""
    where: str
    """The innermost places in the package, which are the same for inputs that fail alike."""

    def __str__(self) -> str:
        return f"{self.what} at {self.where}"


def outcome(subject: Subject, given: Input, seed: int) -> bool | Failure:
    """Whether an input is accepted, or what came out instead."""
    try:
        with limited_time(), warnings.catch_warnings():
            warnings.simplefilter("error")
            return subject.accepts(given, Random(seed))
    except (Exception, OutOfTime) as error:
        frames = traceback.extract_tb(error.__traceback__)
        if frames and (Path(frames[-1].filename).name, frames[-1].name) in UPSTREAM:
            return False
        places = [
            f"{Path(frame.filename).name}:{frame.lineno}"
            for frame in frames
            if "tileir_xdsl" in frame.filename
        ]
        # Where the time ran out is chance.
        where = "" if isinstance(error, OutOfTime) else " ".join(places[-3:])
        said = str(error).partition("\n")[0][:200]
        return Failure(f"{type(error).__name__}: {said}".rstrip(": "), where)
