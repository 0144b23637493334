"""Choices in the execution of a launch, made at random or exhaustively over many launches.

If several warps can run, the scheduler asks for the next one. If asynchronous work is delayed, the
scheduler also asks whether to execute some of it first.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol


class Choices(Protocol):
    """Chooses one of several next steps of a launch.

    If `systematic`, the scheduler does not ask about steps that no other thread can see, and does
    not favour threads that have waited long.
    """

    systematic: bool

    def choose(self, count: int) -> int:
        """A number below `count`, which is at least 1."""
        ...


class RandomChoices:
    """Chooses at random."""

    def __init__(self, random: Random, *, systematic: bool = False) -> None:
        self.systematic = systematic
        self._random = random

    def choose(self, count: int) -> int:
        return self._random.randrange(count)


class _Path:
    """Repeats earlier choices, and takes the first alternative at each new choice."""

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
        """Moves to the next alternative of the last choice that has one; false if none has."""
        self._position = 0
        while self._taken and self._taken[-1] + 1 == self._counts[-1]:
            self._taken.pop()
            self._counts.pop()
        if not self._taken:
            return False
        self._taken[-1] += 1
        return True


def explore(limit: int, seed: int = 0) -> Iterator[Choices]:
    """Yields the choices for one launch after another, until every combination has been tried.

    From half of `limit` launches on, choices are random, determined by `seed`. A depth-first search
    cut off there would only have varied the last choices.

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
