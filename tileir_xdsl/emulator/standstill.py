"""Finds out whether all blocks that poll memory wait for ever.

At intervals a window opens, which records the positions and registers of all threads. If memory
does not change, threads that return to a recorded position with the same registers repeat for ever.
If all threads of a block do so, the block repeats. If every block repeats, nothing will ever
change. A change of memory, or an effect that cannot be compared, closes the window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.schedule import Scheduler
from tileir_xdsl.emulator.types import Array, Mask
from tileir_xdsl.emulator.waits import Waits

_FIRST_PERIOD = 2048
_LONGEST_PERIOD = 1 << 17
"""The largest number of steps of groups between windows."""

_NOWHERE = -1


@dataclass
class _Window:
    """Recorded positions of threads, `[blocks, threads]`, and since then which threads moved and
    which blocks repeat.

    `read_at` holds for each block the basic block of its last polling read, and `reader` the
    thread.
    """

    positions: Array
    registers: dict[str, Array]
    changes: int
    steps_left: int
    moved: Mask
    repeats: Mask
    read_at: Array
    reader: Array


class Standstill:
    """Looks for a standstill of one batch of blocks, before each step of a group."""

    def __init__(self, waits: Waits) -> None:
        self.waits = waits
        self.window: _Window | None = None
        self._period = self._until = _FIRST_PERIOD

    def is_reached(self, scheduler: Scheduler, group: ThreadGroup) -> bool:
        """Whether every resident block waits for ever; `group` is about to run."""
        window = self.window
        if window is None:
            self._until -= 1
            if not self._until:
                self._open(scheduler)
            return False
        is_progress = window.changes != scheduler.memory.changes
        if is_progress or group.position in self.waits.opaque or not window.steps_left:
            self._close(scheduler)
            return False
        window.steps_left -= 1
        self._note_repeats(scheduler, window, group)
        rows, columns = slice(group.b0, group.b1), slice(group.t0, group.t1)
        active = group.active()
        window.moved[rows, columns] |= active
        if group.position in self.waits.reads:
            has_read = active.any(axis=1)
            window.read_at[rows][has_read] = group.position
            window.reader[rows][has_read] = group.t0 + active.argmax(axis=1)[has_read]
        return bool(window.repeats[scheduler.live.any(axis=1)].all())

    def last_read(self, block: int) -> tuple[int, int]:
        """The basic block of a block's last polling read, and the thread that read."""
        assert self.window is not None
        return int(self.window.read_at[block]), int(self.window.reader[block])

    def _open(self, scheduler: Scheduler) -> None:
        blocks = len(scheduler.live)
        scheduler.memory.counts_changes = True
        self.window = _Window(
            _positions(scheduler, 0, blocks),
            {name: values.copy() for name, values in scheduler.registers.storage.items()},
            scheduler.memory.changes,
            _FIRST_PERIOD + 64 * len(scheduler.groups),
            np.zeros(scheduler.live.shape, np.bool_),
            np.zeros(blocks, np.bool_),
            np.full(blocks, _NOWHERE),
            np.zeros(blocks, np.int64),
        )

    def _close(self, scheduler: Scheduler) -> None:
        self.window = None
        scheduler.memory.counts_changes = False
        self._period = self._until = min(2 * self._period, _LONGEST_PERIOD)

    def _note_repeats(self, scheduler: Scheduler, window: _Window, group: ThreadGroup) -> None:
        """Marks blocks of a group that are back in their recorded state after all threads moved."""
        rows = slice(group.b0, group.b1)
        if window.repeats[rows].all():
            return
        before = window.positions[rows]
        if not (before[:, group.t0 : group.t1] == group.position)[group.active()].any():
            return
        now, can_move = _positions(scheduler, group.b0, group.b1), np.zeros_like(before, np.bool_)
        for other in scheduler.groups:
            if not other.waiting and not scheduler.is_stalled(other):
                _put(can_move, other, group.b0, True)
        is_same = (now == before) & (window.moved[rows] | ~can_move)
        found = is_same.all(axis=1)
        for name, values in scheduler.registers.storage.items():
            if not found.any():
                return
            noted = window.registers.get(name)
            if noted is None:
                return
            same = values[rows] == noted[rows]
            found &= same.all(axis=tuple(range(1, same.ndim)))
        window.repeats[rows] |= found


def _positions(scheduler: Scheduler, b0: int, b1: int) -> Array:
    """The positions of threads: a basic block, or a barrier at which they wait."""
    found = np.full((b1 - b0, scheduler.live.shape[1]), _NOWHERE)
    for group in scheduler.groups:
        _put(found, group, b0, group.position)
    for number, barrier in scheduler.barriers.items():
        waiting = barrier.waiting[b0:b1]
        found[waiting] = _NOWHERE - 1 - number - 16 * barrier.site[b0:b1][waiting]
    return found


def _put(found: Array, group: ThreadGroup, b0: int, value: object) -> None:
    """Sets an element of `found` for each thread of a group; its rows are blocks from `b0` on."""
    first, last = max(group.b0, b0), min(group.b1, b0 + len(found))
    if first < last:
        active = group.active()[first - group.b0 : last - group.b0]
        found[first - b0 : last - b0, group.t0 : group.t1][active] = value
