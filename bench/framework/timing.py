"""Times of several candidates, taken in turns, so that what disturbs one disturbs all."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Measure = Callable[[], float]
"""One measurement, of whatever unit."""


def interleaved(candidates: Mapping[str, Measure], runs: int) -> dict[str, list[float]]:
    """`runs` measurements of each candidate, one of each in a round.

    A first round fills caches and is not counted.
    """
    for measure in candidates.values():
        measure()
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(runs):
        for name, measure in candidates.items():
            times[name].append(measure())
    return times


def medians(candidates: Mapping[str, Measure], runs: int) -> dict[str, float]:
    """The median of each candidate, measured in turns."""
    return {name: statistics.median(taken) for name, taken in interleaved(candidates, runs).items()}


def seconds_of(action: Callable[[], object], *, clock: Measure = time.process_time) -> float:
    """The processor time of a call, or that of another clock, without the garbage collector's."""
    gc.collect()
    gc.disable()
    try:
        start = clock()
        action()
        return clock() - start
    finally:
        gc.enable()


def process_seconds(command: Sequence[str]) -> float:
    """The processor time of a command and its children; CalledProcessError if it fails."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True)
class Ratios:
    """Ratios to a rival over many kernels."""

    by_name: Mapping[str, float]

    @property
    def median(self) -> float:
        return statistics.median(self.by_name.values())

    @property
    def worst(self) -> str:
        """The name with the largest ratio."""
        return max(self.by_name, key=self.by_name.__getitem__)

    def __str__(self) -> str:
        return (
            f"{len(self.by_name)} kernels, median ratio {self.median:.2f}, "
            f"worst {self.by_name[self.worst]:.2f} ({self.worst})"
        )
