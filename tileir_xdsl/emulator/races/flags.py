"""Synchronisation through memory: fences, atomic accesses, and loads and stores with semantics.

A release pattern is a releasing access, or a fence followed by a relaxed store. An acquire pattern
is an acquiring access, or a relaxed load followed by a fence (PTX ISA, "Release and Acquire
Patterns"). The scopes of both patterns and of their accesses must include the other thread.
Existing programs rely on two extensions. A barrier may be between fences of several threads and the
store of one thread. A barrier also counts as a fence after an atomic update by a thread that had a
fence before the update.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

from tileir_xdsl.emulator.races.clocks import (
    BLOCK,
    CLUSTER,
    DEVICE,
    ORDERED,
    PROXIES,
    PROXY_GLOBAL,
    PROXY_SHARED,
    RESTRICTED,
    SEEN,
    SHARED,
    Clocks,
    Elsewhere,
    Knowledge,
    by_block,
)
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import REACHES, Array, Mask

Thread = tuple[int, int]
"""The number of a resident block, and of a thread in it."""
FlagAddress = tuple[bool, int]
"""Whether a flag is in global memory, and the flag's byte position."""

_PLANES = (BLOCK, CLUSTER, DEVICE)

PROXY_FENCES: Mapping[str, tuple[int, ...]] = {
    "": PROXIES,
    "global": (PROXY_GLOBAL,),
    "shared::cta": (PROXY_SHARED,),
    "shared::cluster": (PROXY_SHARED,),
}
"""The planes of a proxy fence by its state space; without a state space, all planes (PTX ISA,
"membar / fence").
"""


@dataclass(frozen=True)
class Flag:
    """The knowledge that reading a value of a flag makes visible.

    `near` holds this knowledge by the releasing block and the reach of the release's scope.
    `device` holds all that was released at device scope. `owner` is the block and the thread of the
    only thread that has stored to the flag. Flags are immutable.
    """

    near: Mapping[tuple[int, int], Knowledge]
    device: Knowledge | None
    owner: tuple[int, int] | None

    def add(self, other: Flag) -> Flag:
        near = dict(self.near)
        for key, known in other.near.items():
            near[key] = _joined(near.get(key), known)
        device = other.device if self.device is None else self.device
        if self.device is not None and other.device is not None:
            device = _joined(self.device, other.device)
        return Flag(near, device, self.owner if self.owner == other.owner else None)

    def capped(self, reach: int) -> Flag:
        """The flag as seen through an access with a scope of limited reach."""
        if reach == REACHES["gpu"]:
            return self
        near: dict[tuple[int, int], Knowledge] = {}
        for (block, far), known in self.near.items():
            key = block, min(far, reach)
            near[key] = _joined(near.get(key), known)
        return Flag(near, None, self.owner)


def _joined(first: Knowledge | None, second: Knowledge) -> Knowledge:
    if first is None:
        return second
    joined = first.copy()
    joined.add(second)
    return joined


class Flags:
    """The memory locations through which threads synchronise.

    `observed` has what threads have read before their next fence, by the reach that the fence
    needs. `lasting` has the flags in global memory by byte position, so that later blocks can
    acquire what ended blocks released. `cluster_of` returns the number of a block's cluster.
    """

    def __init__(
        self, clocks: Clocks, lasting: dict[int, Flag], cluster_of: Callable[[int], int]
    ) -> None:
        self.clocks = clocks
        self.cluster_of = cluster_of
        self.observed: dict[Thread, list[tuple[int, Knowledge]]] = {}
        self.counted: dict[Thread, list[Knowledge]] = {}
        """Knowledge that each thread (its block, its number) has read by atomics after a fence."""
        self._fenced: set[Thread] = set()
        self._found: dict[bool, dict[int, Flag]] = {False: {}, True: lasting}
        self.has_fences = False
        """Whether a relaxed store may release earlier accesses, since there was a fence."""
        self.sc_fences: list[tuple[int, Knowledge]] | None = None
        """Knowledge that `fence.sc` have forwarded and its reach; None if these fences have no
        order. Their order matters only if loads may return old values."""

    def matters(self, access: InstructionAccess) -> bool:
        """Whether an access may synchronise."""
        return access.semantics != "relaxed" or any(self._found.values()) or self.has_fences

    def read(
        self, thread: Thread, address: FlagAddress, access: InstructionAccess, *, updates: bool
    ) -> None:
        """A thread reads a flag: the thread learns what was released, now or at its next fence."""
        flag = self.flag(address)
        if flag is None:
            return
        self.see(thread, flag, access)
        number = self._number(thread[0]), thread[1]
        # The last block that counts itself reads what all have stored: fence, atomic, barrier.
        if updates and number in self._fenced:
            visible = self._visible(flag, thread[0], REACHES[access.scope])
            self.counted.setdefault(number, []).extend(known for _, known in visible)

    def flag(self, address: FlagAddress) -> Flag | None:
        """The flag at a location; None if reading it makes nothing visible."""
        in_global, position = address
        return self._found[in_global].get(position)

    def put(self, address: FlagAddress, flag: Flag | None) -> None:
        """Sets the flag at a location."""
        in_global, position = address
        if flag is None:
            self._found[in_global].pop(position, None)
        else:
            self._found[in_global][position] = flag

    def see(self, thread: Thread, flag: Flag, access: InstructionAccess) -> None:
        """A thread reads a value: it learns what this makes visible, now or at its next fence."""
        acquires = access.semantics in ("acquire", "acq_rel")
        block, threads = thread[0], np.array([thread[1]])
        self.see_all(block, threads, flag, access.scope, acquires=acquires)

    def see_all(
        self, block: int, threads: Array, flag: Flag, scope: str, *, acquires: bool
    ) -> None:
        """Some threads of a block read a flag through accesses of a scope."""
        for far, known in self._visible(flag, block, REACHES[scope]):
            if acquires:
                self.clocks.acquire(block, threads, known)
                continue
            for thread in map(int, threads):
                self.observed.setdefault((block, thread), []).append((far, known))

    def _visible(self, flag: Flag, row: int, reach: int) -> list[tuple[int, Knowledge]]:
        """The knowledge that a block gets from a flag, each with its distance in scopes."""
        farthest = REACHES["gpu"]
        whole = flag.device if reach == farthest else None
        found = [] if whole is None else [(farthest, whole)]
        for (block, far), known in flag.near.items():
            if far == farthest and whole is not None and block != self._number(row):
                continue
            distance = self._distance(block, row)
            if distance <= min(far, reach):
                found.append((distance, known))
        return found

    def _number(self, row: int) -> int:
        return int(self.clocks.blocks[row])

    def _distance(self, block: int, row: int) -> int:
        """The narrowest scope that includes a block and a resident block."""
        own = self._number(row)
        if block == own:
            return REACHES["cta"]
        same = self.cluster_of(block) == self.cluster_of(own)
        return REACHES["cluster" if same else "gpu"]

    def write(
        self, thread: Thread, address: FlagAddress, access: InstructionAccess, *, updates: bool
    ) -> None:
        """A thread updates a flag, or stores to it: a store discards releases by other threads."""
        in_global, position = address
        found = self._found[in_global]
        released = self.released(thread, access.semantics, access.scope)
        earlier = found.get(position)
        owner = self._number(thread[0]), thread[1]
        if earlier is not None and not updates:
            earlier = earlier.capped(REACHES[access.scope]) if earlier.owner == owner else None
        if released is not None:
            found[position] = released if earlier is None else earlier.add(released)
        elif earlier is None:
            found.pop(position, None)
        elif not updates or earlier.owner != owner:
            found[position] = Flag(earlier.near, earlier.device, None if updates else owner)

    def released(self, thread: Thread, semantics: str, scope: str) -> Flag | None:
        """The flag that a store makes: all earlier work, or only that before a fence."""
        row, reach = thread[0], REACHES[scope]
        block = self._number(row)
        owner = block, thread[1]
        if semantics in ("release", "acq_rel"):
            known = self.clocks.release(row, np.array([thread[1]]))
            device = known if reach == REACHES["gpu"] else None
            return Flag({(block, reach): known}, device, owner)
        if not self.has_fences:
            return None
        number = int(self.clocks.row[thread])
        elsewhere = self.clocks.elsewhere.get(number, Elsewhere())

        def fenced(far: int) -> Knowledge:
            row = self.clocks.rows[number].copy()
            row[ORDERED] = row[_PLANES[far]]
            row[SHARED] = row[RESTRICTED] if far <= REACHES["cluster"] else 0
            row[SEEN] = 0
            return Knowledge(block, row, elsewhere.released())

        near = {(block, far): fenced(far) for far in range(reach + 1)}
        return Flag(near, near.get((block, REACHES["gpu"])), owner)

    def fence(
        self,
        group: Threads,
        mask: Mask | None,
        scope: str,
        *,
        acquires: bool,
        releases: bool,
        is_sc: bool = False,
        restricted: bool = False,
    ) -> None:
        """A fence: later relaxed stores of the threads release what they did and read before.

        With `restricted` this holds for shared memory only. With `is_sc`, the fence is also ordered
        after earlier such fences whose scopes and its own include each other.
        """
        self.has_fences = True
        reach = REACHES[scope]
        for block, threads in by_block(group, mask):
            if acquires:
                self.acquire_observed(block, threads, reach, restricted=restricted)
            if releases:
                block_number = self._number(block)
                self._fenced |= {(block_number, thread) for thread in threads.tolist()}
                planes = () if restricted else _PLANES[: reach + 1]
                within = (RESTRICTED,) if reach >= REACHES["cluster"] else ()
                self.clocks.fence(block, threads, (*planes, *within))
            if is_sc and self.sc_fences is not None:
                self._fence_sc(self.sc_fences, block, threads, reach)

    def _fence_sc(
        self, earlier: list[tuple[int, Knowledge]], block: int, threads: Array, reach: int
    ) -> None:
        for far, known in earlier:
            if self._distance(known.block, block) <= min(far, reach):
                self.clocks.acquire(block, threads, known)
        earlier.append((reach, self.clocks.release(block, threads)))

    def acquire_observed(
        self,
        block: int,
        threads: Array,
        reach: int = REACHES["gpu"],
        *,
        restricted: bool = False,
    ) -> None:
        """Threads now know what the flags that they have read make visible, within a scope's reach.
        With `restricted` they know only shared-memory accesses; they learn the rest at another
        fence.
        """
        for thread in threads if self.observed else ():
            observed = self.observed.pop((block, int(thread)), None)
            if observed is None:
                continue
            left = [(far, known) for far, known in observed if far > reach]
            within = [known for far, known in observed if far <= reach]
            for known in within:
                acquired = known.restricted() if restricted else known
                self.clocks.acquire(block, np.array([thread]), acquired)
            if restricted and within:
                left.append((reach, reduce(_joined, within)))
            if left:
                self.observed[block, int(thread)] = left

    def acquire_fenced(self, block: int, threads: Array) -> None:
        """Threads learn the tensor-memory accesses that flags that they have read make visible."""
        for thread in threads if self.observed else ():
            for _, known in self.observed.get((block, int(thread)), ()):
                self.clocks.acquire(block, np.array([thread]), known.fenced())

    def acquire_counted(self, block: int, threads: Array) -> None:
        """At a barrier, threads learn what their atomic updates after a fence have read."""
        for thread in map(int, threads if self.counted else ()):
            for known in self.counted.pop((self._number(block), thread), ()):
                self.clocks.acquire(block, np.array([thread]), known)

    def proxy_fence(self, group: Threads, mask: Mask | None, space: str) -> None:
        """A proxy fence: the asynchronous proxy may follow what threads know of a state space."""
        planes = PROXY_FENCES[space]
        for block, threads in by_block(group, mask):
            self.clocks.fence(block, threads, planes)
