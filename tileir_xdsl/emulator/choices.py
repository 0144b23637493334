"""The choices that a launch leaves open, made at random or exhaustively over many launches.

If several warps can run, the scheduler asks which one runs. If asynchronous work is delayed, it
also asks whether some of it is done first.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol


class Choices(Protocol):
    """Chooses one of several ways to go on.

    If `systematic`, steps that no other thread can see are not worth a choice, and no order of
    threads is preferred for progress.
    """

    systematic: bool

    def choose(self, count: int) -> int:
        """A number below `count`, which is at least 1."""
        ...


class RandomChoices:
    """Chooses by a random source."""

    def __init__(self, random: Random, *, systematic: bool = False) -> None:
        self.systematic = systematic
        self._random = random

    def choose(self, count: int) -> int:
        return self._random.randrange(count)


class _Path:
    """Follows earlier choices, and takes the first alternative at each new choice."""

    systematic = True

    def __init__(self) -> None:
        self._taken: list[int] = []
        self._counts: list[int] = []
        self._position = 0

    def choose(self, count: int) -> int:
        if count == 1:
            return 0
        position = self._position
        self._position += 1
        if position == len(self._taken):
            self._taken.append(0)
            self._counts.append(count)
        return self._taken[position]

    def advance(self) -> bool:
        """Move to the next alternative at the last choice that has one; returns whether there is
        any.
        """
        self._position = 0
        while self._taken and self._taken[-1] + 1 == self._counts[-1]:
            self._taken.pop()
            self._counts.pop()
        if not self._taken:
            return False
        self._taken[-1] += 1
        return True


def explore(limit: int, seed: int = 0) -> Iterator[Choices]:
    """Choices for one launch after the other, until every combination has been taken.

    After half of `limit` launches the others choose at random, by `seed`. A depth-first search that
    is cut off would only vary the last choices.

        for choices in emulator.explore(1000):
            module.launch("kernel", (2, 1, 1), [array], choices=choices)
    """
    path = _Path()
    for _ in range(limit // 2):
        yield path
        if not path.advance():
            return
    for number in range(limit // 2, limit):
        yield RandomChoices(Random(seed * limit + number), systematic=True)
