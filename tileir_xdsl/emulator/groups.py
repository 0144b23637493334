"""Groups of threads that run together: a rectangle of blocks and threads, and a mask within it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.registers import Rectangle
from tileir_xdsl.emulator.state_spaces import Memory
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.types import Mask


@dataclass(frozen=True, slots=True)
class StalledWait:
    """A wait that was in vain for a whole group, when objects had changed `changes` times.

    `state` describes the object that the first thread waits for, or what else it waits for.
    """

    changes: int
    state: str
    instruction: Instruction


@dataclass(slots=True, eq=False)
class Group:
    """Threads at the same basic block.

    The rectangle covers resident blocks `b0:b1` and thread columns `t0:t1`, whole warps. `mask`
    (`[b1 - b0, t1 - t0]`) selects threads in it, `None` all of them; `lanes` counts them.
    `position` is the basic block to run next; `waiting` is set while it waits for other lanes
    of its warps, and `stalled` after it waited in vain for a barrier object. `site` numbers the
    instruction that runs, when races are looked for.
    """

    memory: Memory
    b0: int
    b1: int
    t0: int
    t1: int
    mask: Mask | None
    lanes: int
    position: int
    waiting: bool = False
    stalled: StalledWait | None = None
    last_run: int = 0
    issued: int = 0
    site: int = 0

    @property
    def rectangle(self) -> Rectangle:
        return self.b0, self.b1, self.t0, self.t1

    @property
    def shape(self) -> tuple[int, int]:
        return self.b1 - self.b0, self.t1 - self.t0

    def active(self) -> Mask:
        """The mask, written out when it is left out."""
        return np.ones(self.shape, np.bool_) if self.mask is None else self.mask

    @property
    def warps(self) -> int:
        """How many warps of all blocks the rectangle covers."""
        return (self.b1 - self.b0) * (self.t1 - self.t0) // WARP_SIZE

    def by_warp(self) -> Iterator[Group]:
        """A group for each warp that has threads in this one."""
        lanes = self.active()
        for block, warp in np.ndindex(self.b1 - self.b0, (self.t1 - self.t0) // WARP_SIZE):
            columns = slice(warp * WARP_SIZE, (warp + 1) * WARP_SIZE)
            if lanes[block, columns].any():
                part = np.zeros_like(lanes)
                part[block, columns] = lanes[block, columns]
                yield self.select(part, self.position)

    def widen(self, width: int, columns: int) -> None:
        """Extend the rectangle to multiples of `width` threads, as far as there are columns."""
        t0, t1 = self.t0 // width * width, min(-(-self.t1 // width) * width, columns)
        if (t0, t1) != (self.t0, self.t1):
            lanes = np.zeros((self.b1 - self.b0, t1 - t0), np.bool_)
            lanes[:, self.t0 - t0 : self.t1 - t0] = self.active()
            self.t0, self.t1, self.mask = t0, t1, lanes

    def select(self, lanes: Mask, position: int) -> Group:
        """The threads of this group that `lanes` marks (at least one), at a position."""
        blocks = np.flatnonzero(lanes.any(axis=1))
        warps = np.flatnonzero(lanes.any(axis=0)) // WARP_SIZE
        b0, b1 = int(blocks[0]), int(blocks[-1]) + 1
        t0, t1 = int(warps[0]) * WARP_SIZE, (int(warps[-1]) + 1) * WARP_SIZE
        part = lanes[b0:b1, t0:t1]
        count = int(np.count_nonzero(part))
        return Group(
            self.memory,
            self.b0 + b0,
            self.b0 + b1,
            self.t0 + t0,
            self.t0 + t1,
            None if count == part.size else part.copy(),
            count,
            position,
            last_run=self.last_run,
        )


def merge(groups: Iterable[Group]) -> Group:
    """One group of all threads of groups that are at the same position."""
    parts = list(groups)
    first = parts[0]
    if len(parts) == 1:
        return first
    b0, b1 = min(g.b0 for g in parts), max(g.b1 for g in parts)
    t0, t1 = min(g.t0 for g in parts), max(g.t1 for g in parts)
    lanes = np.zeros((b1 - b0, t1 - t0), np.bool_)
    for group in parts:
        target = lanes[group.b0 - b0 : group.b1 - b0, group.t0 - t0 : group.t1 - t0]
        target |= True if group.mask is None else group.mask
    whole = Group(first.memory, b0, b1, t0, t1, None, lanes.size, first.position)
    whole.last_run = min(g.last_run for g in parts)
    return whole.select(lanes, first.position)
