"""Delays strong accesses after later ones of the same thread (PTX ISA, "Memory Consistency Model").

A delayed load or atomic update takes effect after stores and updates that follow it. The access may
then return a value that another thread stores only after seeing the later accesses. A delayed
access takes effect at the next use of its registers, access to the same bytes, synchronisation, or
end of the thread. So a store never depends on a value that is read after this store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.emulator.races.flags import FlagAddress, Thread
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask


@dataclass(frozen=True)
class Needs:
    """The delayed accesses that an instruction needs: all, updates, or those of some registers."""

    everything: bool = False
    updates: bool = False
    registers: frozenset[str] = frozenset()


@dataclass(eq=False)
class PutOff:
    """An access that has been issued, and has not taken effect.

    `who` issued the access at `time`, as in `Clocks`. `take_effect` performs the access and returns
    its value, `[elements]`; `targets`, `[1, 1]` for each element, are views of the registers
    `names` that receive it.
    """

    thread: Thread
    who: int
    time: int
    address: FlagAddress
    size: int
    is_update: bool
    take_effect: Callable[[], Array]
    names: frozenset[str] = frozenset()
    targets: Sequence[Array | None] = ()


@dataclass
class PutOffAccesses:
    """The delayed accesses of threads, in the order of their issue."""

    pending: list[PutOff] = field(default_factory=list[PutOff])
    _issued: list[tuple[tuple[int, int], PutOff]] = field(
        default_factory=list[tuple[tuple[int, int], PutOff]]
    )

    def add(self, lane: tuple[int, int], access: PutOff) -> None:
        """Adds the access that a lane of the running group issues."""
        self.pending.append(access)
        self._issued.append((lane, access))

    def deliver(self, names: frozenset[str], views: Sequence[Array | None]) -> None:
        """Names the registers that receive the values of the last instruction's accesses. Their
        views are `[blocks, threads]` of the group, `None` for `_`."""
        for (block, thread), access in self._issued:
            access.names = names
            access.targets = [
                None if view is None else view[block : block + 1, thread : thread + 1]
                for view in views
            ]
        self._issued.clear()

    def settle(self, group: Threads, mask: Mask | None, needs: Needs) -> None:
        """Performs the delayed accesses of threads that their next instruction needs."""
        if not self.pending:
            return
        lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
        for access in tuple(self.pending):
            block, thread = access.thread[0] - group.b0, access.thread[1] - group.t0
            is_here = 0 <= block < lanes.shape[0] and 0 <= thread < lanes.shape[1]
            if is_here and lanes[block, thread] and _is_needed(access, needs):
                self._finish(access)

    def settle_overlapping(self, address: FlagAddress, size: int, thread: Thread | None) -> None:
        """Performs the delayed accesses to some bytes by a thread, or by all threads (None)."""
        for access in tuple(self.pending):
            in_global, first = access.address
            overlaps = first < address[1] + size and address[1] < first + access.size
            if in_global == address[0] and overlaps and thread in (None, access.thread):
                self._finish(access)

    def has_any_of(self, group: Threads) -> bool:
        """Whether threads in the rectangle of a group have delayed accesses."""
        return any(
            group.b0 <= access.thread[0] < group.b1 and group.t0 <= access.thread[1] < group.t1
            for access in self.pending
        )

    def _finish(self, access: PutOff) -> None:
        if access in self.pending:
            self.pending.remove(access)
            values = access.take_effect().reshape(-1)
            for target, value in zip(access.targets, values, strict=bool(access.targets)):
                if target is not None:
                    np.copyto(target, value, casting="unsafe")


def _is_needed(access: PutOff, needs: Needs) -> bool:
    return (
        needs.everything
        or (needs.updates and access.is_update)
        or not needs.registers.isdisjoint(access.names)
    )
