"""Races in tensor memory: accesses of warps and of mma that neither a wait nor a fence orders.

A warp loads and stores by itself. Work that a thread issues (`tcgen05.mma`, `.cp`, `.shift`)
belongs to a separate agent; such work of one warpgroup is ordered. A barrier, or an arrival with a
wait, even a relaxed one, orders warps only between two fences. The fences are
`tcgen05.fence::before_thread_sync` before the barrier, and `::after_thread_sync` after it. A commit
implies the first fence (PTX ISA, "tcgen05 Memory Consistency Model"). A thread that waits for the
barrier object of a commit knows all work that the committing thread had issued. The waiting thread
also knows what preceded the last of this work. It knows nothing else of the committing thread, nor
asynchronous work by other threads (PTX ISA, "tcgen05.commit"). In a kernel without such fences the
assembler inserts them: a barrier alone is enough there. Loads and stores are checked when they are
executed: with late work, at the wait for them. Deallocating columns must be ordered after all
accesses to them, but needs no second fence, since it is synchronous.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault, RaceFault
from tileir_xdsl.emulator.races.clocks import (
    FENCED,
    ORDERED,
    SEEN,
    Clocks,
    Elsewhere,
    Knowledge,
    by_block,
)
from tileir_xdsl.emulator.races.flags import Flags
from tileir_xdsl.emulator.races.reports import Reports
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Actor
from tileir_xdsl.emulator.tensor_memory import COLUMNS, LANES
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

_ROWS = LANES // 16
"""Accesses are recorded for groups of 16 lanes: no access takes fewer."""

_Verb = Literal["read", "write", "deallocation"]


@dataclass(frozen=True)
class _Reader:
    """The knowledge of a thread when it issued work: its row of clocks, and `elsewhere`. `who` is
    the number of the thread and `now` the time of its warp."""

    row: Array
    elsewhere: Elsewhere | None
    who: int
    now: int


@dataclass(frozen=True)
class _Accessor:
    """The maker of an access: a resident block, a column of its clocks, and its knowledge.

    `own` are the columns whose accesses are always ordered before this one. `seen` and `fenced`
    are rows of clocks. `seen` has the accesses that are ordered before this one. `fenced` has those
    before a `tcgen05.fence::before_thread_sync`, which an `after_thread_sync` moves to `seen`.
    `elsewhere` has the knowledge about the other block of a pair.
    """

    block: int
    column: int
    time: int
    own: tuple[int, ...]
    seen: Array
    fenced: Array
    ordered: Array
    only: Mask
    elsewhere: Elsewhere | None = None
    reader: _Reader | None = None
    """For work that a thread has issued, its knowledge for reads of shared memory."""


def _until(work: _Accessor, block: int) -> Knowledge:
    """Knowledge after work of a block is done: this work, and everything before it."""
    assert work.reader is not None
    row = work.reader.row.copy()
    row[SEEN] = 0
    row[[ORDERED, FENCED], work.column] = work.time
    elsewhere = Elsewhere() if work.reader.elsewhere is None else work.reader.elsewhere.released()
    elsewhere.threads[work.reader.who] = work.reader.now
    return Knowledge(block, row, elsewhere)


class TensorMemoryRaces:
    """The last accesses of the tensor memory of the resident blocks."""

    def __init__(self, clocks: Clocks, flags: Flags, reports: Reports) -> None:
        self.clocks = clocks
        self.flags = flags
        self.reports = reports
        self._writes: dict[int, tuple[Array, Array]] = {}
        """For each block: the number of the last writer of each cell, plus 1, and the stamps."""
        self._reads: dict[tuple[int, int], Array] = {}
        """For each block and reader: the stamps of the reader's last reads of each cell."""
        self._running: dict[tuple[int, int], _Accessor] = {}
        """The work that is being executed, by block and thread of its issuer."""
        self._issued: dict[tuple[int, int], _Accessor] = {}
        """The last work that each thread has issued, by block and thread."""

    @cached_property
    def _has_fences(self) -> bool:
        """Whether a kernel has fences: in Triton's kernels the assembler inserts all."""
        return any("tcgen05.fence" in site.mnemonic for site in self.reports.sites)

    # Order.

    def fence_before(self, group: Threads, mask: Mask | None) -> None:
        """Orders the past work of warps before work after a barrier or a relaxed store."""
        self.flags.has_fences = True
        for block, threads in by_block(group, mask):
            self.clocks.fence_own(block, threads, FENCED)

    def fence_after(self, group: Threads, mask: Mask | None) -> None:
        """Orders work fenced before a barrier before the future work of these threads."""
        clocks = self.clocks
        for block, threads in by_block(group, mask):
            self.flags.acquire_fenced(block, threads)
            for number in np.unique(clocks.row[block, threads]):
                np.maximum(
                    clocks.rows[number, SEEN],
                    clocks.rows[number, FENCED],
                    out=clocks.rows[number, SEEN],
                )
                if int(number) in clocks.elsewhere:
                    clocks.elsewhere[int(number)].see()

    def commit(self, group: Threads, mask: Mask | None) -> Mapping[tuple[int, int], Knowledge]:
        """Records a commit, whose object completes with the work that threads have issued.

        Returns the knowledge after this work, by block and thread.
        """
        self.fence_before(group, mask)
        clocks = self.clocks
        finished: dict[tuple[int, int], Knowledge] = {}
        for block, threads in by_block(group, mask):
            for thread in map(int, threads):
                row = np.zeros_like(clocks.rows[0])
                row[FENCED] = clocks.rows[clocks.row[block, thread], FENCED]
                known = Knowledge(int(clocks.blocks[block]), row)
                last = self._issued.get((block, thread))
                if last is not None:
                    known.add(_until(last, known.block))
                finished[block, thread] = known
        return finished

    def forget(self, block: int, first: int, count: int) -> None:
        """Columns are allocated anew: forgets earlier accesses."""
        columns = slice(first, first + count)
        if block in self._writes:
            self._writes[block][0][:, columns] = 0
        for (other, _), stamps in self._reads.items():
            if other == block:
                stamps[:, columns] = 0

    # Accesses.

    def free(self, group: Threads, first_lane: Mask, block: int, first: int, count: int) -> None:
        """Checks that no other access to columns is unordered when a warp deallocates them."""
        thread = group.t0 + int(np.nonzero(first_lane)[1][0])
        warp = self._warp(block, thread, first_lane)
        elsewhere = None if warp.elsewhere is None else warp.elsewhere.copy()
        if elsewhere is not None:
            elsewhere.see()
        agent = replace(warp, seen=np.maximum(warp.seen, warp.fenced), elsewhere=elsewhere)
        rows, columns = np.arange(_ROWS), np.arange(first, first + count)
        self._check_accesses(agent, block, rows, columns, "deallocation")

    def start(
        self, group: Threads, mask: Mask, function: Callable[..., object]
    ) -> Callable[..., object]:
        """Wraps a function as work that threads issue now, even if it is called later."""
        clocks = self.clocks
        agents: dict[tuple[int, int], _Accessor] = {}
        for block, threads in by_block(group, mask):
            # Of several threads each does it in turn, and for itself.
            for thread in map(int, threads):
                column, number = self._issuer(thread), int(clocks.row[block, thread])
                row, elsewhere = clocks.rows[number].copy(), self._elsewhere(number)
                own = (*self._issuers(thread), thread // WARP_SIZE)
                time = clocks.issue(block, column)
                who, now = int(clocks.who[block, thread]), int(clocks.now[block, thread])
                agents[block, thread] = _Accessor(
                    block,
                    column,
                    time,
                    own,
                    row[SEEN],
                    row[FENCED],
                    row[ORDERED],
                    mask,
                    elsewhere,
                    _Reader(row, elsewhere, who, now),
                )
                self._issued[block, thread] = agents[block, thread]
                # Later work of the thread is not before the issued work.
                clocks.advance(block, np.array([thread // WARP_SIZE]))

        def run(group: Threads, mask: Mask, *operands: Array) -> object:
            outer, self._running = self._running, agents
            try:
                return function(group, mask, *operands)
            finally:
                self._running = outer

        return run

    def touch(
        self, group: Threads, only: Mask, block: int, lanes: Array, columns: Array, *, writes: bool
    ) -> None:
        """Work of the one thread in `only` accesses cells of its block, or of another one."""
        row, lane = (int(each[0]) for each in np.nonzero(only))
        agent = self._running[group.b0 + row, group.t0 + lane]
        rows, places = np.unique(lanes // 16), np.unique(columns)
        self._access(group.site, agent, block, rows, places, writes=writes)

    def reader(self, site: int, block: int, thread: int, slot: int) -> Actor | None:
        """The running work of a thread as an actor that reads shared memory."""
        agent = self._running.get((block, thread))
        if agent is None or agent.reader is None:
            return None
        known, base = agent.reader, self.clocks.bases[block]
        return Actor(
            np.array([(base + agent.column) * WARP_SIZE]),
            np.array([agent.time << SITE_BITS | site]),
            np.zeros(1, np.int64),
            known.row[None],
            np.array([base]),
            np.array([slot]),
            np.array([known.who]),
            known.now,
            {} if known.elsewhere is None else {0: known.elsewhere},
            True,
        )

    def touch_by_warps(
        self,
        group: Threads,
        mask: Mask,
        blocks: Array,
        lanes: Array,
        columns: Array,
        *,
        writes: bool,
    ) -> None:
        """Warps access cells, given as `[threads, registers]` for the threads in `mask`."""
        threads = group.t0 + np.nonzero(mask)[1]
        warps = threads // WARP_SIZE
        for block in np.unique(blocks[:, 0]):
            for warp in np.unique(warps[blocks[:, 0] == block]):
                chosen = (blocks[:, 0] == block) & (warps == warp)
                agent = self._warp(int(block), int(threads[chosen][0]), mask)
                rows, places = np.unique(lanes[chosen] // 16), np.unique(columns[chosen])
                self._access(group.site, agent, int(block), rows, places, writes=writes)

    def _warp(self, block: int, thread: int, mask: Mask) -> _Accessor:
        """The warp of a thread as an accessor, with its present knowledge."""
        clocks, warp = self.clocks, thread // WARP_SIZE
        number, now = int(clocks.row[block, thread]), int(clocks.now[block, thread])
        row, elsewhere = clocks.rows[number], self._elsewhere(number)
        planes = row[SEEN], row[FENCED], row[ORDERED], mask
        return _Accessor(block, warp, now, (warp,), *planes, elsewhere)

    def _elsewhere(self, number: int) -> Elsewhere | None:
        """A copy of the present knowledge outside of a row."""
        found = self.clocks.elsewhere.get(number)
        return None if found is None else found.copy()

    def _issuer(self, thread: int) -> int:
        """The column of the work that a thread issues."""
        return self.clocks.columns.tensor_work + thread // WARP_SIZE

    def _issuers(self, thread: int) -> range:
        """The columns of the work that a thread's warpgroup issues."""
        columns = self.clocks.columns
        first = thread // (4 * WARP_SIZE) * 4
        last = min(first + 4, columns.warps)
        return range(columns.tensor_work + first, columns.tensor_work + last)

    def _access(
        self, site: int, agent: _Accessor, block: int, rows: Array, columns: Array, *, writes: bool
    ) -> None:
        """Checks and records an access to cells of a block's tensor memory."""
        self._check_accesses(agent, block, rows, columns, "write" if writes else "read")
        at, stamp = np.ix_(rows, columns), agent.time << SITE_BITS | site
        number = agent.block * self.clocks.columns.total + agent.column
        if writes:
            who, stamps = self._written(block)
            who[at], stamps[at] = number + 1, stamp
        else:
            if (block, number) not in self._reads:
                self._reads[block, number] = np.zeros((_ROWS, COLUMNS), np.int64)
            self._reads[block, number][at] = stamp

    def _written(self, block: int) -> tuple[Array, Array]:
        if block not in self._writes:
            shape = _ROWS, COLUMNS
            self._writes[block] = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        return self._writes[block]

    def _check_accesses(
        self, agent: _Accessor, block: int, rows: Array, columns: Array, verb: _Verb
    ) -> None:
        """Checks that accesses of other agents are ordered before; reads may race with reads."""
        at = np.ix_(rows, columns)
        who, stamps = (each[at] for each in self._written(block))
        for number in np.unique(who) - 1:
            if number >= 0:
                last = int(stamps[who == number + 1].max())
                self._check(agent, int(number), last, "write", verb)
        for (other, number), read in () if verb == "read" else self._reads.items():
            if other == block:
                self._check(agent, number, int(read[at].max()), "read", verb)

    def _known(self, agent: _Accessor, block: int, column: int) -> tuple[int, int, int]:
        """Until when an agent's accesses are known: with both fences, with one, without."""
        if block == agent.block:
            seen, fenced, ordered = agent.seen, agent.fenced, agent.ordered
        else:
            blocks = {} if agent.elsewhere is None else agent.elsewhere.blocks
            row = blocks.get(int(self.clocks.blocks[block]))
            if row is None:
                return 0, 0, 0
            seen, fenced, ordered = row[[SEEN, FENCED, ORDERED]]
        return int(seen[column]), int(fenced[column]), int(ordered[column])

    def _check(self, agent: _Accessor, number: int, stamp: int, earlier: str, verb: _Verb) -> None:
        """Raises `LaneFault` if an earlier access of another agent is not ordered before."""
        block, column = divmod(number, self.clocks.columns.total)
        if block == agent.block and column in agent.own:
            return
        time, (seen, fenced, ordered) = stamp >> SITE_BITS, self._known(agent, block, column)
        if time <= seen or (not self._has_fences and time <= max(fenced, ordered)):
            return
        if time <= fenced:
            missing = "a tcgen05.fence::after_thread_sync is missing"
        elif time <= ordered:
            missing = "a tcgen05.fence::before_thread_sync is missing"
        else:
            missing = "nothing waited for the earlier access"
        site = self.reports.sites[stamp & ((1 << SITE_BITS) - 1)]
        raise LaneFault(
            f"race: this {verb} of tensor memory and the {earlier} at PTX "
            f"line {site.line} ('{site.text}') are not ordered: {missing} between the two",
            agent.only,
            becomes=RaceFault,
        )
