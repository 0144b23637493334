"""Threads that each issue work: bulk copies, mma, and copies in tensor memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import EmulatorError, LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.types import Array, Mask


@dataclass(frozen=True, eq=False)
class Issuer:
    """The thread that issues work, and the resident block whose memory the work is in.

    `lane` is the thread's index in its group, and `only` a mask of this thread alone.
    """

    group: ThreadGroup
    lane: tuple[int, int]
    only: Mask
    block: int

    def value(self, operand: Array) -> int:
        """The value of an operand in the thread."""
        return int(np.broadcast_to(operand, self.group.shape)[self.lane])

    def fault(self, message: str, becomes: type[EmulatorError] = EmulatorError) -> LaneFault:
        """An error of this thread."""
        return LaneFault(message, self.only, becomes=becomes)

    def tensor_cells(self, lanes: Array, columns: Array, *, writes: bool) -> Array:
        """Checks an access to cells of the block's tensor memory; returns all its words.

        Reports the access to the race detector. Raises `LaneFault` as `TensorMemory.check` does,
        and for a race.
        """
        memory = self.group.memory
        memory.tensor_memory.check(self.block, lanes, columns, self.only)
        if memory.races is not None:
            memory.races.tensor_memory.touch(
                self.group, self.only, self.block, lanes, columns, writes=writes
            )
        return memory.tensor_memory.cells[self.block]


def issuers(group: ThreadGroup, mask: Mask | None) -> Iterator[Issuer]:
    """Yields each active thread as an issuer of work in its own block."""
    active = np.ones(group.shape, np.bool_) if mask is None else np.broadcast_to(mask, group.shape)
    for block, thread in np.argwhere(active):
        only = np.zeros(group.shape, np.bool_)
        only[block, thread] = True
        yield Issuer(group, (int(block), int(thread)), only, group.b0 + int(block))
