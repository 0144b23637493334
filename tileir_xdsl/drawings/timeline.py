"""A schedule as plain data: which unit executes which op, from which modelled cycle to which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Bar:
    """An op or wait that occupies a row for some cycles."""

    row: str
    start: int
    end: int
    name: str
    iteration: int
    """The iteration of the enclosing loop; 0 outside of loops."""
    waits: bool = False
    """Whether the bar is only a wait for a barrier or a result."""
    stage: int | None = None
    """The schedule stage, if the schedule has stages."""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """The bars of a loop or of the agents of a kernel."""

    title: str
    rows: tuple[str, ...]
    bars: tuple[Bar, ...]
    interval: int
    """The cycles from one iteration to the next in the steady state."""
    steady_from: int | None
    """The cycle from which iterations start at that interval; None if no steady state is found."""
    notes: tuple[str, ...] = ()

    @property
    def end(self) -> int:
        """The last cycle of any bar."""
        return max((bar.end for bar in self.bars), default=0)

    def busy(self, row: str) -> float:
        """The share of a steady interval in which a row is busy, without waits."""
        if self.steady_from is None or not self.interval:
            return 0.0
        first, last = self.steady_from, self.steady_from + self.interval
        bars = (bar for bar in self.bars if bar.row == row and not bar.waits)
        return sum(max(0, min(bar.end, last) - max(bar.start, first)) for bar in bars) / (
            self.interval
        )


def steady_state(starts: Sequence[int]) -> tuple[int, int | None]:
    """The steady interval of iterations with these start cycles, and the cycle from which it
    holds.
    """
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    if not gaps:
        return 0, None
    first = len(gaps) - 1
    while first and gaps[first - 1] == gaps[-1]:
        first -= 1
    # One gap alone repeats nothing.
    return gaps[-1], starts[first] if first < len(gaps) - 1 else None
