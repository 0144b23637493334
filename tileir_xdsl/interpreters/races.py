"""Data races: accesses that conflict and are not ordered.

`RaceDetector` is a memory order that performs every access at once and records it. Two accesses
race if they touch a common byte, at least one of them writes, and neither happens before the other.
Two strong accesses (atomic in a scope that includes both) do not race. Tokens order accesses within
a tile block. A release whose value an acquire reads orders accesses across tile blocks (Tile IR
specification, "Memory Model").

An access is compared with the last accesses of each op to its bytes. Of two ordered accesses by one
op only the later is compared, since an access that races with the earlier also races with the
later.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, Region

from tileir_xdsl.diagnostics import location_text
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.address_space import Allocation, Touch
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.launch import launch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces

_Agents = tuple[Region, ...]

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
            f"{describe(self.first)} and {describe(self.second)} both access byte "
            f"{self.offset} of {self.allocation}, and nothing orders them"
        )


def describe(access: Access) -> str:
    """The op of an access, its location and its tile block, for a diagnostic."""
    location = location_text(access.op.location)
    position = f" at {location}" if location else ""
    return f"'{access.op.name}'{position} in tile block {access.block}"


@dataclass(frozen=True)
class _Span:
    """Bytes of an allocation that an access read or wrote, by their sorted offsets."""

    where: Allocation
    writes: bool
    offsets: Array


@dataclass
class _Record:
    """An access, its bytes, and its predecessors.

    Bit N of `past` says that record N happens before this one.
    """

    access: Access
    past: int
    spans: tuple[_Span, ...]

    def follows(self, earlier: _Record) -> bool:
        """Whether an earlier record happens before this one."""
        return bool(self.past >> earlier.access.number & 1)

    def replaces(self, earlier: _Record) -> bool:
        """Whether each access that races with `earlier`, of the same op, races with this one."""
        is_weak = self.access.ordering.semantics == "weak"
        return self.follows(earlier) and (is_weak or self.access.block == earlier.access.block)


@dataclass
class _OpAccesses:
    """The accesses of one op; strong accesses of a narrow scope are kept per tile block.

    `latest` has, for each byte, one more than the number of the record that last read or wrote it;
    0 for none. `displaced` are records that `latest` no longer has and that must still be compared.
    """

    first: Access
    latest: dict[tuple[Allocation, bool], Array] = field(
        default_factory=dict[tuple[Allocation, bool], Array]
    )
    displaced: set[int] = field(default_factory=set[int])

    def at(self, span: _Span, writes: bool) -> set[int]:
        """The numbers of the records that last read or wrote bytes."""
        latest = self.latest.get((span.where, writes))
        if latest is None:
            return set()
        return {int(number) - 1 for number in np.unique(latest[span.offsets]) if number}

    def put(self, number: int, span: _Span) -> None:
        """Notes which record has read or written bytes."""
        latest = self.latest.get((span.where, span.writes))
        if latest is None:
            # Offsets of elements of 4 bits count elements.
            latest = np.zeros(2 * span.where.data.size, np.int64)
            self.latest[span.where, span.writes] = latest
        latest[span.offsets] = number + 1

    def conflicts_with(self, span: _Span) -> set[int]:
        """The numbers of the records that may conflict with an access to bytes."""
        kinds = (True, False) if span.writes else (True,)
        if not any((span.where, writes) in self.latest for writes in kinds):
            return set()
        return self.displaced.union(*(self.at(span, writes) for writes in kinds))


@dataclass
class RaceDetector(MemoryOrder):
    """Performs every access at once and collects the races among them.

    A pair of operations is reported once, however many of their accesses race.
    """

    NOTES_TOUCHES: ClassVar[bool] = True

    races: list[Race | OnChipRace] = field(default_factory=list["Race | OnChipRace"])
    _records: list[_Record] = field(default_factory=list[_Record])
    _groups: dict[object, _OpAccesses] = field(default_factory=dict[object, _OpAccesses])
    _released: dict[tuple[Allocation, int], int] = field(
        default_factory=dict[tuple[Allocation, int], int]
    )
    _reported: set[frozenset[Operation]] = field(default_factory=set[frozenset[Operation]])
    _waited: dict[tuple[Coordinates, _Agents], int] = field(
        default_factory=dict[tuple[Coordinates, "_Agents"], int]
    )
    """The accesses that agents of a tile block have waited for: bit N for record N."""

    def listeners(self) -> Sequence[LaunchListener]:
        return (OnChipRaces(self.races.append),)

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        value = action()
        access.number = len(self._records)
        past = self._past_of(access.after) | self._past_by_waits(access.op, access.block)
        record = _Record(access, past, _spans(access.touches))
        self._synchronise(record)
        self._compare(record)
        access.touches.clear()
        self._put(record)
        return value, Token((access,))

    def complete(self, token: Token) -> None:
        """Does nothing: accesses are performed at once."""

    def finish_block(self) -> None:
        """Does nothing: accesses are performed at once."""

    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        if token.accesses:
            key = block, _agents(op)
            self._waited[key] = self._waited.get(key, 0) | self._past_of(token.accesses)

    def _past_of(self, accesses: Sequence[Access]) -> int:
        past = 0
        for before in accesses:
            past |= self._records[before.number].past | 1 << before.number
        return past

    def _past_by_waits(self, op: Operation, block: Coordinates) -> int:
        """The accesses that the agent of an op, or an agent around it or in it, has waited for."""
        past, own = 0, _agents(op) if self._waited else ()
        for (where, agents), waited in self._waited.items():
            if where == block and all(map(operator.is_, agents, own)):
                past |= waited
        return past

    def _synchronise(self, record: _Record) -> None:
        """Adds the past of releases that a record reads; publishes a release's past."""
        semantics = record.access.ordering.semantics
        if semantics == "weak":
            return
        read, written = (
            [(s.where, int(b)) for s in record.spans if s.writes is writes for b in s.offsets]
            for writes in (False, True)
        )
        if semantics in _ACQUIRES:
            for location in read:
                record.past |= self._released.get(location, 0)
        own = record.past | 1 << record.access.number
        updates = set(read)
        for location in written:
            # A read-modify-write continues the release it reads from; a store ends it.
            continued = self._released.get(location, 0) if location in updates else 0
            self._released[location] = continued | (own if semantics in _RELEASES else 0)

    def _compare(self, later: _Record) -> None:
        """Reports the races of an access with earlier accesses, the first race first."""
        found = [race for group in self._groups.values() if (race := self._race(group, later))]
        for race in sorted(found, key=lambda race: race.first.number):
            pair = frozenset((race.first.op, race.second.op))
            if pair not in self._reported:
                self._reported.add(pair)
                self.races.append(race)

    def _race(self, group: _OpAccesses, later: _Record) -> Race | None:
        """The first race of an access with a group, unless the two ops are already reported."""
        pair = frozenset((group.first.op, later.access.op))
        if pair in self._reported or _all_strong(group.first, later.access):
            return None
        numbers = set[int]().union(*(group.conflicts_with(span) for span in later.spans))
        for earlier in (self._records[number] for number in sorted(numbers)):
            if later.follows(earlier) or _both_strong(earlier.access, later.access):
                continue
            if (common := _common(earlier, later)) is not None:
                where, offset = common
                return Race(earlier.access, later.access, where.name, offset)
        return None

    def _put(self, record: _Record) -> None:
        """Stores a record, for comparison with later accesses."""
        access = record.access
        group = self._groups.setdefault(_group_of(access), _OpAccesses(access))
        self._records.append(record)
        for span in record.spans:
            before = group.at(span, span.writes)
            group.displaced |= {n for n in before if not record.replaces(self._records[n])}
            group.put(access.number, span)


def _agents(op: Operation) -> _Agents:
    """The agent regions around an op, outermost first."""
    region, found = op.parent_region(), list[Region]()
    while region is not None and (around := region.parent_op()) is not None:
        if isinstance(around, AgentSwitchOp):
            found.append(region)
        region = around.parent_region()
    return tuple(reversed(found))


def _group_of(access: Access) -> object:
    is_narrow = access.ordering.semantics != "weak" and access.ordering.scope not in _WIDE_SCOPES
    return access.op, access.ordering, access.block if is_narrow else None


def _all_strong(first: Access, second: Access) -> bool:
    """Whether `second` is strong together with every access of the group of `first`."""
    is_one_block = first.ordering.scope not in _WIDE_SCOPES
    is_wide = second.ordering.scope in _WIDE_SCOPES
    return (is_one_block or is_wide) and _both_strong(first, second)


def _both_strong(first: Access, second: Access) -> bool:
    orderings = (first.ordering, second.ordering)
    if any(ordering.semantics == "weak" for ordering in orderings):
        return False
    same_block = first.block == second.block
    return same_block or all(ordering.scope in _WIDE_SCOPES for ordering in orderings)


def _common(earlier: _Record, later: _Record) -> tuple[Allocation, int] | None:
    """A byte at which two accesses conflict."""
    for mine in later.spans:
        for theirs in earlier.spans:
            if mine.where is theirs.where and (mine.writes or theirs.writes):
                common = np.intersect1d(mine.offsets, theirs.offsets, assume_unique=True)
                if common.size:
                    return mine.where, int(common[0])
    return None


def _spans(touches: Sequence[Touch]) -> tuple[_Span, ...]:
    """The touched byte ranges: written ranges, then read ranges."""
    found: dict[tuple[Allocation, bool], list[Array]] = {}
    for writes in (True, False):
        for touch in touches:
            if touch.writes if writes else touch.reads:
                spread = touch.bytes_of_elements
                found.setdefault((touch.allocation, writes), []).append(spread.reshape(-1))
    return tuple(_Span(*key, np.unique(np.concatenate(parts))) for key, parts in found.items())


def find_races(
    module: ModuleOp,
    kernel: str | None,
    grid: tuple[int, int, int],
    args: Sequence[Argument],
    *,
    order: Sequence[int] | None = None,
) -> list[Race | OnChipRace]:
    """Launches a kernel as `launch` does, and returns the races among its memory operations."""
    detector = RaceDetector()
    launch(module, kernel, grid, args, order=order, memory_order=detector)
    return detector.races
