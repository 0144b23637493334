"""The order of accesses that tokens establish.

Accesses are divided into chains, in which each access follows the previous one. An access stores
its last predecessor in each chain, so one comparison shows whether it follows another access.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Position:
    """The position of an access in a chain, and the number of accesses of each chain up to it."""

    chain: int
    number: int
    behind: Mapping[int, int]

    def follows(self, other: Position) -> bool:
        """Whether tokens order the access at another position before the access at this one."""
        return self.behind.get(other.chain, 0) >= other.number


@dataclass
class TokenOrder:
    """The lengths of the chains of accesses so far."""

    lengths: list[int] = field(default_factory=list[int])

    def after(self, named: Iterable[Position]) -> Position:
        """The position of the next access, which follows the accesses that its tokens name."""
        behind: dict[int, int] = {}
        for position in named:
            for chain, number in position.behind.items():
                behind[chain] = max(number, behind.get(chain, 0))
        # A chain goes on where its last access is followed: there are then as few as can be known.
        ends = (chain for chain, number in behind.items() if number == self.lengths[chain])
        chain = next(ends, len(self.lengths))
        if chain == len(self.lengths):
            self.lengths.append(0)
        self.lengths[chain] += 1
        behind[chain] = self.lengths[chain]
        return Position(chain, self.lengths[chain], behind)
