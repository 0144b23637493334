"""Vector clocks: which accesses happened before the present of a thread.

Every warp has a clock, and so has each kind of asynchronous work of a warp. A clock advances when a
thread releases its work (arrives at a barrier, stores a flag) or starts asynchronous work. Each
access is stamped with its maker and the maker's clock. A *row* has a time for every clock of the
block: all accesses until then happened before.

The threads of a warp share a row until some of them wait alone. These threads get separate rows
until the warp converges again. Knowledge of single threads and of other blocks does not fit into
rows, and is kept in `Elsewhere`.
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
"""The planes of a row. Two hold the accesses that happened before: to any memory, and to shared
memory only. Two hold accesses before a proxy fence: for shared memory, and for global memory. Four
hold accesses before a fence: of block, cluster or device scope, and for the shared memory of a
cluster. For tensor memory, one plane holds accesses before a fence that precedes a barrier. The
last plane holds such accesses once a fence has followed the barrier, too. Releases do not forward
the last plane."""

PLANES = 10

PROXIES = (PROXY_SHARED, PROXY_GLOBAL)


@dataclass(frozen=True)
class Columns:
    """The agents of a block, whose clocks are the columns of a row.

    The first columns are its `warps`. Every warp then has a column for its copies (`cp.async`), and
    columns for the reads and the writes of its bulk copies. The mma of every warpgroup, the
    tensor-memory work of each warp, and `objects` columns for work that barrier objects count
    follow. Further counted work shares these columns.
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
    """Knowledge that does not fit into a row. It has the time until which accesses of single
    `threads` are known, by their number in the grid, and the known rows of `blocks`. `shared` is
    like `threads`, but for shared memory only. All accesses of the blocks of another grid, with
    numbers below `before`, are known."""

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
        """A copy, restricted to shared memory."""
        threads = dict(self.shared)
        _add_latest(threads, self.threads)
        return Elsewhere({}, {b: _restricted(row) for b, row in self.blocks.items()}, threads)

    def see(self) -> None:
        """A fence after a barrier: orders tensor-memory accesses before the first fence."""
        for row in self.blocks.values():
            np.maximum(row[SEEN], row[FENCED], out=row[SEEN])

    def released(self) -> Elsewhere:
        """A copy without the plane that releases do not forward."""
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
        """A copy, restricted to shared memory."""
        return Knowledge(self.block, _restricted(self.row), self.elsewhere.restricted())

    def fenced(self) -> Knowledge:
        """A copy, restricted to tensor-memory accesses before a first fence."""
        blocks = {block: _fenced(row) for block, row in self.elsewhere.blocks.items()}
        return Knowledge(self.block, _fenced(self.row), Elsewhere(blocks=blocks))

    def add(self, other: Knowledge) -> None:
        """Adds what another release makes visible."""
        if other.block == self.block:
            np.maximum(self.row, other.row, out=self.row)
        else:
            self.elsewhere.add_block(other.block, other.row)
        if other.elsewhere:
            self.elsewhere.add(other.elsewhere)


class Clocks:
    """The clocks and rows of the resident blocks, whose numbers in the grid are `blocks`.

    `row` is the index of each thread's row and `now` the clock of its warp, both `[blocks,
    threads]`. `who` is the number of each thread in the grid: each agent of a block has 32 numbers,
    one for each lane of a warp. `live` marks the threads that have not ended.
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
        """Returns what some threads of a resident block know and did, and advances their clocks."""
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
        """Lets some threads know all work of the blocks below number `before`."""
        row = np.zeros((PLANES, self.columns.total), np.int32)
        known = Knowledge(int(self.blocks[block]), row, Elsewhere(before=before))
        self.acquire(block, threads, known)

    def advance(self, block: int, warps: Array) -> None:
        self.now[block].reshape(-1, WARP_SIZE)[warps] += 1

    def acquire(self, block: int, threads: Array, known: Knowledge) -> None:
        """Lets some threads of a resident block know released work."""
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
        """The present of some threads: each thread's number, and the clock of its warp."""
        return {
            int(self.who[block, thread]): int(self.now[block, thread])
            for block, threads in by_block(group, mask)
            for thread in threads
        }

    def knows_any(self, thread: tuple[int, int], accesses: Mapping[int, int]) -> bool:
        """Whether any of some accesses, times by maker, happened before the present of a thread."""
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
        """Lets each thread know what these threads released; whole warps share a row again."""
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
        """All live threads of blocks `first:last` synchronise; false if rows cannot express it."""
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
        """The lanes of each warp of a rectangle synchronise; false if rows cannot express it."""
        b0, b1, t0, t1 = rectangle
        if self.divided[b0:b1].any() or self.elsewhere:
            return False
        each = np.arange(t0 // WARP_SIZE, t1 // WARP_SIZE)
        rows = self.by_block[b0:b1]
        rows[:, each, ORDERED, each] = self.now[b0:b1, t0:t1:WARP_SIZE]
        self.now[b0:b1, t0:t1] += 1
        return True

    def fence(self, block: int, threads: Array, planes: Sequence[int]) -> None:
        """A fence of some threads adds what they know, and what their warps did, to some planes."""
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
        """A fence of some threads adds what their warps did to a plane."""
        warps, _ = self._warps(block, threads)
        for number in np.unique(self.row[block, threads]):
            own = number % self.per_block
            warps_before = self.columns.warps
            warp = own if own < warps_before else (own - warps_before) // WARP_SIZE
            self.rows[number, plane, warp] = self.now[block, warp * WARP_SIZE]
        self.advance(block, warps)

    def issue(self, block: int, column: int) -> int:
        """Starts new asynchronous work of an agent; returns its time."""
        self.issued[block, column] += 1
        return int(self.issued[block, column])

    def finish(self, block: int, threads: Array, column: int, time: int) -> None:
        """Lets some threads know the work of an agent as done until a time."""
        # `cp.async` writes through the generic proxy: a fence must follow.
        is_generic = column < self.columns.bulk_reads
        planes = [plane for plane in range(PLANES) if plane not in PROXIES or not is_generic]
        for number in self._own_rows(block, threads):
            row = self.rows[number]
            row[planes, column] = np.maximum(row[planes, column], time)

    def _warps(self, block: int, threads: Array) -> tuple[Array, Mask]:
        """The warps of some threads, and which of these warps have no other live threads."""
        count = self.columns.warps
        lanes = np.bincount(threads // WARP_SIZE, minlength=count)
        warps = np.flatnonzero(lanes)
        live = self.live[block].reshape(count, WARP_SIZE).sum(axis=-1)
        return warps, lanes[warps] >= live[warps]

    def _own_rows(self, block: int, threads: Array) -> Array:
        """The rows of some threads, after separating these from other threads of their warps."""
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
    """Yields each resident block of a group with its active threads."""
    lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
    for block in range(group.b1 - group.b0):
        threads = np.flatnonzero(lanes[block])
        if len(threads):
            yield group.b0 + block, group.t0 + threads
