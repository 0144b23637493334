"""The last accesses to each cell of a memory, and whether new accesses are ordered after them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.races.clocks import (
    ORDERED,
    PLANES,
    PROXY_SHARED,
    SHARED,
    Columns,
    Elsewhere,
)
from tileir_xdsl.emulator.sparse_arrays import zeros
from tileir_xdsl.emulator.types import Array, Mask

SITE_BITS = 24
"""A stamp is a time shifted by this many bits, plus the number of the instruction."""

Verb = Literal["read", "write", "atomic access"]
Missing = Literal["order", "proxy fence"]
Together = Callable[[Array, Array], Mask]
"""Returns for which accesses, given by maker and stamp, the scopes of both sides suffice."""
Same = Callable[[], Mask]
"""Returns which lanes are about to store the value that is in memory already."""


@dataclass(frozen=True)
class Actor:
    """The maker of an access and its knowledge; arrays have one element per lane.

    `who` and `stamp` are recorded for the access. `row` has indices into `rows`, `[n, PLANES,
    columns]`, and `elsewhere` more knowledge; `base` is the number of the block's first agent.
    Accesses of thread `issuer` up to time `limit` happened before in any case. `slot` is the slot
    that remembers a read. Reads through the asynchronous proxy (`proxy`), and its writes to global
    memory, need a fence after other writes.
    """

    who: Array
    stamp: Array
    row: Array
    rows: Array
    base: Array
    slot: Array
    issuer: Array
    limit: Array | int
    elsewhere: Mapping[int, Elsewhere]
    proxy: bool = False

    def of(self, lanes: Mask) -> Actor:
        """The actor restricted to some lanes."""
        if lanes.all():
            return self
        return replace(
            self,
            who=self.who[lanes],
            stamp=self.stamp[lanes],
            row=self.row[lanes],
            base=self.base[lanes],
            slot=self.slot[lanes],
            issuer=self.issuer[lanes],
            limit=self.limit if isinstance(self.limit, int) else self.limit[lanes],
        )


@dataclass(frozen=True)
class Conflict:
    """An access to `cell` that is not ordered after an earlier one, of `who` with `stamp`.

    `lane` is the index of its lane among those of the actor.
    """

    lane: int
    cell: int
    earlier: Verb
    who: int
    stamp: int
    missing: Missing = "order"


class _Stamps:
    """The last access to each cell in each slot: its maker, plus 1, and its stamp."""

    def __init__(self, cells: int, slots: int) -> None:
        self.cells = cells
        self.who = zeros((slots, cells), np.int32)
        self.stamp = zeros((slots, cells), np.int64)
        self._who, self._stamp = self.who.reshape(-1), self.stamp.reshape(-1)
        # The slots that have been used are `low:high`.
        self.low, self.high = slots, 0

    def put(self, actor: Actor, cells: Array, slot: Array | None = None) -> None:
        if not cells.size:
            return
        if slot is not None:
            slot = slot % len(self.who)
            self.low = min(self.low, int(slot.min()))
            self.high = max(self.high, int(slot.max()) + 1)
            cells = cells + slot[:, None] * self.cells
        else:
            self.low, self.high = 0, 1
        self._who[cells] = actor.who[:, None] + 1
        self._stamp[cells] = actor.stamp[:, None]


class Shadow:
    """The last write to each cell of a memory, and its last reads and atomic accesses.

    A cell has `granule` bytes, and `proxy` is the plane of the proxy fences for this memory. Each
    slot keeps one read and one atomic access. Further accesses replace these, so races with the
    replaced ones go undetected.
    """

    def __init__(self, size: int, granule: int, slots: int, columns: Columns, proxy: int) -> None:
        self.granule = granule
        self.proxy = proxy
        self.columns = columns
        cells = size // granule
        self.writes = _Stamps(cells, 1)
        self.reads = _Stamps(cells, slots)
        self.slots = slots
        self.atomics: _Stamps | None = None
        self.strong_reads: _Stamps | None = None

    def cells(self, position: Array, size: int) -> Array:
        """The cells, `[n, k]`, of accesses to `size` bytes at each byte position, `[n]`."""
        first = position // self.granule
        count = size // self.granule
        return first[:, None] if count <= 1 else first[:, None] + np.arange(count)

    def read(self, actor: Actor, cells: Array) -> Conflict | None:
        """Checks a read; one through the asynchronous proxy needs a fence after the write."""
        conflict = self._find(self.writes, "write", actor, cells)
        if conflict is None and actor.proxy:
            conflict = self.unfenced(actor, cells)
        if conflict is None and self.atomics is not None:
            conflict = self._find(self.atomics, "atomic access", actor, cells)
        self.reads.put(actor, cells, actor.slot)
        return conflict

    def write(self, actor: Actor, cells: Array, same: Same | None = None) -> Conflict | None:
        """Checks a write; lanes that store the `same` value again may race with other writes.

        A write of global memory through the asynchronous proxy needs a fence after other writes.
        """
        conflict = self._find(self.writes, "write", actor, cells, same)
        # Compilers let bulk copies overwrite what threads wrote to shared memory.
        if conflict is None and actor.proxy and self.proxy != PROXY_SHARED:
            conflict = self.unfenced(actor, cells)
        if conflict is None:
            conflict = self._find(self.reads, "read", actor, cells)
        if conflict is None and self.strong_reads is not None:
            conflict = self._find(self.strong_reads, "read", actor, cells)
        if conflict is None and self.atomics is not None:
            conflict = self._find(self.atomics, "atomic access", actor, cells)
        self.writes.put(actor, cells)
        return conflict

    def strong_read(
        self, actor: Actor, cells: Array, together: Together | None = None
    ) -> Conflict | None:
        """Checks a strong read, which may race with atomic accesses and reads.

        With `together`, races with atomic accesses are allowed only if their scopes include each
        other.
        """
        conflict = self._find(self.writes, "write", actor, cells)
        if conflict is None and together is not None and self.atomics is not None:
            conflict = self._find(self.atomics, "atomic access", actor, cells, together=together)
        if self.strong_reads is None:
            self.strong_reads = _Stamps(self.writes.cells, self.slots)
        self.strong_reads.put(actor, cells, actor.slot)
        return conflict

    def atomic(
        self, actor: Actor, cells: Array, together: Together | None = None
    ) -> Conflict | None:
        """Checks an atomic access, which may race with other strong ones if `together` allows."""
        conflict = self._find(self.writes, "write", actor, cells)
        if conflict is None:
            conflict = self._find(self.reads, "read", actor, cells)
        if conflict is None and together is not None and self.strong_reads is not None:
            conflict = self._find(self.strong_reads, "read", actor, cells, together=together)
        if conflict is None and together is not None and self.atomics is not None:
            conflict = self._find(self.atomics, "atomic access", actor, cells, together=together)
        if self.atomics is None:
            self.atomics = _Stamps(self.writes.cells, self.slots)
        self.atomics.put(actor, cells, actor.slot)
        return conflict

    def _find(
        self,
        stamps: _Stamps,
        verb: Verb,
        actor: Actor,
        cells: Array,
        same: Same | None = None,
        *,
        together: Together | None = None,
    ) -> Conflict | None:
        """The first recorded access that an actor's are not ordered after, unless excused."""
        if stamps.low >= stamps.high:
            return None
        who = stamps.who[stamps.low : stamps.high].take(cells, axis=1)
        if not who.any():
            return None
        who -= 1
        stamp = stamps.stamp[stamps.low : stamps.high].take(cells, axis=1)
        bad = self._unordered(actor, who, stamp)
        if same is not None and bad.any():
            bad &= ~same()[:, None]
        if together is not None and bad.any():
            bad &= ~together(who, stamp)
        if not bad.any():
            return None
        slot, lane, position = (int(i) for i in np.argwhere(bad)[0])
        return Conflict(
            lane,
            int(cells[lane, position]),
            verb,
            int(who[slot, lane, position]),
            int(stamp[slot, lane, position]),
        )

    def _unordered(self, actor: Actor, who: Array, stamp: Array) -> Mask:
        """Which recorded accesses, `[slots, n, k]`, did not happen before the actor's."""
        time = stamp >> SITE_BITS
        column = (who >> 5) - actor.base[:, None]
        width = actor.rows.shape[-1]
        inside = column.view(np.uint64) < np.uint64(width)
        positions = actor.row[:, None] * (PLANES * width) + column
        known = actor.rows.reshape(-1).take(positions, mode="clip")
        bad = (time > known) | ~inside
        bad &= who >= 0
        if not bad.any():
            return bad
        if self.proxy == PROXY_SHARED:
            known = actor.rows.reshape(-1).take(positions + SHARED * width, mode="clip")
            bad &= (time > known) | ~inside
        limit = actor.limit if isinstance(actor.limit, int) else actor.limit[:, None]
        bad &= (who != actor.issuer[:, None]) | (time > limit)
        if actor.elsewhere and bad.any():
            self._excuse(actor, bad, who, time)
        return bad

    def _excuse(self, actor: Actor, bad: Mask, who: Array, time: Array) -> None:
        """Clears in `bad` the accesses that an actor's knowledge outside of rows orders."""
        rows = np.broadcast_to(actor.row[:, None], bad.shape)
        for row in np.unique(rows[bad]):
            elsewhere = actor.elsewhere.get(int(row))
            if elsewhere is None:
                continue
            chosen = np.nonzero(bad & (rows == row))
            their, when = who[chosen], time[chosen]
            agent = their // WARP_SIZE
            block, column = agent // self.columns.total, agent % self.columns.total
            known = block < elsewhere.before
            of_shared = self.proxy == PROXY_SHARED
            threads = (elsewhere.threads, elsewhere.shared if of_shared else {})
            for thread, until in (item for known_of in threads for item in known_of.items()):
                known |= (their == thread) & (when <= until)
            for other, theirs in elsewhere.blocks.items():
                known |= (block == other) & (when <= theirs[ORDERED, column])
                if of_shared:
                    known |= (block == other) & (when <= theirs[SHARED, column])
            bad[chosen] &= ~known

    def unfenced(self, actor: Actor, cells: Array) -> Conflict | None:
        """The first write through the generic proxy without a proxy fence after it."""
        who = self.writes.who[0].take(cells)
        if not who.any():
            return None
        who -= 1
        column = (who >> 5) - actor.base[:, None]
        width = actor.rows.shape[-1]
        # Threads of the same block and their `cp.async`; other asynchronous work needs no fence.
        generic = column.view(np.uint64) < np.uint64(self.columns.bulk_reads)
        positions = actor.row[:, None] * (PLANES * width) + self.proxy * width + column
        fenced = actor.rows.reshape(-1).take(positions, mode="clip")
        stamp = self.writes.stamp[0].take(cells)
        bad = generic & (stamp >> SITE_BITS > fenced)
        if not bad.any():
            return None
        lane, position = (int(i) for i in np.argwhere(bad)[0])
        return Conflict(
            lane,
            int(cells[lane, position]),
            "write",
            int(who[lane, position]),
            int(stamp[lane, position]),
            "proxy fence",
        )
