"""A schedule as plain data: which unit is busy with which op, from which cycle of the model to
which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Bar:
    """Something that takes a row for some cycles."""

    row: str
    start: int
    end: int
    name: str
    iteration: int
    """Of the loop around it; 0 outside of loops."""
    waits: bool = False
    """Whether nothing is done but waiting for a barrier or a result."""
    stage: int | None = None
    """The schedule stage, where the schedule has stages."""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """The bars of a loop or of the agents of a kernel."""

    title: str
    rows: tuple[str, ...]
    bars: tuple[Bar, ...]
    interval: int
    """Cycles from one iteration to the next in the steady state."""
    steady_from: int | None
    """The cycle from which iterations begin at that interval; None if the model finds none."""
    notes: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The last cycle of any bar."""
        return max((bar.end for bar in self.bars), default=0)

    def busy(self, row: str) -> float:
        """The share of a steady interval in which a row does something but wait."""
        if self.steady_from is None or not self.interval:
            return 0.0
        first, last = self.steady_from, self.steady_from + self.interval
        bars = (bar for bar in self.bars if bar.row == row and not bar.waits)
        return sum(max(0, min(bar.end, last) - max(bar.start, first)) for bar in bars) / (
            self.interval
        )


def steady_state(starts: Sequence[int]) -> tuple[int, int | None]:
    """The interval of iterations that begin at some cycles, and from when they keep to it."""
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    if not gaps:
        return 0, None
    first = len(gaps) - 1
    while first and gaps[first - 1] == gaps[-1]:
        first -= 1
    # One gap alone repeats nothing.
    return gaps[-1], starts[first] if first < len(gaps) - 1 else None
