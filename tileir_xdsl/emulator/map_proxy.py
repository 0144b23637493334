"""The tensor map proxy: which changes of tensor maps in global memory a block may rely on.

Copies read a tensor map by a proxy of its own. What a kernel has changed of a map is there once the
thread that changed it has released it, and the block that uses it has acquired it after that, both
at a scope that has both blocks. Maps that no kernel has changed are the launch's. Source: PTX ISA,
"membar / fence" (`fence.proxy.tensormap`), "tensormap.cp_fenceproxy".
"""

from __future__ import annotations

from dataclasses import dataclass, field

Block = tuple[int, int]
"""A block of the grid: the number of its wave, and of the block in it."""


@dataclass(frozen=True)
class _Change:
    """The last change of a map: its bytes, who made it, and for which scope it was released."""

    number: int
    data: bytes
    block: Block
    scope: str | None


@dataclass
class MapProxy:
    """The changes of tensor maps in a launch, by address, and which of them blocks acquired."""

    waves: int = 0
    """How many waves of blocks there have been."""
    _changes: dict[int, _Change] = field(default_factory=dict[int, _Change])
    _acquired: dict[tuple[Block, int], tuple[int, str]] = field(
        default_factory=dict[tuple[Block, int], tuple[int, str]]
    )
    _count: int = 0

    def change(self, block: Block, address: int, data: bytes, scope: str | None = None) -> None:
        """A block gives a map these bytes; with a scope it releases them at once."""
        self._count += 1
        self._changes[address] = _Change(self._count, data, block, scope)

    def release(self, block: Block, scope: str) -> None:
        """A block releases all that it has changed."""
        for address, found in self._changes.items():
            if found.block == block and found.scope is None:
                self._changes[address] = _Change(found.number, found.data, block, scope)

    def acquire(self, block: Block, address: int, scope: str) -> None:
        """A block acquires what was released of a map."""
        self._acquired[block, address] = self._count, scope

    def problem(self, block: Block, address: int, data: bytes) -> str:
        """Why a block may not use a map that has these bytes; empty if it may."""
        found = self._changes.get(address)
        if found is None:
            return ""
        if data != found.data:
            return "a tensor map was changed by other accesses after it was published"
        if found.scope is None:
            return "a tensor map was changed, and no fence.proxy.tensormap releases it"
        seen, scope = self._acquired.get((block, address), (0, ""))
        if seen < found.number:
            return "a tensor map was changed, and no fence.proxy.tensormap of the block acquires it"
        if block != found.block and "cta" in (scope, found.scope):
            return "a tensor map was changed by another block, and the scope of a fence is .cta"
        return ""
