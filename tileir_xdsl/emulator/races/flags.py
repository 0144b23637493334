"""Order through memory: fences, atomic accesses, and loads and stores with semantics.

A release pattern is a release, or a fence and a relaxed store after it; an acquire pattern is an
acquire, or a relaxed load and a fence behind it (PTX ISA, "Release and Acquire Patterns"). As
programs in use rely on it, a barrier may be between the fences of several threads and the store of
one of them, and a barrier after a load counts as a fence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.races.clocks import (
    BLOCK,
    DEVICE,
    ORDERED,
    PROXY,
    Clocks,
    Elsewhere,
    Knowledge,
    by_block,
)
from tileir_xdsl.emulator.state_spaces import Access
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

Thread = tuple[int, int]
"""A resident block, and a thread of it."""
FlagAddress = tuple[bool, int]
"""Whether a flag is in global memory, and its byte position."""


@dataclass
class Flag:
    """What reading the value of a flag makes visible: to its own block, and to other blocks.

    Only what was released at a wider scope than the block is forwarded to others. Where that is
    all, both are one object; neither is ever changed.
    """

    near: Knowledge
    wide: Knowledge | None

    def add(self, other: Flag) -> Flag:
        near = self.near.copy()
        near.add(other.near)
        if self.wide is self.near and other.wide is other.near:
            return Flag(near, near)
        wide = self.wide.copy() if self.wide else None
        if wide is None:
            wide = other.wide
        elif other.wide is not None:
            wide.add(other.wide)
        return Flag(near, wide)


class Flags:
    """The places that threads synchronise through.

    `observed` has what threads have read and no fence has followed yet. `lasting` are the flags in
    global memory, by byte position: what blocks released that have ended, blocks acquire that start
    later.
    """

    def __init__(self, clocks: Clocks, lasting: dict[int, Flag]) -> None:
        self.clocks = clocks
        self.observed: dict[Thread, list[Knowledge]] = {}
        self._found: dict[bool, dict[int, Flag]] = {False: {}, True: lasting}
        self._has_fences = False

    def matters(self, access: Access) -> bool:
        """Whether an access may order anything."""
        return access.semantics != "relaxed" or any(self._found.values()) or self._has_fences

    def read(self, thread: Thread, address: FlagAddress, access: Access) -> None:
        """A thread reads a flag: it knows what was released, at once or from its next fence on."""
        in_global, position = address
        flag = self._found[in_global].get(position)
        if flag is None:
            return
        known: Knowledge | None = flag.near
        if known.block != int(self.clocks.blocks[thread[0]]) or known.elsewhere.blocks:
            known = flag.wide if access.scope != "cta" else None
        if known is None:
            return
        if access.semantics in ("acquire", "acq_rel"):
            self.clocks.acquire(thread[0], np.array([thread[1]]), known)
        else:
            self.observed.setdefault(thread, []).append(known.copy())

    def write(self, thread: Thread, address: FlagAddress, access: Access, *, updates: bool) -> None:
        """A thread stores to a flag, which ends what was released before, or updates it."""
        in_global, position = address
        found, released = self._found[in_global], self._released(thread, access)
        earlier = found.get(position) if updates else None
        if released is not None:
            found[position] = released if earlier is None else earlier.add(released)
        elif not updates:
            found.pop(position, None)

    def _released(self, thread: Thread, access: Access) -> Flag | None:
        """What the store of a thread releases: all until now, or what a fence has followed."""
        block, wide = thread[0], access.scope != "cta"
        if access.semantics in ("release", "acq_rel"):
            known = self.clocks.release(block, np.array([thread[1]]))
            return Flag(known, known if wide else None)
        if not self._has_fences:
            return None
        number = int(self.clocks.row[thread])
        elsewhere = self.clocks.elsewhere.get(number, Elsewhere())

        def fenced(plane: int) -> Knowledge:
            row = self.clocks.rows[number].copy()
            row[ORDERED] = row[plane]
            return Knowledge(int(self.clocks.blocks[block]), row, elsewhere.copy())

        return Flag(fenced(BLOCK), fenced(DEVICE) if wide else None)

    def fence(self, group: Threads, mask: Mask | None, *, wide: bool) -> None:
        """Threads order what they did before a later relaxed store, and flags they have read."""
        self._has_fences = True
        for block, threads in by_block(group, mask):
            self.acquire_observed(block, threads)
            self.clocks.fence(block, threads, (BLOCK, DEVICE) if wide else (BLOCK,))

    def acquire_observed(self, block: int, threads: Array) -> None:
        """Threads know now what the flags that they have read make visible."""
        for thread in threads if self.observed else ():
            for known in self.observed.pop((block, int(thread)), ()):
                self.clocks.acquire(block, np.array([thread]), known)

    def proxy_fence(self, group: Threads, mask: Mask | None) -> None:
        """Threads make what they know visible to the asynchronous proxy."""
        for block, threads in by_block(group, mask):
            self.clocks.fence(block, threads, (PROXY,))
