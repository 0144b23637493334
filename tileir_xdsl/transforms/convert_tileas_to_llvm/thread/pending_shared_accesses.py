"""What threads have done to buffers in shared memory since they last waited for each other.

Before a buffer is written, all threads must be done with what was in its place; before it is read,
all must have written it. Hardware that reads beside the threads, such as wgmma, also needs a fence
in every writing thread: writes of threads and reads of the hardware take different ways ("proxies",
PTX ISA, "Proxies").

The state follows control flow: each successor of a branch starts with a copy of the state at the
branch, and where edges meet, what is pending on one of them is (`join`). A loop is entered with the
state before it, so that its back edge must bring no more than that (`exceeds`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.ir import Block


@dataclass
class SharedAccesses:
    """The accesses to buffers that no barrier stands behind yet, at the point that is written."""

    written: bool = False
    """Whether a buffer has been written."""
    unfenced: bool = False
    """Whether a buffer has been written and hardware beside the threads may not see it yet."""
    is_overlaid: bool = False
    """Whether scratch memory has taken the place of buffers: its reads count as reads of these."""
    _read_in: Block | None = None
    """The block of the thread's program in which no buffer has been read since a barrier."""
    _in_entry: bool = True
    _no_mmas_in: Block | None = None
    """The block of the thread's program since which no product of warpgroups is on its way."""

    def copy(self) -> SharedAccesses:
        """The state of a successor."""
        return replace(self)

    def join(self, other: SharedAccesses) -> None:
        """Where another edge meets this one, each may have been taken.

        What is known of single blocks holds in no block after the join.
        """
        self.written |= other.written
        self.unfenced |= other.unfenced
        self.is_overlaid |= other.is_overlaid
        self._in_entry &= other._in_entry
        self._read_in = self._no_mmas_in = None

    def exceeds(self, other: SharedAccesses) -> bool:
        """Whether a write is pending that is not in another state."""
        return self.written and not other.written

    def write(self) -> None:
        """Buffers have been written."""
        self.written = self.unfenced = True

    def read(self) -> None:
        """Buffers have been read, or hardware has finished to read them."""
        self._read_in = None
        self._in_entry = False

    def may_be_read(self, block: Block) -> bool:
        """Whether some thread may not have come to the end of its reads yet.

        Nothing is known of what comes before a block, except the first one of a function.
        """
        if self.is_overlaid:
            return True
        return block is not self._read_in and not (self._in_entry and _is_entry(block))

    def pass_barrier(self, block: Block) -> None:
        """All threads have waited for each other."""
        self._read_in = block
        self.written = False

    def skip(self, before: Block, after: Block) -> None:
        """A branch has skipped code that accesses no buffers: what was known still is."""
        if not self.may_be_read(before):
            self._read_in = after
        if self.has_no_mmas(before):
            self._no_mmas_in = after

    def pass_fence(self) -> None:
        """All threads will have made their writes known, at the next barrier."""
        self.unfenced = False

    def issue_mma(self) -> None:
        """A product that reads buffers is on its way."""
        self._no_mmas_in = None

    def finish_mmas(self, block: Block) -> None:
        """All products are done."""
        self._no_mmas_in = block
        self.read()

    def has_no_mmas(self, block: Block) -> bool:
        """Whether it is known that no product is on its way."""
        return block is self._no_mmas_in


def _is_entry(block: Block) -> bool:
    function = block.parent_op()
    return isinstance(function, llvm.FuncOp) and function.body.blocks.first is block
