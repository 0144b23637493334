"""Iteration spaces, and their division into consecutive parts. No IR.

partition(trips=10, count=4)  ->  0, 3, 6, 8, 10     # parts of 3, 3, 2 and 2 iterations
"""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Range:
    """The numbers from `lower` to `upper`, exclusive, in steps of `step`."""

    lower: int
    upper: int
    step: int

    @property
    def trips(self) -> int:
        """How many numbers the range has, for a positive step."""
        return max(0, -((self.lower - self.upper) // self.step))


def partition(trips: int, count: int) -> tuple[int, ...]:
    """The starts of `count` parts of `trips` iterations, and the end of the last part.

    If the division has a remainder, the first parts get one more iteration each.
    """
    base, extra = divmod(trips, count)
    return tuple(part * base + min(part, extra) for part in range(count + 1))


def slice_ranges(space: Range, count: int) -> tuple[Range, ...]:
    """An iteration space as `count` consecutive ranges; the last one keeps the upper bound."""
    starts = [space.lower + start * space.step for start in partition(space.trips, count)]
    # The bound itself, which need not be a whole number of steps away.
    starts[-1] = space.upper
    return tuple(Range(lower, upper, space.step) for lower, upper in pairwise(starts))
