"""The knowledge that threads gain at barriers: of their warp, their block, or their cluster."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tileir_xdsl.emulator.clusters import Clusters
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.races.clocks import Clocks, Knowledge, by_block
from tileir_xdsl.emulator.races.flags import Flags
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import REACHES, Array, Mask


class Barriers:
    """The work that threads have done before arriving at a barrier.

    This work is stored by block and barrier number, and by cluster and phase. A barrier acts as a
    fence for flags that threads have updated after another fence.
    """

    def __init__(self, clocks: Clocks, flags: Flags, clusters: Clusters | None) -> None:
        self.clocks = clocks
        self.flags = flags
        self.clusters = clusters
        self._named: dict[tuple[int, int], Knowledge] = {}
        self._clusters: dict[tuple[int, int], Knowledge] = {}

    def meet_all(self, first: int, last: int) -> None:
        """All threads of some resident blocks synchronise."""
        clocks = self.clocks
        for block in range(first, last) if self.flags.counted else ():
            self.flags.acquire_counted(block, np.flatnonzero(clocks.live[block]))
        if not clocks.meet_all(first, last):
            for block in range(first, last):
                threads = np.flatnonzero(clocks.live[block])
                # Between blocks that meet there may be some that have ended.
                if len(threads):
                    clocks.meet(block, threads, clocks.release(block, threads))

    def meet_warps(self, group: Threads) -> None:
        """The active lanes of each warp synchronise."""
        clocks = self.clocks
        if group.mask is None and clocks.meet_warps(group.rectangle):
            return
        for block, threads in by_block(group, None):
            for warp in np.unique(threads // WARP_SIZE):
                lanes = threads[threads // WARP_SIZE == warp]
                clocks.meet(block, lanes, clocks.release(block, lanes))

    def arrive(self, group: Threads, lanes: Mask, number: int) -> None:
        """Threads arrive at a named barrier."""
        for block, threads in by_block(group, lanes):
            self.flags.acquire_counted(block, threads)
            _add(self._named, (block, number), self.clocks.release(block, threads))

    def complete(self, blocks: Array, number: int, waiting: Mask) -> None:
        """A named barrier releases the `waiting` threads of some blocks."""
        for block in blocks:
            known = self._named.pop((int(block), number))
            threads = np.flatnonzero(waiting[block])
            if len(threads):
                self.clocks.meet(int(block), threads, known)

    def arrive_in_cluster(
        self, group: Threads, mask: Mask | None, phases: Array, *, releases: bool
    ) -> None:
        """Threads arrive at the barrier of their cluster, in `phases`, `[blocks, threads]`.

        Without `releases`, they make only accesses before a fence visible.
        """
        for block, phase, threads in self._by_phase(group, mask, phases):
            key = self._cluster(block), phase
            if releases:
                _add(self._clusters, key, self.clocks.release(block, threads))
                continue
            for thread in map(int, threads):
                released = self.flags.released((block, thread), "relaxed", "cluster")
                for (_, far), known in {} if released is None else released.near.items():
                    if far == REACHES["cluster"]:
                        _add(self._clusters, key, known)

    def leave_cluster(self, group: Threads, lanes: Mask, phases: Array) -> None:
        """Threads have waited for the barrier of their cluster."""
        for block, phase, threads in self._by_phase(group, lanes, phases):
            known = self._clusters.get((self._cluster(block), phase))
            if known is not None:
                self.clocks.acquire(block, threads, known)

    def _by_phase(
        self, group: Threads, mask: Mask | None, phases: Array
    ) -> Iterator[tuple[int, int, Array]]:
        for block, threads in by_block(group, mask):
            own = phases[block - group.b0, threads - group.t0]
            for phase in np.unique(own):
                yield block, int(phase), threads[own == phase]

    def _cluster(self, block: int) -> int:
        return block if self.clusters is None else int(self.clusters.first[block, 0])


def _add(found: dict[tuple[int, int], Knowledge], key: tuple[int, int], known: Knowledge) -> None:
    if key in found:
        found[key].add(known)
    else:
        found[key] = known
