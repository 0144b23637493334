"""Groups of threads that run together, at one position of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.late import Kind
from tileir_xdsl.emulator.memory import Memory
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Mask


@dataclass(frozen=True, slots=True)
class StalledWait:
    """A wait of a whole group for an event that has not happened yet.

    `changes` counts the changes of barrier objects at the time; `state` describes the awaited event
    of the first thread.
    """

    changes: int
    state: str
    instruction: Instruction


@dataclass(slots=True, eq=False)
class ThreadGroup(Threads):
    """Threads at the same basic block, and the memory that they see.

    `position` is the basic block to run next. `waiting` is set while the group waits for other
    lanes of its warps, and `stalled` after an unsuccessful wait for a barrier object.
    """

    memory: Memory
    position: int
    waiting: bool = False
    stalled: StalledWait | None = None
    last_run: int = 0
    issued: int = 0

    def by_warp(self) -> Iterator[ThreadGroup]:
        """Splits the group into one per warp."""
        lanes = self.active()
        for block, warp in np.ndindex(self.b1 - self.b0, (self.t1 - self.t0) // WARP_SIZE):
            columns = slice(warp * WARP_SIZE, (warp + 1) * WARP_SIZE)
            if lanes[block, columns].any():
                part = np.zeros_like(lanes)
                part[block, columns] = lanes[block, columns]
                yield self.select(part, self.position)

    def widen(self, width: int, columns: int) -> None:
        """Extends the rectangle to multiples of `width` threads, up to `columns`."""
        t0, t1 = self.t0 // width * width, min(-(-self.t1 // width) * width, columns)
        if (t0, t1) != (self.t0, self.t1):
            lanes = np.zeros((self.b1 - self.b0, t1 - t0), np.bool_)
            lanes[:, self.t0 - t0 : self.t1 - t0] = self.active()
            self.t0, self.t1, self.mask = t0, t1, lanes

    def select(self, lanes: Mask, position: int) -> ThreadGroup:
        """A new group of the threads in `lanes` (at least one), at another position."""
        blocks = np.flatnonzero(lanes.any(axis=1))
        warps = np.flatnonzero(lanes.any(axis=0)) // WARP_SIZE
        b0, b1 = int(blocks[0]), int(blocks[-1]) + 1
        t0, t1 = int(warps[0]) * WARP_SIZE, (int(warps[-1]) + 1) * WARP_SIZE
        part = lanes[b0:b1, t0:t1]
        count = int(np.count_nonzero(part))
        return ThreadGroup(
            self.b0 + b0,
            self.b0 + b1,
            self.t0 + t0,
            self.t0 + t1,
            None if count == part.size else part.copy(),
            count,
            self.memory,
            position,
            last_run=self.last_run,
        )

    def put_off(
        self,
        kind: Kind | None,
        mask: Mask | None,
        instruction: Instruction,
        run: Callable[[ThreadGroup, Mask], object],
    ) -> None:
        """Delays work of these threads, with their present state (see `LateWork`)."""
        assert self.memory.late is not None
        now = copy(self)
        self.memory.late.start(kind, now, mask, instruction, partial(run, now))


def merge(groups: Iterable[ThreadGroup]) -> ThreadGroup:
    """Merges groups that are at the same position."""
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
    whole = ThreadGroup(b0, b1, t0, t1, None, lanes.size, first.memory, first.position)
    whole.last_run = min(g.last_run for g in parts)
    return whole.select(lanes, first.position)
