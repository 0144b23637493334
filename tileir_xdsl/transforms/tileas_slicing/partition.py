"""Iteration spaces, and how they fall into consecutive parts. No IR.

partition(trips=10, count=4)  ->  0, 3, 6, 8, 10     # parts of 3, 3, 2 and 2 iterations
"""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Range:
    """The numbers from `lower` up to, without, `upper`, `step` apart."""

    lower: int
    upper: int
    step: int

    @property
    def trips(self) -> int:
        """How many numbers these are. The step is positive."""
        return max(0, -((self.lower - self.upper) // self.step))


def partition(trips: int, count: int) -> tuple[int, ...]:
    """Where each of `count` parts of `trips` iterations starts, and where the last one ends.

    The remainder of an even division goes to the first parts, one iteration each.
    """
    base, extra = divmod(trips, count)
    return tuple(part * base + min(part, extra) for part in range(count + 1))


def slice_ranges(space: Range, count: int) -> tuple[Range, ...]:
    """An iteration space as `count` consecutive ranges; the last one keeps the upper bound."""
    starts = [space.lower + start * space.step for start in partition(space.trips, count)]
    # The bound itself, which need not be a whole number of steps away.
    starts[-1] = space.upper
    return tuple(Range(lower, upper, space.step) for lower, upper in pairwise(starts))
