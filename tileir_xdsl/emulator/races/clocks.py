"""Vector clocks: which accesses happened before the present of a thread.

Every warp has a clock; so has each kind of asynchronous work of a warp. It advances when a thread
releases its work (arrives at a barrier, stores a flag) or starts asynchronous work. An access is
stamped with who made it and with that clock. A *row* says of every clock of the block up to which
time all is known: accesses until then happened before.

The threads of a warp share a row until some of them wait without the others. These get separate
rows, until the warp converges again. Knowledge of single threads and other blocks does not fit into
rows, and is kept alongside them (`Elsewhere`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

(
    ORDERED,
    SHARED,
    PROXY_SHARED,
    PROXY_GLOBAL,
    BLOCK,
    CLUSTER,
    DEVICE,
    RESTRICTED,
    FENCED,
    SEEN,
) = range(10)
"""The planes of a row. Two have accesses that happened before: all, and those to shared memory
only. Two have accesses that a proxy fence followed: for shared memory, and for global memory. Four
have accesses that a fence followed: of at least block, cluster and device scope, and for the shared
memory of a cluster. Of tensor memory, one plane has accesses that a fence before a barrier
followed. Another has those that are before the next ones, as a fence after the barrier followed,
too. A thread keeps the last plane to itself."""

PLANES = 10

PROXIES = (PROXY_SHARED, PROXY_GLOBAL)


@dataclass(frozen=True)
class Columns:
    """The agents of a block, whose clocks are the columns of a row.

    First come its `warps`. Then every warp has its copies (`cp.async`) and the reads and the writes
    of its bulk copies. After them come the mma of every warpgroup, the work in tensor memory of
    each warp, and the work that some barrier `objects` count. Further ones share columns.
    """

    warps: int
    objects: int = 32

    @cached_property
    def copies(self) -> int:
        return self.warps

    @cached_property
    def bulk_reads(self) -> int:
        return 2 * self.warps

    @cached_property
    def bulk_writes(self) -> int:
        return 3 * self.warps

    @cached_property
    def mmas(self) -> int:
        return 4 * self.warps

    @cached_property
    def tensor_work(self) -> int:
        return self.mmas + -(-self.warps // 4)

    @cached_property
    def counted(self) -> int:
        return self.tensor_work + self.warps

    @cached_property
    def total(self) -> int:
        return self.counted + self.objects


@dataclass
class Elsewhere:
    """Knowledge that does not fit into a row. It has accesses of single `threads` until a time, by
    their number in the grid, and the known rows of `blocks`. `shared` are the threads known of
    shared memory only. All accesses of the blocks below the number `before` are known: of another
    grid."""

    threads: dict[int, int] = field(default_factory=lambda: dict[int, int]())
    blocks: dict[int, Array] = field(default_factory=lambda: dict[int, Array]())
    shared: dict[int, int] = field(default_factory=lambda: dict[int, int]())
    before: int = 0

    def __bool__(self) -> bool:
        return bool(self.threads or self.blocks or self.shared or self.before)

    def copy(self) -> Elsewhere:
        blocks = {b: row.copy() for b, row in self.blocks.items()}
        return Elsewhere(dict(self.threads), blocks, dict(self.shared), self.before)

    def restricted(self) -> Elsewhere:
        """The same, restricted to shared memory."""
        threads = dict(self.shared)
        _add_latest(threads, self.threads)
        return Elsewhere({}, {b: _restricted(row) for b, row in self.blocks.items()}, threads)

    def see(self) -> None:
        """A fence after a barrier: accesses that a fence before the barrier followed in tensor
        memory are now earlier.
        """
        for row in self.blocks.values():
            np.maximum(row[SEEN], row[FENCED], out=row[SEEN])

    def released(self) -> Elsewhere:
        """The same without what a thread keeps to itself."""
        found = self.copy()
        for row in found.blocks.values():
            row[SEEN] = 0
        return found

    def add(self, other: Elsewhere) -> None:
        _add_latest(self.threads, other.threads)
        _add_latest(self.shared, other.shared)
        self.before = max(self.before, other.before)
        for block, row in other.blocks.items():
            self.add_block(block, row)

    def add_block(self, block: int, row: Array) -> None:
        known = self.blocks.get(block)
        self.blocks[block] = row.copy() if known is None else np.maximum(known, row)


def _add_latest(times: dict[int, int], others: Mapping[int, int]) -> None:
    if not times:
        times.update(others)
        return
    for thread, time in others.items():
        if time > times.get(thread, 0):
            times[thread] = time


def _restricted(row: Array) -> Array:
    found = np.zeros_like(row)
    np.maximum(row[ORDERED], row[SHARED], out=found[SHARED])
    return found


def _fenced(row: Array) -> Array:
    found = np.zeros_like(row)
    found[FENCED] = row[FENCED]
    return found


@dataclass
class Knowledge:
    """Knowledge that a release makes visible: a row, `[PLANES, columns]`, and `elsewhere`."""

    block: int
    row: Array
    elsewhere: Elsewhere = field(default_factory=Elsewhere)

    def copy(self) -> Knowledge:
        return Knowledge(self.block, self.row.copy(), self.elsewhere.copy())

    def restricted(self) -> Knowledge:
        """The same, restricted to shared memory."""
        return Knowledge(self.block, _restricted(self.row), self.elsewhere.restricted())

    def fenced(self) -> Knowledge:
        """The part of it in tensor memory that fences before barriers have followed."""
        blocks = {block: _fenced(row) for block, row in self.elsewhere.blocks.items()}
        return Knowledge(self.block, _fenced(self.row), Elsewhere(blocks=blocks))

    def add(self, other: Knowledge) -> None:
        """Know what another release makes visible, too."""
        if other.block == self.block:
            np.maximum(self.row, other.row, out=self.row)
        else:
            self.elsewhere.add_block(other.block, other.row)
        if other.elsewhere:
            self.elsewhere.add(other.elsewhere)


class Clocks:
    """The clocks and rows of the resident blocks, whose numbers in the grid are `blocks`.

    `row` numbers the row of each thread and `now` is the clock of its warp, both `[blocks,
    threads]`. `who` is the number of each thread in the grid: 32 for each agent of each block, the
    lanes of a warp. `live` marks the threads that have not ended.
    """

    def __init__(self, blocks: Array, columns: Columns, live: Mask) -> None:
        self.blocks = blocks
        self.columns = columns
        self.live = live
        count, self.threads = live.shape
        self.per_block = columns.warps + self.threads
        self.rows = np.zeros((count * self.per_block, PLANES, columns.total), np.int32)
        self.by_block = self.rows.reshape(count, self.per_block, PLANES, columns.total)
        warp = np.arange(self.threads) // WARP_SIZE
        self.row = np.arange(count)[:, None] * self.per_block + warp
        self.now = np.ones(live.shape, np.int64)
        self.bases = blocks * columns.total
        self.who = self.bases[:, None] * WARP_SIZE + np.arange(self.threads)
        self.agents = np.broadcast_to(self.bases[:, None], live.shape)
        # The clocks of asynchronous work, by column.
        self.issued = np.zeros((count, columns.total), np.int64)
        # Whether threads of a block have rows of their own, and what is outside rows.
        self.divided = np.zeros(count, np.bool_)
        self.elsewhere: dict[int, Elsewhere] = {}

    def release(self, block: int, threads: Array) -> Knowledge:
        """Releases the knowledge and the past work of some threads of a resident block; their
        warps' clocks advance."""
        warps, whole = self._warps(block, threads)
        if self.divided[block] or self.elsewhere:
            numbers = np.unique(self.row[block, threads])
            row = self.rows[numbers].max(axis=0)
        else:
            numbers = ()
            row = self.by_block[block, warps].max(axis=0)
        row[SEEN] = 0
        known = Knowledge(int(self.blocks[block]), row)
        for number in numbers:
            found = self.elsewhere.get(int(number))
            if found is not None:
                known.elsewhere.add(found.released())
        entire = warps[whole]
        row[ORDERED, entire] = self.now[block, entire * WARP_SIZE]
        if len(entire) < len(warps):
            partial = threads[np.isin(threads // WARP_SIZE, warps[~whole])]
            for who, time in zip(self.who[block, partial], self.now[block, partial], strict=True):
                known.elsewhere.threads[int(who)] = int(time)
        self.advance(block, warps)
        return known

    def acquire_grids(self, block: int, threads: Array, before: int) -> None:
        """Let some threads know all that the blocks below a number have done."""
        row = np.zeros((PLANES, self.columns.total), np.int32)
        known = Knowledge(int(self.blocks[block]), row, Elsewhere(before=before))
        self.acquire(block, threads, known)

    def advance(self, block: int, warps: Array) -> None:
        self.now[block].reshape(-1, WARP_SIZE)[warps] += 1

    def acquire(self, block: int, threads: Array, known: Knowledge) -> None:
        """Let some threads of a resident block know what was released."""
        elsewhere = known.elsewhere
        row: Array | None = known.row
        here = int(self.blocks[block])
        if known.block != here:
            elsewhere = elsewhere.copy()
            elsewhere.add_block(known.block, known.row)
            row = elsewhere.blocks.pop(here, None)
        elif here in elsewhere.blocks:
            elsewhere = elsewhere.copy()
            row = np.maximum(known.row, elsewhere.blocks.pop(here))
        for number in self._own_rows(block, threads):
            if row is not None:
                np.maximum(self.rows[number], row, out=self.rows[number])
            if elsewhere:
                self.elsewhere.setdefault(int(number), Elsewhere()).add(elsewhere)

    def moment(self, group: Threads, mask: Mask) -> Mapping[int, int]:
        """The present of some threads: the number of each, and the clock of its warp."""
        return {
            int(self.who[block, thread]): int(self.now[block, thread])
            for block, threads in by_block(group, mask)
            for thread in threads
        }

    def knows_any(self, thread: tuple[int, int], accesses: Mapping[int, int]) -> bool:
        """Whether any of some accesses happened before the present of a thread: when each was made,
        by who made it."""
        number, total = int(self.row[thread]), self.columns.total
        first = int(self.agents[thread])
        elsewhere = self.elsewhere.get(number, Elsewhere())
        for who, time in accesses.items():
            agent = who // WARP_SIZE
            block, column = divmod(agent, total)
            row = elsewhere.blocks.get(block)
            if (
                who == self.who[thread]
                or (agent - column == first and self.rows[number, ORDERED, column] >= time)
                or elsewhere.threads.get(who, 0) >= time
                or (row is not None and row[ORDERED, column] >= time)
                or block < elsewhere.before
            ):
                return True
        return False

    def meet(self, block: int, threads: Array, known: Knowledge) -> None:
        """Let each thread know what all of these threads released, so that whole warps share a row
        again.
        """
        warps, whole = self._warps(block, threads)
        kept: dict[int, Elsewhere] = {}
        if self.divided[block]:
            rejoining = np.isin(threads // WARP_SIZE, warps[whole])
            old = self.row[block, threads[rejoining]]
            for warp in np.unique(threads[rejoining] // WARP_SIZE):
                numbers = np.unique(old[threads[rejoining] // WARP_SIZE == warp])
                shared = self.by_block[block, warp, SEEN]
                np.maximum(shared, self.rows[numbers, SEEN].max(axis=0), out=shared)
                for number in numbers[[int(number) in self.elsewhere for number in numbers]]:
                    seen = kept.setdefault(block * self.per_block + int(warp), Elsewhere())
                    seen.add(Elsewhere(blocks=self.elsewhere[int(number)].blocks))
            self.row[block, threads[rejoining]] = (
                block * self.per_block + threads[rejoining] // WARP_SIZE
            )
            for number in np.unique(old):
                self.elsewhere.pop(int(number), None)
            own = self.row[block] % self.per_block >= self.columns.warps
            self.divided[block] = bool((own & self.live[block]).any())
        self.acquire(block, threads, known)
        for number, seen in kept.items():
            self.elsewhere.setdefault(number, Elsewhere()).add(seen)

    def meet_all(self, first: int, last: int) -> bool:
        """All live threads of blocks `first:last` meet; whether rows alone can say it."""
        if self.divided[first:last].any() or self.elsewhere:
            return False
        warps = self.columns.warps
        rows = self.by_block[first:last, :warps]
        live = self.live[first:last].reshape(last - first, warps, WARP_SIZE).any(axis=-1)
        each = np.arange(warps)
        now = self.now[first:last, ::WARP_SIZE]
        rows[:, each, ORDERED, each] = np.where(live, now, rows[:, each, ORDERED, each])
        seen = rows[:, :, SEEN].copy()
        rows[...] = rows.max(axis=1, keepdims=True)
        rows[:, :, SEEN] = seen
        self.now[first:last] += 1
        return True

    def meet_warps(self, rectangle: tuple[int, int, int, int]) -> bool:
        """The lanes of every warp of a rectangle meet; whether rows alone can say it."""
        b0, b1, t0, t1 = rectangle
        if self.divided[b0:b1].any() or self.elsewhere:
            return False
        each = np.arange(t0 // WARP_SIZE, t1 // WARP_SIZE)
        rows = self.by_block[b0:b1]
        rows[:, each, ORDERED, each] = self.now[b0:b1, t0:t1:WARP_SIZE]
        self.now[b0:b1, t0:t1] += 1
        return True

    def fence(self, block: int, threads: Array, planes: Sequence[int]) -> None:
        """A fence of some threads: what they know, and what their warps did, is on these planes."""
        warps, _ = self._warps(block, threads)
        numbers = np.unique(self.row[block, threads])
        own = numbers % self.per_block
        warp = np.where(own < self.columns.warps, own, (own - self.columns.warps) // WARP_SIZE)
        rows = self.rows[numbers]
        for plane in planes:
            np.maximum(rows[:, plane], rows[:, ORDERED], out=rows[:, plane])
            if plane in (RESTRICTED, PROXY_SHARED):
                np.maximum(rows[:, plane], rows[:, SHARED], out=rows[:, plane])
            rows[np.arange(len(numbers)), plane, warp] = self.now[block, warp * WARP_SIZE]
        self.rows[numbers] = rows
        self.advance(block, warps)

    def fence_own(self, block: int, threads: Array, plane: int) -> None:
        """A fence of some threads for what their warps did themselves, on a plane."""
        warps, _ = self._warps(block, threads)
        for number in np.unique(self.row[block, threads]):
            own = number % self.per_block
            warps_before = self.columns.warps
            warp = own if own < warps_before else (own - warps_before) // WARP_SIZE
            self.rows[number, plane, warp] = self.now[block, warp * WARP_SIZE]
        self.advance(block, warps)

    def issue(self, block: int, column: int) -> int:
        """The time of new asynchronous work of an agent."""
        self.issued[block, column] += 1
        return int(self.issued[block, column])

    def finish(self, block: int, threads: Array, column: int, time: int) -> None:
        """Some threads know that the work of an agent is done until a time."""
        # `cp.async` writes through the generic proxy: a fence must follow.
        is_generic = column < self.columns.bulk_reads
        planes = [plane for plane in range(PLANES) if plane not in PROXIES or not is_generic]
        for number in self._own_rows(block, threads):
            row = self.rows[number]
            row[planes, column] = np.maximum(row[planes, column], time)

    def _warps(self, block: int, threads: Array) -> tuple[Array, Mask]:
        """The warps that threads are of, and whether these are all live threads of the warp."""
        count = self.columns.warps
        lanes = np.bincount(threads // WARP_SIZE, minlength=count)
        warps = np.flatnonzero(lanes)
        live = self.live[block].reshape(count, WARP_SIZE).sum(axis=-1)
        return warps, lanes[warps] >= live[warps]

    def _own_rows(self, block: int, threads: Array) -> Array:
        """The rows of threads, after those that leave others of their warp got their own."""
        warps, whole = self._warps(block, threads)
        if not whole.all():
            first = block * self.per_block
            shared = self.row[block, threads] - first < self.columns.warps
            leaving = threads[shared & np.isin(threads // WARP_SIZE, warps[~whole])]
            for thread in leaving:
                old, new = int(self.row[block, thread]), first + self.columns.warps + int(thread)
                self.rows[new] = self.rows[old]
                self.elsewhere.pop(new, None)
                if old in self.elsewhere:
                    self.elsewhere[new] = self.elsewhere[old].copy()
                self.row[block, thread] = new
                self.divided[block] = True
        elif not self.divided[block]:
            return block * self.per_block + warps
        return np.unique(self.row[block, threads])


def by_block(group: Threads, mask: Mask | None) -> Iterator[tuple[int, Array]]:
    """The resident blocks of a group, and the threads of each that are active."""
    lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    for block in range(group.b1 - group.b0):
        threads = np.flatnonzero(lanes[block])
        if len(threads):
            yield group.b0 + block, group.t0 + threads
