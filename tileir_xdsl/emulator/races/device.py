"""State that launches on a device share: global memory, flags in it, and block numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, EmulatorError
from tileir_xdsl.emulator.races.clocks import PROXY_GLOBAL, Columns, Knowledge
from tileir_xdsl.emulator.races.flags import Flag
from tileir_xdsl.emulator.races.shadow import SITE_BITS, Shadow
from tileir_xdsl.emulator.races.sites import Sites
from tileir_xdsl.emulator.registers import Extent, Geometry
from tileir_xdsl.emulator.syntax import Instruction

_SLOTS = 4
"""The number of remembered reads of each cell of global memory."""


@dataclass(frozen=True)
class LaunchedGrid:
    """A grid whose blocks are numbered from `first` on, x fastest."""

    kernel: str
    sites: Sites
    grid: Extent
    cluster: Extent
    columns: Columns
    first: int

    def coordinates(self, block: int) -> tuple[int, int, int]:
        x, y, _ = self.grid
        block -= self.first
        return block % x, block // x % y, block // (x * y)

    def cluster_of(self, block: int) -> int:
        """The number of the first block in the cluster of a block."""
        place = np.array(self.coordinates(block)) // self.cluster * self.cluster
        x, y, _ = self.grid
        return self.first + int(place @ np.array([1, x, x * y]))


@dataclass
class Device:
    """`outer` has the last accesses to global memory; `sc_fences` what `fence.sc` has forwarded."""

    grids: Sequence[LaunchedGrid]
    outer: Shadow
    lasting_flags: dict[int, Flag] = field(default_factory=dict[int, Flag])
    sc_fences: list[tuple[int, Knowledge]] = field(default_factory=list[tuple[int, Knowledge]])
    has_narrow: bool = False
    """Whether any strong access had a narrower scope than the device."""

    @staticmethod
    def of(launches: Sequence[tuple[str, Sites, Geometry]], memory_size: int) -> Device:
        """The device of some launches, each with the name of its kernel.

        Raises `EmulatorError` for more blocks than have distinct numbers.
        """
        widths = [Columns(geometry.columns // WARP_SIZE) for _, _, geometry in launches]
        total, first = max(columns.total for columns in widths), 0
        grids: list[LaunchedGrid] = []
        for (kernel, sites, geometry), columns in zip(launches, widths, strict=True):
            # Agents are told apart by one number: a block of each grid has as many.
            columns = Columns(columns.warps, columns.objects + total - columns.total)
            cluster = geometry.cluster_extent
            grids.append(LaunchedGrid(kernel, sites, geometry.grid, cluster, columns, first))
            first += int(np.prod(geometry.grid))
        if first * total * WARP_SIZE >= 1 << 31:
            raise EmulatorError(f"the launch has {first} blocks, too many for race detection")
        granule = min(sites.granules["global"] for _, sites, _ in launches)
        return Device(grids, Shadow(memory_size, granule, _SLOTS, grids[0].columns, PROXY_GLOBAL))

    def grid_of(self, block: int) -> LaunchedGrid:
        """The grid of a block."""
        return next(grid for grid in reversed(self.grids) if grid.first <= block)

    def cluster_of(self, block: int) -> int:
        return self.grid_of(block).cluster_of(block)

    def instruction(self, who: int, stamp: int) -> Instruction:
        """The instruction of an access, given its maker and its stamp."""
        block = who // (WARP_SIZE * self.outer.columns.total)
        return self.grid_of(block).sites.instructions[stamp & ((1 << SITE_BITS) - 1)]
