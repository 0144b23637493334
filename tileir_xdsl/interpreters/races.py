"""Data races: accesses that conflict and that nothing orders.

`RaceDetector` is a memory order that performs everything at once and keeps a record of it. Two
accesses race if they touch a common byte, at least one of them writes, neither happens before the
other, and they are not both strong (atomic enough for the scope that holds them both). What
happens before what: tokens within a tile block, and a release whose value an acquire reads across
blocks (Tile IR specification, "Memory Model").

Records are compared with each other: this is for launches of a few thousand accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.address_space import Allocation, Touch
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.errors import location_text
from tileir_xdsl.interpreters.launch import launch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces

_ACQUIRES = ("acquire", "acq_rel")
_RELEASES = ("release", "acq_rel")
_WIDE_SCOPES = ("device", "sys")


@dataclass(frozen=True)
class Race:
    """Two accesses that conflict at byte `offset` of `allocation`, unordered."""

    first: Access
    second: Access
    allocation: str
    offset: int

    def __str__(self) -> str:
        return (
            f"{_describe(self.first)} and {_describe(self.second)} both access byte "
            f"{self.offset} of {self.allocation}, and nothing orders them"
        )


def _describe(access: Access) -> str:
    location = location_text(access.op.location)
    position = f" at {location}" if location else ""
    return f"'{access.op.name}'{position} in tile block {access.block}"


@dataclass
class _Record:
    """An access, the bytes it touched by allocation, and what happened before it.

    `past` has the bit of every record that happens before this one.
    """

    access: Access
    past: int
    reads: dict[Allocation, Array]
    writes: dict[Allocation, Array]


@dataclass
class RaceDetector(MemoryOrder):
    """Performs every access at once and collects the races among them.

    A pair of operations is reported once, however many of their accesses race.
    """

    NOTES_TOUCHES: ClassVar[bool] = True

    races: list[Race | OnChipRace] = field(default_factory=list["Race | OnChipRace"])
    _records: list[_Record] = field(default_factory=list[_Record])
    _released: dict[tuple[Allocation, int], int] = field(
        default_factory=dict[tuple[Allocation, int], int]
    )
    _reported: set[frozenset[Operation]] = field(default_factory=set[frozenset[Operation]])

    def listeners(self) -> Sequence[LaunchListener]:
        return (OnChipRaces(self.races.append),)

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        value = action()
        access.number = len(self._records)
        record = _Record(
            access,
            self._past_by_tokens(access),
            _bytes_by_allocation(access.touches, writes=False),
            _bytes_by_allocation(access.touches, writes=True),
        )
        self._synchronise(record)
        for earlier in self._records:
            if not record.past >> earlier.access.number & 1:
                self._compare(earlier, record)
        access.touches.clear()
        self._records.append(record)
        return value, Token((access,))

    def complete(self, token: Token) -> None:
        """It is done already."""

    def finish_block(self) -> None:
        """Nothing was put off."""

    def _past_by_tokens(self, access: Access) -> int:
        past = 0
        for before in access.after:
            past |= self._records[before.number].past | 1 << before.number
        return past

    def _synchronise(self, record: _Record) -> None:
        """Take over the past of releases that are read, and publish it at what is released."""
        semantics = record.access.ordering.semantics
        if semantics == "weak":
            return
        read = [(where, int(b)) for where, offsets in record.reads.items() for b in offsets]
        written = [(where, int(b)) for where, offsets in record.writes.items() for b in offsets]
        if semantics in _ACQUIRES:
            for location in read:
                record.past |= self._released.get(location, 0)
        own = record.past | 1 << record.access.number
        updates = set(read)
        for location in written:
            # A read-modify-write continues the release it reads from; a store ends it.
            continued = self._released.get(location, 0) if location in updates else 0
            self._released[location] = continued | (own if semantics in _RELEASES else 0)

    def _compare(self, earlier: _Record, later: _Record) -> None:
        if _both_strong(earlier.access, later.access):
            return
        pair = frozenset((earlier.access.op, later.access.op))
        if pair in self._reported:
            return
        for mine, theirs in (
            (later.writes, earlier.writes),
            (later.writes, earlier.reads),
            (later.reads, earlier.writes),
        ):
            for where in mine.keys() & theirs.keys():
                common = np.intersect1d(mine[where], theirs[where], assume_unique=True)
                if common.size:
                    self._reported.add(pair)
                    race = Race(earlier.access, later.access, where.name, int(common[0]))
                    self.races.append(race)
                    return


def _both_strong(first: Access, second: Access) -> bool:
    orderings = (first.ordering, second.ordering)
    if any(ordering.semantics == "weak" for ordering in orderings):
        return False
    same_block = first.block == second.block
    return same_block or all(ordering.scope in _WIDE_SCOPES for ordering in orderings)


def _bytes_by_allocation(touches: Sequence[Touch], writes: bool) -> dict[Allocation, Array]:
    """The byte offsets touched, sorted, by allocation."""
    found: dict[Allocation, list[Array]] = {}
    for touch in touches:
        if touch.writes if writes else touch.reads:
            spread = touch.offsets.reshape(-1, 1) + np.arange(touch.size)
            found.setdefault(touch.allocation, []).append(spread.reshape(-1))
    return {where: np.unique(np.concatenate(parts)) for where, parts in found.items()}


def find_races(
    module: ModuleOp,
    kernel: str | None,
    grid: tuple[int, int, int],
    args: Sequence[Argument],
    *,
    order: Sequence[int] | None = None,
) -> list[Race | OnChipRace]:
    """Launch a kernel as `launch` does, and return the races among its memory operations."""
    detector = RaceDetector()
    launch(module, kernel, grid, args, order=order, memory_order=detector)
    return detector.races
