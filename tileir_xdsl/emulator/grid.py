"""The blocks of a grid that have not started, and those whose launch others cancel.

Clusters start in order, x fastest, as many as fit; the next ones when all of these have ended. Who
asks to cancel a launch (PTX ISA, "clusterlaunchcontrol.try_cancel") gets the next cluster, which
then never starts. With a `random` source it gets any, and now and then none although some are left.
"""

from __future__ import annotations

from collections import deque
from random import Random

import numpy as np

from tileir_xdsl.emulator.registers import Extent, Geometry
from tileir_xdsl.emulator.types import Array

# Threads that run at once: enough for numpy to work on long arrays, few enough to stay in cache.
_RESIDENT_THREADS = 8192
# What part of a grid starts at once where blocks cancel launches, so that there are some to cancel.
_STARTED_AT_ONCE = 1 / 4
# How often a request with a random source fails without a reason.
_REFUSED = 1 / 8


class Grid:
    """The clusters of a launch, of which at most `resident` blocks run at once.

    `resident` is rounded down to whole clusters, but there is always one; `None` stands for as many
    as are quick to run. `refused` tells for each running block whether it has seen that a request
    of its own failed.
    """

    def __init__(
        self, geometry: Geometry, resident: int | None, random: Random | None, *, cancels: bool
    ) -> None:
        inside, size = np.array(geometry.cluster_extent), geometry.cluster_size
        x, y, z = (int(extent) for extent in np.array(geometry.grid) // inside)
        first = _coordinates((x, y, z))[:, None] * inside
        self._clusters = first + _coordinates(geometry.cluster_extent)
        self._left = deque(range(len(self._clusters)))
        self._random = random
        self._at_once = (resident or _RESIDENT_THREADS // geometry.columns) // size
        if resident is None and cancels:
            self._at_once = min(self._at_once, int(len(self._left) * _STARTED_AT_ONCE))
        self._at_once = max(1, self._at_once)
        self.refused = np.zeros(0, np.bool_)
        self.canceled = 0

    def start(self) -> Array | None:
        """The coordinates of the next blocks to run, `[blocks, 3]`, those of a cluster together.

        `None` when none is left.
        """
        if not self._left:
            return None
        count = min(self._at_once, len(self._left))
        blocks = self._clusters[[self._left.popleft() for _ in range(count)]].reshape(-1, 3)
        self.refused = np.zeros(len(blocks), np.bool_)
        return blocks

    def cancel(self) -> tuple[int, int, int] | None:
        """The coordinates of the first block of a cluster that will not start; `None` for none."""
        if not self._left:
            return None
        place = 0
        if self._random is not None:
            if self._random.random() < _REFUSED:
                return None
            place = self._random.randrange(len(self._left))
        cluster = self._clusters[self._left[place]]
        del self._left[place]
        self.canceled += len(cluster)
        x, y, z = (int(index) for index in cluster[0])
        return x, y, z


def _coordinates(extent: Extent) -> Array:
    """All places in a grid, x fastest, `[blocks, 3]`."""
    x, y, z = extent
    linear = np.arange(x * y * z)
    return np.stack(
        [linear % max(x, 1), linear // max(x, 1) % max(y, 1), linear // max(x * y, 1)], axis=1
    )
