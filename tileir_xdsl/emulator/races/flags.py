"""Order through memory: fences, atomic accesses, and loads and stores with semantics.

A release pattern is a release, or a fence and a relaxed store after it. An acquire pattern is an
acquire, or a relaxed load and a fence after it (PTX ISA, "Release and Acquire Patterns"). Both and
the accesses of the flag need scopes that include the other thread. Programs in use rely on two
extensions. A barrier may be between the fences of several threads and the store of one of them. A
barrier also counts as a fence after an update of a thread that had a fence before it.
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
"""A resident block, and a thread of it."""
FlagAddress = tuple[bool, int]
"""Whether a flag is in global memory, and its byte position."""

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
    """Knowledge that reading the value of a flag makes visible.

    `near` has it by the number of the block that released it and by the reach of its scope.
    `device` is all that reaches the device. `owner` is the only thread that has stored to it, by
    the number of its block and its own. No part is ever changed.
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
        """The same through an access whose scope reaches no farther."""
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
    """The places that threads synchronise through.

    `observed` has what threads have read and no fence has followed yet, by how far that must
    reach. `lasting` are the flags in global memory, by byte position: what blocks released that
    have ended, blocks acquire that start later. `cluster_of` numbers the cluster of a block of the
    grid.
    """

    def __init__(
        self, clocks: Clocks, lasting: dict[int, Flag], cluster_of: Callable[[int], int]
    ) -> None:
        self.clocks = clocks
        self.cluster_of = cluster_of
        self.observed: dict[Thread, list[tuple[int, Knowledge]]] = {}
        self.counted: dict[Thread, list[Knowledge]] = {}
        """Knowledge that updates have read after a fence, by the block of the grid."""
        self._fenced: set[Thread] = set()
        self._found: dict[bool, dict[int, Flag]] = {False: {}, True: lasting}
        self.has_fences = False
        """Whether what precedes a relaxed store may be known by it, as a fence is between."""
        self.sc_fences: list[tuple[int, Knowledge]] | None = None
        """Knowledge that `fence.sc` have forwarded, and how far, if these are ordered. They order
        something only where loads may return old values."""

    def matters(self, access: InstructionAccess) -> bool:
        """Whether an access may order anything."""
        return access.semantics != "relaxed" or any(self._found.values()) or self.has_fences

    def read(
        self, thread: Thread, address: FlagAddress, access: InstructionAccess, *, updates: bool
    ) -> None:
        """A thread reads a flag: it learns what was released, at once or from its next fence on."""
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
        """Knowledge that reading a place makes visible."""
        in_global, position = address
        return self._found[in_global].get(position)

    def put(self, address: FlagAddress, flag: Flag | None) -> None:
        """Says what reading a place makes visible from now on."""
        in_global, position = address
        if flag is None:
            self._found[in_global].pop(position, None)
        else:
            self._found[in_global][position] = flag

    def see(self, thread: Thread, flag: Flag, access: InstructionAccess) -> None:
        """A thread reads a value: it learns what the value makes visible, at once or from its next
        fence on.
        """
        acquires = access.semantics in ("acquire", "acq_rel")
        block, threads = thread[0], np.array([thread[1]])
        self.see_all(block, threads, flag, access.scope, acquires=acquires)

    def see_all(
        self, block: int, threads: Array, flag: Flag, scope: str, *, acquires: bool
    ) -> None:
        """Some threads of a block see what makes a flag visible, through accesses of a scope."""
        for far, known in self._visible(flag, block, REACHES[scope]):
            if acquires:
                self.clocks.acquire(block, threads, known)
                continue
            for thread in map(int, threads):
                self.observed.setdefault((block, thread), []).append((far, known))

    def _visible(self, flag: Flag, row: int, reach: int) -> list[tuple[int, Knowledge]]:
        """Knowledge that a block gets of a flag through an access, and from how far away."""
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
        """How far a scope has to reach for a block to synchronise with a resident one."""
        own = self._number(row)
        if block == own:
            return REACHES["cta"]
        same = self.cluster_of(block) == self.cluster_of(own)
        return REACHES["cluster" if same else "gpu"]

    def write(
        self, thread: Thread, address: FlagAddress, access: InstructionAccess, *, updates: bool
    ) -> None:
        """A thread updates a flag, or stores to it, which discards what others released before."""
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
        """The flag that a store releases: all until now, or what a fence has followed."""
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
        """Threads order their earlier accesses, and the flags that they have read, before a later
        relaxed store.

        With `restricted` what they did in shared memory only. With `is_sc`, and where that is
        looked at, also after all earlier such fences whose scopes and theirs include each other.
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
        """Threads now know what the flags that they have read make visible, within a scope. With
        `restricted` they know this of shared memory only; they learn the rest at another fence.
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
        """Threads know of tensor memory what the flags that they have read make visible."""
        for thread in threads if self.observed else ():
            for _, known in self.observed.get((block, int(thread)), ()):
                self.clocks.acquire(block, np.array([thread]), known.fenced())

    def acquire_counted(self, block: int, threads: Array) -> None:
        """Threads that come to a barrier know what their updates after a fence have read."""
        for thread in map(int, threads if self.counted else ()):
            for known in self.counted.pop((self._number(block), thread), ()):
                self.clocks.acquire(block, np.array([thread]), known)

    def proxy_fence(self, group: Threads, mask: Mask | None, space: str) -> None:
        """Threads make what they know of a state space visible to the asynchronous proxy."""
        planes = PROXY_FENCES[space]
        for block, threads in by_block(group, mask):
            self.clocks.fence(block, threads, planes)
