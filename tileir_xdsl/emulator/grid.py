"""Blocks of a grid that have not started, whose launch other blocks may cancel.

As many clusters as fit start in order, x fastest; the next batch starts when all of these have
ended. If blocks may wait for others, a batch has more blocks than run at once, and a block starts
as soon as another has ended. A block that requests to cancel a launch (PTX ISA,
"clusterlaunchcontrol.try_cancel") takes over the next cluster, which then never starts. With a
`random` source the block takes over a random cluster, and sometimes none although some are left.
"""

from __future__ import annotations

from random import Random

import numpy as np

from tileir_xdsl.emulator.registers import Extent, Geometry
from tileir_xdsl.emulator.types import Array

# Threads that run at once: enough for numpy to work on long arrays, few enough to stay in cache.
_RESIDENT_THREADS = 8192
# The same where blocks wait for others, none of which starts later than a GPU would start it.
_WAITING_THREADS = 1 << 18
# The part of a grid that starts at once where blocks cancel launches: some must be left to cancel.
_STARTED_AT_ONCE = 1 / 4
# How often a request with a random source fails without a reason.
_REFUSED = 1 / 8


class Grid:
    """The clusters of a launch. At most `resident` blocks run at once.

    `resident` is rounded down to whole clusters, but at least one. `None` means a number that runs
    fast, or one large batch if blocks may wait for others (`waits`). `refused` says for each
    running block whether it has seen a failed request of its own.
    """

    def __init__(
        self,
        geometry: Geometry,
        resident: int | None,
        random: Random | None,
        *,
        cancels: bool,
        waits: bool = False,
    ) -> None:
        size = geometry.cluster_size
        self._inside = np.array(geometry.cluster_extent)
        x, y, z = (int(extent) for extent in np.array(geometry.grid) // self._inside)
        self._clusters = x, y, z
        self._within = _coordinates(geometry.cluster_extent, np.arange(size))
        # Clusters by their number, x fastest: those from `_next` on are left, but for `_taken`.
        self._next, self._count = 0, x * y * z
        self._taken: set[int] = set()
        self._random = random
        quick = (_WAITING_THREADS if waits else _RESIDENT_THREADS) // geometry.columns
        self._at_once = (resident or quick) // size
        if resident is None and cancels:
            self._at_once = min(self._at_once, int(self._count * _STARTED_AT_ONCE))
        self._at_once = max(1, self._at_once)
        self.resident = min(self._at_once, self._count) * size
        if waits and not cancels:
            self._at_once = max(self._at_once, quick // size)
        self.refused = np.zeros(0, np.bool_)
        self.canceled = 0

    def start(self) -> Array | None:
        """Starts the next batch of blocks; returns their coordinates, `[blocks, 3]`, by cluster.

        Returns `None` when all have started.
        """
        numbers = [self._take(self._next) for _ in range(min(self._at_once, self.left))]
        if not numbers:
            return None
        blocks = self._blocks(np.array(numbers)).reshape(-1, 3)
        self.refused = np.zeros(len(blocks), np.bool_)
        return blocks

    def cancel(self) -> tuple[int, int, int] | None:
        """Cancels the launch of a cluster; returns the coordinates of its first block or `None`."""
        if not self.left:
            return None
        number = self._next
        if self._random is not None:
            if self._random.random() < _REFUSED:
                return None
            number = self._random.randrange(self._next, self._count)
            while number in self._taken:
                number = self._random.randrange(self._next, self._count)
        cluster = self._blocks(np.array([self._take(number)]))[0]
        self.canceled += len(cluster)
        x, y, z = (int(index) for index in cluster[0])
        return x, y, z

    @property
    def left(self) -> int:
        """How many clusters have neither started nor been taken over."""
        return self._count - self._next - len(self._taken)

    def _take(self, number: int) -> int:
        """Marks a cluster as started or canceled; returns its number."""
        self._taken.add(number)
        while self._next in self._taken:
            self._taken.remove(self._next)
            self._next += 1
        return number

    def _blocks(self, numbers: Array) -> Array:
        """The coordinates of all blocks of these clusters, `[clusters, blocks, 3]`."""
        first = _coordinates(self._clusters, numbers)[:, None] * self._inside
        return first + self._within


def _coordinates(extent: Extent, linear: Array) -> Array:
    """Coordinates of linear positions in a grid, x fastest, `[positions, 3]`."""
    x, y, _ = extent
    return np.stack([linear % x, linear // x % y, linear // (x * y)], axis=1)
