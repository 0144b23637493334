"""Thread blocks that run together and see each other's shared memory (PTX ISA, "Cluster of CTAs").

The bits of a shared-memory address from bit 24 on hold the rank of its block. So one address window
covers Blocks of a cluster are adjacent among the resident blocks, in the order of their ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.registers import RANK_SHIFT, Geometry
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

_OFFSET = (1 << RANK_SHIFT) - 1
_RANKS = 0xFFFF_FFFF - _OFFSET


@dataclass(frozen=True)
class Clusters:
    """The clusters of the resident blocks: `size` blocks each."""

    size: int
    ranks: Array
    """The rank of each resident block, `[blocks, 1]`."""
    first: Array
    """For each resident block, the block of rank 0 in its cluster, `[blocks, 1]`."""
    ended: Array
    """Which resident blocks have ended, `[blocks]`."""

    @staticmethod
    def of(geometry: Geometry) -> Clusters | None:
        """The clusters of a launch; None if they have one block each."""
        if geometry.cluster_size == 1:
            return None
        ranks = geometry.ranks
        first = np.arange(len(ranks))[:, None] - ranks
        return Clusters(geometry.cluster_size, ranks, first, np.zeros(len(ranks), np.bool_))

    def resolve(
        self, group: Threads, address: Array, mask: Mask | None, *, remote: bool
    ) -> tuple[Array, Array]:
        """The resident block and its offset that each address names, `[blocks, threads]` each.

        A constant address names the thread's own block. Raises `LaneFault` for a rank outside of
        the cluster, for a block that has ended and, unless `remote`, for any block but the thread's
        own.
        """
        blocks = slice(group.b0, group.b1)
        if address.shape == (1, 1):
            return np.arange(group.b0, group.b1)[:, None], address
        rank = address >> RANK_SHIFT
        outside = (rank < 0) | (rank >= self.size)
        others = rank != self.ranks[blocks]
        target = np.where(outside, 0, rank) + self.first[blocks]
        active = group.active() if mask is None else mask
        for wrong, message in (
            (outside, f"an address of shared memory names no block of a cluster of {self.size}"),
            (
                others & (not remote),
                "an address names the shared memory of another block of the cluster",
            ),
            (
                others & self.ended[target],
                "an address names the shared memory of a block that has ended",
            ),
        ):
            if (wrong & active).any():
                raise LaneFault(message, np.broadcast_to(wrong & active, group.shape))
        return target, address & _OFFSET


def map_address(group: Threads, mask: Mask | None, address: Array, rank: Array, size: int) -> Array:
    """The same offset in the block of rank `rank` (`mapa`), for the threads of the mask.

    A cluster has `size` blocks. Raises `LaneFault` for a rank from `size` on.
    """
    ranks = np.broadcast_to(rank, group.shape)
    outside = (ranks >= size) & (group.active() if mask is None else mask)
    if outside.any():
        wrong = int(ranks[outside][0])
        raise LaneFault(f"a cluster of {size} blocks has no block of rank {wrong}", outside)
    number = address.dtype.type
    kept = number(int(np.iinfo(address.dtype).max) & ~_RANKS)
    return (address & kept) | (ranks.astype(address.dtype) << number(RANK_SHIFT))


def rank_of(address: Array) -> Array:
    """The rank in the cluster of the block that an address names (`getctarank`)."""
    number = address.dtype.type
    return ((address & number(_RANKS)) >> number(RANK_SHIFT)).astype(np.uint32)


class ClusterBarrier:
    """State of `barrier.cluster`: how often each thread has arrived and how often it has waited."""

    def __init__(self, geometry: Geometry) -> None:
        shape = (len(geometry.blocks), geometry.columns)
        self.size = geometry.cluster_size
        self.arrived = np.zeros(shape, np.int64)
        self.waited = np.zeros(shape, np.int64)

    def arrive(self, group: Threads, mask: Mask | None) -> Array:
        """Records the arrival of threads; returns their phases, `[blocks, threads]`.

        Raises `LaneFault` for a thread that has not waited since its last arrival.
        """
        active = group.active() if mask is None else mask
        arrived, waited = self._of(group)
        again = active & (arrived > waited)
        if again.any():
            raise LaneFault(
                "a thread arrives twice at the barrier of its cluster without waiting", again
            )
        phases = arrived.copy()
        arrived += active
        return phases

    def wait(self, group: Threads, live: Mask) -> tuple[Mask, Array]:
        """The threads of a group whose phase is complete: all live threads of the cluster arrived.

        The second result has the phase of each thread, `[blocks, threads]`. Raises `LaneFault` for
        a thread that waits without having arrived.
        """
        active = group.active()
        arrived, waited = self._of(group)
        without = active & (arrived == waited)
        if without.any():
            raise LaneFault(
                "a thread waits at the barrier of its cluster without having arrived", without
            )
        counts = np.where(live, self.arrived, np.iinfo(np.int64).max)
        lowest = counts.reshape(-1, self.size * counts.shape[1]).min(axis=1)
        ready = active & (np.repeat(lowest, self.size)[group.b0 : group.b1, None] > waited)
        phases = waited.copy()
        waited += ready
        return ready, phases

    def describe(self, group: Threads, live: Mask) -> str:
        """Describes how far the barrier of a group's first thread is, for a report."""
        block, thread = (int(i) for i in np.argwhere(group.active())[0])
        phase = self.waited[group.b0 + block, group.t0 + thread]
        first = (group.b0 + block) // self.size * self.size
        blocks = slice(first, first + self.size)
        present = live[blocks] & (self.arrived[blocks] > phase)
        total = int(np.count_nonzero(live[blocks]))
        return f"cluster barrier: {int(np.count_nonzero(present))} of {total} threads have arrived"

    def _of(self, group: Threads) -> tuple[Array, Array]:
        threads = slice(group.b0, group.b1), slice(group.t0, group.t1)
        return self.arrived[threads], self.waited[threads]
