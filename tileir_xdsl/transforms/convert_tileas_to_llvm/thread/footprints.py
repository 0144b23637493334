"""Footprints of accesses: whether two accesses need a barrier to be ordered.

Two accesses of one view conflict only where different threads may access the same element. Tiles of
different static coordinates are disjoint; and two accesses with the same layout and coordinates
access every element in the same thread, where program order suffices. Elements of different indices
are assumed not to alias unless static sizes and strides show otherwise.
"""

from dataclasses import dataclass

from xdsl.ir import Attribute

from tileir_xdsl.layout.linear import LinearLayout

from .builder import Index
from .memory_objects import MemRef, TiledView

# Bounds the pairs that are compared. Measured with 8: three kernels take one instruction more.
MOST_FOOTPRINTS = 64
"""How many accesses of one token are distinguished."""


@dataclass(frozen=True)
class Footprint:
    """One tile of a view, and the threads that hold its elements."""

    view: TiledView
    element: Attribute
    coordinates: tuple[Index, ...]
    layout: LinearLayout
    barrier_id: int
    """The threads that execute this region of the program, by the number of their barrier."""

    @property
    def has_copies(self) -> bool:
        """Whether several threads hold the same elements: all of them load, one stores."""
        return 0 in self.layout.thread_bases()

    def is_disjoint(self, other: "Footprint") -> bool:
        """Whether two tiles of one view have no element in common."""
        return not overlaps_itself(self.view.memref) and any(
            isinstance(a, int) and isinstance(b, int) and abs(a - b) * step >= extent
            for a, b, step, extent in zip(
                self.coordinates,
                other.coordinates,
                self.view.steps,
                self.view.extents,
                strict=True,
            )
        )


def overlaps_itself(memref: MemRef) -> bool:
    """Whether static sizes and strides map elements of different indices to one address."""
    known = sorted(
        (stride, size)
        for stride, size in zip(memref.strides, memref.sizes, strict=True)
        if isinstance(stride, int) and isinstance(size, int) and size > 1
    )
    reach = 0
    for stride, size in known:
        if stride <= reach:
            return True
        reach += stride * (size - 1)
    return False


@dataclass(frozen=True)
class Access:
    """One access: whether it writes, and its footprint, where known."""

    writes: bool
    footprint: Footprint | None = None

    def conflicts(self, other: "Access") -> bool:
        """Whether a barrier is needed between the two."""
        if not self.writes and not other.writes:
            return False
        mine, theirs = self.footprint, other.footprint
        # An access of unknown addresses may touch anything.
        if mine is None or theirs is None:
            return True
        if mine == theirs:
            # Of the threads with copies always the same one stores; the others load past that.
            return mine.has_copies and not (self.writes and other.writes)
        # Two views may be of one array; only the tiles of one view are compared.
        if (mine.view, mine.element) != (theirs.view, theirs.element):
            return True
        return not mine.is_disjoint(theirs)


@dataclass(frozen=True)
class PendingAccesses:
    """The accesses that a token orders and that no barrier has completed yet."""

    accesses: frozenset[Access] = frozenset()

    def __or__(self, other: "PendingAccesses") -> "PendingAccesses":
        accesses = self.accesses | other.accesses
        if len(accesses) > MOST_FOOTPRINTS:
            accesses = frozenset(Access(access.writes) for access in accesses)
        return PendingAccesses(accesses)

    def conflict(self, access: Access) -> bool:
        """Whether any of them conflicts with a later access."""
        return any(access.conflicts(earlier) for earlier in self.accesses)
