"""The tensor map proxy: which changes of tensor maps in global memory a block may rely on.

Copies read tensor maps through a separate proxy. A kernel's change of a map becomes visible in two
steps. The changing thread releases the map, and the using block then acquires it. Both scopes
include both blocks. Maps that no kernel has changed need no steps. Source: PTX ISA, "membar /
fence" (`fence.proxy.tensormap`), "tensormap.cp_fenceproxy".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tileir_xdsl.emulator.types import REACHES

Block = tuple[int, int]
"""A block of the grid: the number of its wave, and its number in the wave."""
Moment = Mapping[int, int]
"""The time of an action: the clock of each acting thread by number; empty unless races count."""


def _always(_: Moment) -> bool:
    return True


@dataclass(frozen=True)
class MapUser:
    """A block that changes, releases, acquires or uses a map.

    `cluster` is the wave and the number in it of the block's cluster, and `moment` is now. `knows`
    says whether another moment precedes this one.
    """

    block: Block
    cluster: Block
    moment: Moment = field(default_factory=dict[int, int])
    knows: Callable[[Moment], bool] = _always

    def reach_to(self, other: MapUser) -> int:
        """The narrowest scope that includes both blocks."""
        if self.block == other.block:
            return REACHES["cta"]
        return REACHES["cluster" if self.cluster == other.cluster else "gpu"]


@dataclass(frozen=True)
class _Change:
    """The last change of a map: its bytes, the block that made or released it, and its scope."""

    number: int
    data: bytes
    agent: MapUser
    scope: str | None


@dataclass(frozen=True)
class _Acquisition:
    """The last change of a map that a block has acquired, with scope and time."""

    number: int
    scope: str
    moment: Moment


@dataclass
class MapProxy:
    """The changes of tensor maps in a launch, by address, and those that blocks have acquired."""

    waves: int = 0
    """How many waves of blocks have started."""
    _changes: dict[int, _Change] = field(default_factory=dict[int, _Change])
    _acquired: dict[tuple[Block, int], _Acquisition] = field(
        default_factory=dict[tuple[Block, int], _Acquisition]
    )
    _count: int = 0

    def change(self, agent: MapUser, address: int, data: bytes, scope: str | None = None) -> None:
        """Records that a block writes bytes to a map and, with a scope, releases this change."""
        self._count += 1
        self._changes[address] = _Change(self._count, data, agent, scope)

    def release(self, agent: MapUser, scope: str) -> None:
        """Records that a thread releases all earlier changes by its block."""
        for address, found in self._changes.items():
            own = found.agent.block == agent.block and found.scope is None
            if own and agent.knows(found.agent.moment):
                self._changes[address] = replace(found, agent=agent, scope=scope)

    def acquire(self, agent: MapUser, address: int, scope: str) -> None:
        """Records that a thread acquires for its block the released change of a map."""
        found = self._changes.get(address)
        if found is None or not agent.knows(found.agent.moment):
            return
        key, moment = (agent.block, address), agent.moment
        earlier = self._acquired.get(key)
        if earlier is not None and (earlier.number, earlier.scope) == (found.number, scope):
            moment = {**earlier.moment, **moment}
        if found.scope is not None:
            self._acquired[key] = _Acquisition(found.number, scope, moment)

    def problem(self, agent: MapUser, address: int, data: bytes) -> str:
        """Why a block may not use a map with these bytes; empty if it may."""
        found = self._changes.get(address)
        if found is None:
            return ""
        if data != found.data:
            return "a tensor map was changed by other accesses after it was published"
        if found.scope is None:
            return "a tensor map was changed, and no fence.proxy.tensormap releases it"
        acquired = self._acquired.get((agent.block, address))
        if acquired is None or acquired.number < found.number or not agent.knows(acquired.moment):
            return "a tensor map was changed, and no fence.proxy.tensormap of the block acquires it"
        far = agent.reach_to(found.agent)
        if narrow := [s for s in (acquired.scope, found.scope) if REACHES[s] < far]:
            scope = f"the scope of a fence is .{narrow[0]}"
            return f"a tensor map was changed by another block, and {scope}"
        return ""
