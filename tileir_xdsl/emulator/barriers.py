"""Named barriers of thread blocks (PTX ISA, "bar, barrier").

A barrier counts a warp as 32 arrived threads once all threads of the warp that have not ended have
arrived.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

BARRIERS_PER_BLOCK = 16


@dataclass(frozen=True)
class Arrival:
    """The effect of one barrier instruction.

    `site` is the basic block that the barrier ends and `following` the block after it; `waits` is
    false for `arrive`.
    """

    site: int
    following: int
    waits: bool


class NamedBarrier:
    """One barrier number, in every resident block.

    `expected` is the count of threads that the instruction names, per block (0 while nobody has
    arrived). The other arrays hold for each thread how often it has arrived, whether it waits, at
    which basic block, and its predicate for a reduction.
    """

    def __init__(self, blocks: int, columns: int) -> None:
        self.expected = np.zeros(blocks, np.int64)
        self.arrivals = np.zeros((blocks, columns), np.int64)
        self.waiting = np.zeros((blocks, columns), np.bool_)
        self.site = np.zeros((blocks, columns), np.int64)
        self.following = np.zeros((blocks, columns), np.int64)
        self.predicate = np.zeros((blocks, columns), np.bool_)

    def arrive(
        self,
        group: Threads,
        lanes: Mask,
        arrival: Arrival,
        expected: int,
        predicate: Array | None,
    ) -> None:
        """Records the arrival of the threads in `lanes`.

        Raises `LaneFault` if earlier threads expected another number of threads.
        """
        blocks, columns = slice(group.b0, group.b1), slice(group.t0, group.t1)
        counts = lanes.sum(axis=1)
        earlier = self.expected[blocks]
        differs = (earlier != 0) & (earlier != expected) & (counts != 0)
        if differs.any():
            before = int(earlier[differs][0])
            raise LaneFault(
                f"barrier mismatch: {expected} threads are expected here, but earlier "
                f"arrivals expected {before}",
                lanes & differs[:, None],
            )
        self.expected[blocks] = np.where(counts != 0, expected, earlier)
        self.arrivals[blocks, columns] += lanes
        self.site[blocks, columns][lanes] = arrival.site
        if arrival.waits:
            self.waiting[blocks, columns] |= lanes
            self.following[blocks, columns][lanes] = arrival.following
        if predicate is not None:
            np.copyto(self.predicate[blocks, columns], predicate, where=lanes)

    @property
    def present(self) -> Mask:
        """The threads that have arrived."""
        return self.arrivals > 0

    def arrived(self, live: Mask) -> Array:
        """The arrived threads of each block: 32 for each arrival of a whole warp."""
        per_warp = self.arrivals.reshape(len(self.arrivals), -1, WARP_SIZE)
        alive = live.reshape(per_warp.shape)
        waited_for = np.where(alive, per_warp, np.iinfo(np.int64).max).min(axis=-1)
        # Of a warp that has ended all that came counts.
        warps = np.where(alive.any(axis=-1), waited_for, per_warp.max(axis=-1))
        return WARP_SIZE * warps.sum(axis=-1)

    def complete(self, live: Mask, threads: int) -> Array:
        """The blocks whose barrier is complete.

        A barrier of all `threads` of a block does not wait for threads that have ended.
        """
        all_present = (self.expected == threads) & ~(live & ~self.present).any(axis=1)
        enough = (self.expected != 0) & (self.arrived(live) >= self.expected)
        return np.flatnonzero(all_present | enough)

    def overfull(self, live: Mask, threads: int) -> Array:
        """The blocks in which more threads arrived than the barrier expects.

        A partial last warp counts as 32 threads without being an error.
        """
        whole = np.where(self.expected == threads, -(-threads // WARP_SIZE), 0) * WARP_SIZE
        most = np.maximum(self.expected, whole)
        return np.flatnonzero((self.expected != 0) & (self.arrived(live) > most))

    def divided_warps(self, blocks: Array, aligned: Mask, live: Mask) -> Mask:
        """Threads at an aligned barrier whose warp came only in part or to several instructions."""
        divided = np.zeros(self.waiting.shape, np.bool_)
        waiting = (self.waiting & aligned)[blocks]
        shape = (len(blocks), -1, WARP_SIZE)
        per_warp = waiting.reshape(shape)
        absent = (live & ~self.present)[blocks].reshape(shape).any(-1)
        sites = self.site[blocks].reshape(shape)
        lowest = np.where(per_warp, sites, np.iinfo(np.int64).max).min(-1)
        highest = np.where(per_warp, sites, -1).max(-1)
        bad = per_warp.any(-1) & (absent | (lowest != highest))
        divided[blocks] = (per_warp & bad[..., None]).reshape(waiting.shape)
        return divided

    def release(self, blocks: Array) -> Iterator[tuple[int, int, Mask]]:
        """Begin the next phase in some blocks; yield `(site, following, threads)` to resume."""
        chosen = np.zeros(self.waiting.shape, np.bool_)
        chosen[blocks] = self.waiting[blocks]
        for site in np.unique(self.site[chosen]):
            lanes = chosen & (self.site == site)
            yield int(site), int(self.following[lanes][0]), lanes
        self.expected[blocks] = 0
        self.arrivals[blocks] = 0
        self.waiting[blocks] = False
        self.predicate[blocks] = False
