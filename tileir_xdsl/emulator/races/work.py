"""Asynchronous work as a separate agent, with its start time and the knowledge at that time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.late import Kind
from tileir_xdsl.emulator.races.clocks import ORDERED, Clocks, Elsewhere, by_block
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Actor
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

WARPGROUP = 4 * WARP_SIZE
# The work that is tracked: without a kind, what barrier objects count.
_KINDS: tuple[Kind | None, ...] = (None, "copy", "bulk", "wgmma")


@dataclass(frozen=True)
class Issue:
    """Work that threads of a group have started; arrays are over the group's blocks and threads.

    `reader` and `writer` are the columns of the agents that read and write, `read_time` and
    `write_time` their times. `row` has each thread's index into `rows`.
    """

    kind: Kind | None
    site: int
    reader: Array
    writer: Array
    read_time: Array
    write_time: Array
    row: Array
    rows: Array
    elsewhere: Mapping[int, Elsewhere]
    who: Array
    now: Array
    base: Array

    def actor(self, lanes: Mask, *, writes: bool, slot: Array) -> Actor:
        """The work of some threads as an actor that makes an access."""
        column = (self.writer if writes else self.reader)[lanes]
        time = (self.write_time if writes else self.read_time)[lanes]
        thread = self.who[lanes]
        base = self.base[lanes]
        return Actor(
            (base + column) * WARP_SIZE + thread % WARP_SIZE,
            (time << SITE_BITS) | self.site,
            self.row[lanes],
            self.rows,
            base,
            slot,
            thread,
            self.now[lanes],
            self.elsewhere,
            self.kind != "copy",
        )

    def mma(self, block: int, warpgroup: int, slot: int) -> Actor:
        """A wgmma as an actor: it knows what all four warps knew when they issued it."""
        threads = slice(warpgroup * WARPGROUP, (warpgroup + 1) * WARPGROUP)
        numbers = np.unique(self.row[block, threads])
        rows = self.rows[numbers].min(axis=0, keepdims=True)
        known = self.elsewhere.get(int(numbers[0]))
        base = self.base[block, threads][:1]
        return Actor(
            (base + self.reader[block, threads][:1]) * WARP_SIZE,
            (self.read_time[block, threads][:1] << SITE_BITS) | self.site,
            np.zeros(1, np.int64),
            rows,
            base,
            np.array([slot]),
            np.full(1, -1),
            0,
            {} if known is None else {0: known},
            True,
        )


def _issue(clocks: Clocks, kind: Kind | None, group: Threads, lanes: Mask, *, keep: bool) -> Issue:
    """Starts work of some threads; work that may be delayed must `keep` their present knowledge."""
    view = (slice(group.b0, group.b1), slice(group.t0, group.t1))
    columns = clocks.columns
    shape = group.shape
    warp = np.broadcast_to(np.arange(group.t0, group.t1) // WARP_SIZE, shape)
    blocks = np.broadcast_to(np.arange(group.b0, group.b1)[:, None], shape)
    if kind is None:
        reader = writer = np.zeros(shape, np.int64)
        for block, thread in np.argwhere(lanes):
            # One column after the other, so that copies are told apart.
            order = int(clocks.issued[group.b0 + block, columns.counted :].sum())
            reader[block, thread] = columns.counted + order % columns.objects
            clocks.issue(group.b0 + int(block), int(reader[block, thread]))
    else:
        reader, writer = {
            "copy": (columns.copies + warp, columns.copies + warp),
            "bulk": (columns.bulk_reads + warp, columns.bulk_writes + warp),
            "wgmma": (columns.mmas + warp // 4, columns.mmas + warp // 4),
        }[kind]
        for column in (reader, writer) if kind == "bulk" else (reader,):
            started = np.unique(np.stack([blocks[lanes], column[lanes]]), axis=1)
            clocks.issued[started[0], started[1]] += 1
    row, rows, elsewhere = clocks.row[view], clocks.rows, clocks.elsewhere
    now = clocks.now[view]
    if keep:
        numbers, inverse = np.unique(row, return_inverse=True)
        rows, row = clocks.rows[numbers], inverse.reshape(shape)
        elsewhere = {
            index: clocks.elsewhere[int(number)].copy()
            for index, number in enumerate(numbers)
            if int(number) in clocks.elsewhere
        }
        now = now.copy()
        clocks.now[view] += np.repeat(
            lanes.reshape(shape[0], -1, WARP_SIZE).any(axis=-1), WARP_SIZE, axis=1
        )
    return Issue(
        kind,
        group.site,
        reader,
        writer,
        clocks.issued[blocks, reader],
        clocks.issued[blocks, writer],
        row,
        rows,
        elsewhere,
        clocks.who[view],
        now,
        clocks.agents[view],
    )


class _Commits:
    """The time of each thread's work of one kind at its commits."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.count = np.zeros(shape, np.int64)
        self.times: list[Array] = []

    def commit(self, lanes: Mask, times: Array) -> None:
        """Ends a commit group of some threads; masks and times are over all threads."""
        while len(self.times) <= int(self.count[lanes].max()):
            self.times.append(np.zeros(self.count.shape, np.int64))
        for count in np.unique(self.count[lanes]):
            chosen = lanes & (self.count == count)
            self.times[int(count)][chosen] = times[chosen]
        self.count += lanes

    def done(self, lanes: Mask, pending: int) -> Array:
        """The time until which work is done for threads that wait for all but `pending` groups."""
        result = np.zeros(self.count.shape, np.int64)
        for count in np.unique(self.count[lanes]):
            if count > pending:
                chosen = lanes & (self.count == count)
                result[chosen] = self.times[int(count) - pending - 1][chosen]
        return result


class AsynchronousWork:
    """Asynchronous work of threads of the resident blocks, and which of it they know to be done.

    `running` is the work that is being executed. If work `can_be_late`, it has only the knowledge
    of its start.
    """

    def __init__(self, clocks: Clocks, *, can_be_late: bool) -> None:
        self.clocks = clocks
        self.can_be_late = can_be_late
        self.running: Issue | None = None
        self._commits = {kind: _Commits(clocks.live.shape) for kind in _KINDS if kind}
        # The time of the last bulk copy of each thread that reads shared memory.
        self._last_read = np.zeros(clocks.live.shape, np.int64)

    def start(
        self, kind: Kind | None, group: Threads, mask: Mask | None, function: Callable[..., None]
    ) -> Callable[..., None]:
        """Wraps a function as work that threads start now, even if it is called later."""
        if kind not in _KINDS:
            return function
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        started = _issue(self.clocks, kind, group, lanes, keep=self.can_be_late)
        if kind == "bulk":
            view = self._last_read[group.b0 : group.b1, group.t0 : group.t1]
            np.copyto(view, started.read_time, where=lanes)

        def run(group: Threads, mask: Mask | None, *operands: Array | None) -> None:
            outer, self.running = self.running, started
            try:
                function(group, mask, *operands)
            finally:
                self.running = outer

        return run

    def commit(self, kind: Kind, group: Threads, mask: Mask | None) -> None:
        if kind not in _KINDS:
            return
        lanes = self._spread(group, mask)
        self._commits[kind].commit(lanes, self._issued(self._column(kind)))

    def wait(
        self, kind: Kind, group: Threads, mask: Mask | None, pending: int | None, *, reads: bool
    ) -> None:
        """Threads have waited for all but `pending` groups, or for all their work.

        With `reads`, they have waited only for the reads of bulk copies.
        """
        if kind not in _KINDS:
            return
        lanes = self._spread(group, mask)
        columns = [self._column(kind)]
        if kind == "bulk" and not reads:
            columns.append(self.clocks.columns.bulk_writes)
        commits = self._commits[kind]
        for first in columns:
            done = self._issued(first) if pending is None else commits.done(lanes, pending)
            warp = np.arange(lanes.shape[1]) // WARP_SIZE
            column = first + (warp // 4 if kind == "wgmma" else warp)
            for block, threads in by_block(group, mask):
                for own in np.unique(column[threads]):
                    same = threads[column[threads] == own]
                    for time in np.unique(done[block, same]):
                        waiting = same[done[block, same] == time]
                        if time:
                            self.clocks.finish(block, waiting, int(own), int(time))

    def unfinished_reads(self, group: Threads) -> Mask:
        """Which ending threads have bulk copies that may still read shared memory."""
        clocks = self.clocks
        view = slice(group.b0, group.b1), slice(group.t0, group.t1)
        last = self._last_read[view]
        if not last.any():
            return np.zeros(group.shape, np.bool_)
        column = clocks.columns.bulk_reads + np.arange(group.t0, group.t1) // WARP_SIZE
        known = clocks.rows[clocks.row[view], ORDERED, column]
        return group.active() & (last > known)

    def _column(self, kind: Kind) -> int:
        columns = self.clocks.columns
        return {
            "copy": columns.copies,
            "bulk": columns.bulk_reads,
            "wgmma": columns.mmas,
        }[kind]

    def _issued(self, first: int) -> Array:
        """The time of the last work of each thread's warp or warpgroup, over all threads."""
        warp = np.arange(self.clocks.threads) // WARP_SIZE
        column = first + (warp // 4 if first == self.clocks.columns.mmas else warp)
        return self.clocks.issued[:, column]

    def _spread(self, group: Threads, mask: Mask | None) -> Mask:
        lanes = np.zeros(self.clocks.live.shape, np.bool_)
        lanes[group.b0 : group.b1, group.t0 : group.t1] = group.active() if mask is None else mask
        return lanes
