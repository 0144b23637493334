"""Delays asynchronous work as long as a program allows.

Work that a thread starts with `cp.async`, `cp.async.bulk` or `wgmma` is delayed until the thread
waits for its commit group. Work that a barrier object counts is delayed until no thread can run, or
one sleeps, so that waits for other blocks end. So a program that waits too little, or not at all,
reads the old values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

Kind = Literal["copy", "bulk", "wgmma", "tensor load", "tensor store", "tensor mma"]
"""Kinds of work with separate commit groups and waits."""

Run = Callable[[Mask], object]
"""Executes the work of some of the threads that started it."""


class LateFault(Exception):
    """A fault in delayed work, with the group and the instruction that started the work."""

    def __init__(self, fault: LaneFault, group: Threads, instruction: Instruction) -> None:
        super().__init__(fault.message)
        self.fault = fault
        self.group = group
        self.instruction = instruction


@dataclass
class _Work:
    """Delayed work of the threads in `lanes`; `commits` numbers the commit group of each thread.

    `lanes` and `commits` are over all threads of all resident blocks.
    """

    group: Threads
    instruction: Instruction
    run: Run
    lanes: Mask
    commits: Array


class LateWork:
    """Delayed work of the resident blocks."""

    def __init__(self, blocks: int, columns: int) -> None:
        self.shape = (blocks, columns)
        kinds: tuple[Kind, ...] = get_args(Kind)
        self.commits = {kind: np.zeros(self.shape, np.int64) for kind in kinds}
        self.grouped: dict[Kind, list[_Work]] = {kind: [] for kind in kinds}
        self.counted: list[_Work] = []

    def start(
        self,
        kind: Kind | None,
        group: Threads,
        mask: Mask | None,
        instruction: Instruction,
        run: Run,
    ) -> None:
        """Delays work until a wait for its kind; without a kind, a barrier object counts it.

        `group` must not change any more.
        """
        lanes = self._spread(group, mask)
        commits = self.commits[kind].copy() if kind else np.zeros(self.shape, np.int64)
        work = _Work(group, instruction, run, lanes, commits)
        (self.grouped[kind] if kind else self.counted).append(work)

    def commit(self, kind: Kind, group: Threads, mask: Mask | None) -> None:
        """Ends a commit group of each thread."""
        self.commits[kind] += self._spread(group, mask)

    def wait(self, kind: Kind, group: Threads, mask: Mask | None, pending: int) -> None:
        """Executes all commit groups that threads wait for: all but the last `pending` ones."""
        lanes = self._spread(group, mask)
        self._do(kind, lanes, self.commits[kind] - pending)

    def wait_until(self, kind: Kind, group: Threads, mask: Mask | None, commits: Array) -> None:
        """Executes the commit groups of threads before the numbers in `commits`."""
        self._do(kind, self._spread(group, mask), commits)

    def finish(self, kind: Kind, group: Threads, mask: Mask | None) -> None:
        """Executes all work of some threads, committed or not."""
        self._do(kind, self._spread(group, mask), self.commits[kind] + 1)

    def do_counted(self) -> bool:
        """Executes the oldest work that a barrier object counts; returns whether there was any."""
        if not self.counted:
            return False
        work = self.counted.pop(0)
        self._run(work, work.lanes)
        return True

    def pending(self) -> int:
        """The number of delayed pieces of work."""
        return len(self.counted) + sum(map(len, self.grouped.values()))

    def do(self, number: int) -> None:
        """Executes one piece of delayed work; pieces that objects count have the lowest numbers."""
        for pieces in (self.counted, *self.grouped.values()):
            if number < len(pieces):
                work = pieces.pop(number)
                self._run(work, work.lanes)
                return
            number -= len(pieces)

    def do_all(self) -> None:
        """Executes all remaining work when the blocks have ended."""
        everyone = np.ones(self.shape, np.bool_)
        for kind in self.grouped:
            self._do(kind, everyone, self.commits[kind] + 1)
        while self.do_counted():
            pass

    def _do(self, kind: Kind, lanes: Mask, limit: Array) -> None:
        left: list[_Work] = []
        for work in self.grouped[kind]:
            due = work.lanes & lanes & (work.commits < limit)
            if due.any():
                self._run(work, due)
                work.lanes &= ~due
            if work.lanes.any():
                left.append(work)
        self.grouped[kind] = left

    def _run(self, work: _Work, lanes: Mask) -> None:
        group = work.group
        part = lanes[group.b0 : group.b1, group.t0 : group.t1]
        try:
            work.run(part)
        except LaneFault as fault:
            raise LateFault(fault, group, work.instruction) from None

    def _spread(self, group: Threads, mask: Mask | None) -> Mask:
        """Extends a mask over the threads of a group to all threads."""
        lanes = np.zeros(self.shape, np.bool_)
        lanes[group.b0 : group.b1, group.t0 : group.t1] = group.active() if mask is None else mask
        return lanes
