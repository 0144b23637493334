"""Threads of the resident blocks: a rectangle of blocks and columns, and a mask within it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.registers import Rectangle
from tileir_xdsl.emulator.types import Mask


@dataclass(slots=True, eq=False)
class Threads:
    """Threads of some warps.

    The rectangle covers resident blocks `b0:b1` and thread columns `t0:t1`, whole warps. `mask`
    (`[b1 - b0, t1 - t0]`) selects threads in it, `None` all of them; `lanes` counts them. `site` is
    the number of the running instruction, if races are detected.
    """

    b0: int
    b1: int
    t0: int
    t1: int
    mask: Mask | None
    lanes: int
    site: int = field(default=0, kw_only=True)

    @property
    def rectangle(self) -> Rectangle:
        return self.b0, self.b1, self.t0, self.t1

    @property
    def shape(self) -> tuple[int, int]:
        return self.b1 - self.b0, self.t1 - self.t0

    def active(self) -> Mask:
        """The mask of active threads, never `None`."""
        return np.ones(self.shape, np.bool_) if self.mask is None else self.mask

    @property
    def warps(self) -> int:
        """The number of warps in the rectangle."""
        return (self.b1 - self.b0) * (self.t1 - self.t0) // WARP_SIZE
