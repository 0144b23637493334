"""Pending accesses to buffers in shared memory: those since the last barrier.

Before a buffer is written, all threads must be done with the previous contents of its memory;
before it is read, all must have written it. Hardware that reads asynchronously, such as wgmma, also
needs a proxy fence in every writing thread: threads write through the generic proxy, the hardware
reads through the asynchronous proxy (PTX ISA, "Proxies").

The state follows control flow: each successor of a branch starts with a copy of the state at the
branch, and where edges meet, what is pending on one of them is (`join`). A loop is entered with the
state before it, so that its back edge must bring no more than that (`exceeds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.ir import Block

from tileir_xdsl.layout.linear import LinearLayout

from .shared_buffers import SharedTile, size_in_bytes


@dataclass(frozen=True)
class SharedWrite:
    """What threads write to a buffer: the tile, and which thread holds which of its elements."""

    tile: SharedTile
    layout: LinearLayout

    def conflicts(self, other: SharedWrite) -> bool:
        """Whether one thread may write where another does: a barrier must be between the two.

        The order of a thread's own writes is enough.
        """
        if self == other:
            return False
        mine, theirs = self._bytes(), other._bytes()
        if self.tile.base is not other.tile.base or mine is None or theirs is None:
            return True
        return mine.start < theirs.stop and theirs.start < mine.stop

    def _bytes(self) -> range | None:
        """The bytes behind the base of the tile, as far as they are known."""
        start = self.tile.offset
        if not isinstance(start, int):
            return None
        return range(start, start + size_in_bytes(self.tile.layout))


@dataclass
class SharedAccesses:
    """The accesses to buffers that no barrier has completed yet, at the current point."""

    writes: frozenset[SharedWrite | None] = frozenset()
    """The writes of threads to buffers; None is one of which nothing is known."""
    unfenced: bool = False
    """Whether a buffer write is not yet visible to the asynchronous proxy."""
    is_overlaid: bool = False
    """Whether scratch memory overlaps buffers: its reads count as reads of these."""
    _read_in: Block | None = None
    """The block of the thread's program in which no buffer has been read since a barrier."""
    _in_entry: bool = True
    _no_mmas_in: Block | None = None
    """The block of the thread's program since which no warpgroup MMA is in flight."""

    @property
    def written(self) -> bool:
        """Whether a buffer has been written."""
        return bool(self.writes)

    def copy(self) -> SharedAccesses:
        """The state of a successor."""
        return replace(self)

    def join(self, other: SharedAccesses) -> None:
        """Merges the state of another incoming edge.

        What is known of single blocks holds in no block after the join.
        """
        self.writes |= other.writes
        self.unfenced |= other.unfenced
        self.is_overlaid |= other.is_overlaid
        self._in_entry &= other._in_entry
        self._read_in = self._no_mmas_in = None

    def exceeds(self, other: SharedAccesses) -> bool:
        """Whether a write is pending that is not pending in another state."""
        return not self.writes <= other.writes

    def write(self, write: SharedWrite | None = None) -> None:
        """Records that a buffer has been written."""
        self.writes |= {write}
        self.unfenced = True

    def conflict(self, write: SharedWrite) -> bool:
        """Whether a write must wait for those before it."""
        return any(before is None or before.conflicts(write) for before in self.writes)

    def read(self) -> None:
        """Records that buffers have been read, or that an asynchronous read has completed."""
        self._read_in = None
        self._in_entry = False

    def may_be_read(self, block: Block) -> bool:
        """Whether some thread may not have completed its reads yet.

        Nothing is known of what comes before a block, except the first one of a function.
        """
        if self.is_overlaid:
            return True
        return block is not self._read_in and not (self._in_entry and _is_entry(block))

    def pass_barrier(self, block: Block) -> None:
        """Records a barrier of all threads."""
        self._read_in = block
        self.writes = frozenset()

    def skip(self, before: Block, after: Block) -> None:
        """A branch has skipped code that accesses no buffers: what was known still is."""
        if not self.may_be_read(before):
            self._read_in = after
        if self.has_no_mmas(before):
            self._no_mmas_in = after

    def pass_fence(self) -> None:
        """Records a proxy fence in all threads; it takes effect at the next barrier."""
        self.unfenced = False

    def issue_mma(self) -> None:
        """Records that an MMA that reads buffers is in flight."""
        self._no_mmas_in = None

    def finish_mmas(self, block: Block) -> None:
        """Records that all MMAs are complete."""
        self._no_mmas_in = block
        self.read()

    def has_no_mmas(self, block: Block) -> bool:
        """Whether no MMA is known to be in flight."""
        return block is self._no_mmas_in


def _is_entry(block: Block) -> bool:
    function = block.parent_op()
    return isinstance(function, llvm.FuncOp) and function.body.blocks.first is block
