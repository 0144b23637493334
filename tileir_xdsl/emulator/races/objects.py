"""Knowledge that barrier objects (`mbarrier`) forward from arriving threads to waiting ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.mbarrier_state import WORD, Change
from tileir_xdsl.emulator.races.clocks import ORDERED, PLANES, Clocks, Knowledge, by_block
from tileir_xdsl.emulator.races.flags import Flag, Flags
from tileir_xdsl.emulator.races.work import AsynchronousWork
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import REACHES, Array, Mask


class Touch(Protocol):
    """Reports threads that write words of shared memory, or access them atomically.

    The words of `size` bytes are at byte `positions`.
    """

    def __call__(
        self, group: Threads, positions: Array, lanes: Mask, size: int, *, writes: bool
    ) -> None: ...


class Check(Protocol):
    """Checks that a proxy fence follows the writes of barrier objects that bulk copies update."""

    def __call__(self, group: Threads, positions: Array, lanes: Mask) -> None: ...


@dataclass
class _Phases:
    """Knowledge of the arrivals at a barrier object so far, and until its last complete phase.

    `creator` is the resident block and the thread that initialised the object; `is_published` is
    set after a `fence.mbarrier_init` of this thread.
    """

    arrived: Flag | None = None
    completed: Flag | None = None
    creator: tuple[int, int] = (-1, -1)
    is_published: bool = False


class BarrierObjects:
    """Barrier objects in shared memory, by the number of their 8-byte word."""

    def __init__(
        self,
        clocks: Clocks,
        flags: Flags,
        work: AsynchronousWork,
        shared_stride: int,
        touch: Touch,
        check_fenced: Check,
    ) -> None:
        self.check_fenced = check_fenced
        self.clocks = clocks
        self.flags = flags
        self.work = work
        self.words_of_block = shared_stride // WORD.itemsize
        self.touch = touch
        self._phases: dict[int, _Phases] = {}

    def create(self, group: Threads, positions: Array, lanes: Mask) -> None:
        self._access(group, positions, lanes, writes=True)
        for position, (block, thread) in zip(positions, np.argwhere(lanes), strict=True):
            creator = group.b0 + int(block), group.t0 + int(thread)
            self._phases[int(position)] = _Phases(creator=creator)

    def publish(self, group: Threads, mask: Mask | None) -> None:
        """`fence.mbarrier_init`: makes objects that threads initialised visible to all users."""
        for block, threads in by_block(group, mask):
            creators = {(block, int(thread)) for thread in threads}
            for phases in self._phases.values():
                phases.is_published |= phases.creator in creators

    def destroy(self, group: Threads, positions: Array, lanes: Mask) -> None:
        self._access(group, positions, lanes, writes=True)

    def update(self, group: Threads, positions: Array, lanes: Mask, change: Change) -> ObjectUpdate:
        """Threads are about to change barrier objects, one thread after another at each object."""
        if change.releases == "counted":
            unpublished = [not self._phases[int(p)].is_published for p in positions]
            chosen = np.zeros_like(lanes)
            chosen[tuple(np.argwhere(lanes)[unpublished].T)] = True
            if chosen.any():
                self.check_fenced(group, positions[unpublished] * WORD.itemsize, chosen)
        self._access(group, positions, lanes, writes=False)
        return ObjectUpdate(self, group, positions, lanes, change)

    def forward(
        self, group: Threads, positions: Array, lanes: Mask, chosen: Array, change: Change
    ) -> None:
        """The `chosen` threads among `lanes` arrive, and release what `change` says."""
        coming = np.zeros_like(lanes)
        coming[tuple(np.argwhere(lanes)[chosen].T)] = True
        if change.releases == "counted":
            self._count_copies(group, positions[chosen], coming)
            return
        arriving = coming & (np.broadcast_to(change.arrivals, group.shape) > 0)
        if not arriving.any():
            return
        for block, position, threads in _by_object(group, positions[arriving[lanes]], arriving):
            match change.releases:
                case "threads":
                    known = self.clocks.release(block, threads)
                    key = known.block, REACHES[change.scope]
                    self._arrive(position, Flag({key: known}, None, None))
                case "nothing":
                    # A fence before makes a release of it (PTX ISA, "Release Pattern").
                    for thread in map(int, threads):
                        released = self.flags.released((block, thread), "relaxed", change.scope)
                        if released is not None:
                            self._arrive(position, released)
                case "copies":
                    self._finish(position, self._copies_of(block, threads))
                case _:
                    for thread in threads:
                        self._finish(position, change.finished[block, int(thread)])

    def complete(self, positions: Array) -> None:
        """Phases end: threads that wait will know what was released so far."""
        for position in positions:
            phases = self._phases[int(position)]
            phases.completed = phases.arrived

    def wait(
        self,
        group: Threads,
        positions: Array,
        lanes: Mask,
        seen: Mask,
        scope: str,
        *,
        acquires: bool,
    ) -> None:
        """Threads test barrier objects; those in `seen` find the last phase complete."""
        self._access(group, positions, lanes, writes=False)
        for block, position, threads in _by_object(group, positions[seen[lanes]], seen):
            flag = self._phases[position].completed
            if flag is not None:
                self.flags.see_all(block, threads, flag, scope, acquires=acquires)

    def _access(self, group: Threads, positions: Array, lanes: Mask, *, writes: bool) -> None:
        self.touch(group, positions * WORD.itemsize, lanes, WORD.itemsize, writes=writes)

    def _arrive(self, position: int, flag: Flag) -> None:
        phases = self._phases[position]
        phases.arrived = flag if phases.arrived is None else phases.arrived.add(flag)

    def _finish(self, position: int, known: Knowledge) -> None:
        """Asynchronous work is done: threads that wait in the object's block learn of it."""
        block = int(self.clocks.blocks[position // self.words_of_block])
        self._arrive(position, Flag({(block, REACHES["cluster"]): known}, None, None))

    def _count_copies(self, group: Threads, positions: Array, lanes: Mask) -> None:
        """The running copies are complete."""
        running = self.work.running
        assert running is not None
        for number, (block, thread) in enumerate(np.argwhere(lanes)):
            known = self._nothing(group.b0 + int(block))
            column = int(running.writer[block, thread])
            known.row[ORDERED, column] = running.write_time[block, thread]
            self._finish(int(positions[number]), known)

    def _copies_of(self, block: int, threads: Array) -> Knowledge:
        """Knowledge of the copies that the warps of threads have started so far."""
        known = self._nothing(block)
        columns = self.clocks.columns.copies + np.unique(threads // WARP_SIZE)
        known.row[ORDERED, columns] = self.clocks.issued[block, columns]
        return known

    def _nothing(self, block: int) -> Knowledge:
        row = np.zeros((PLANES, self.clocks.columns.total), np.int32)
        return Knowledge(int(self.clocks.blocks[block]), row)


class ObjectUpdate:
    """Releases of threads that change barrier objects with one instruction.

    Threads arrive in order; a complete phase forwards what was released until then.
    """

    def __init__(
        self, objects: BarrierObjects, group: Threads, positions: Array, lanes: Mask, change: Change
    ) -> None:
        self.objects = objects
        self.arguments = (group, positions, lanes)
        self.change = change
        self.waiting: list[Array] = []

    def complete_phases(self, chosen: Array, completed: Array) -> None:
        """The threads with indices `chosen` arrive; the phases of the objects `completed` end."""
        self.waiting.append(chosen)
        if len(completed):
            self.finish()
            self.objects.complete(completed)

    def finish(self) -> None:
        """Forwards the releases since the last phase ended."""
        if self.waiting:
            chosen = np.sort(np.concatenate(self.waiting))
            self.objects.forward(*self.arguments, chosen, self.change)
            self.waiting = []


def _by_object(group: Threads, positions: Array, lanes: Mask) -> Iterator[tuple[int, int, Array]]:
    """Yields resident blocks, the word of a barrier object, and the threads that use the object."""
    block, thread = np.nonzero(lanes)
    for position in np.unique(positions):
        chosen = positions == position
        for b in np.unique(block[chosen]):
            yield group.b0 + int(b), int(position), group.t0 + thread[chosen & (block == b)]
