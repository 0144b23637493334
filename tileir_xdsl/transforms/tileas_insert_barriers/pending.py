"""Pending accesses: those that some thread may not have done yet, at one point of the program.

A barrier completes all that is not in flight. Writes of threads stay pending for hardware that
accesses memory asynchronously until a fence and, after it, a barrier have passed. The state of a
point that several edges reach is that of all of them (`join`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.targets.atoms import Memory

from .accesses import Access, Effects, Proxy

THREAD_COPIES = (nv_tileas.AsyncLoadOp, nv_tileas.AsyncTiledLoadOp)
"""Asynchronous copies that every thread waits for by itself."""

BULK_LOADS = (
    nv_tileas.AsyncCancelNextProgramIdOp,
    nv_tileas.AsyncGatherTmaLoadOp,
    nv_tileas.AsyncTiledTmaLoadOp,
)
"""Asynchronous copies that all threads wait for at one barrier, which orders them."""


@dataclass(frozen=True)
class Status:
    """How far an access has come."""

    is_in_flight: bool = False
    is_met: bool = False
    """Whether a barrier has passed since."""
    is_fenced: bool = False
    """Whether a fence of all threads has passed since."""

    def join(self, other: "Status") -> "Status":
        """The less advanced of each."""
        return Status(
            self.is_in_flight or other.is_in_flight,
            self.is_met and other.is_met,
            self.is_fenced and other.is_fenced,
        )


@dataclass(frozen=True)
class Hazard:
    """Two accesses that nothing orders."""

    first: Access
    second: Access
    needs_wait: bool = False
    needs_fence: bool = False
    needs_barrier: bool = True


@dataclass(frozen=True)
class Pending:
    """The pending accesses, each with its status."""

    entries: Mapping[Access, Status]
    has_async_proxy: bool
    """Whether writes matter to hardware that accesses memory asynchronously."""

    def join(self, other: "Pending") -> "Pending":
        """What is pending on one of two edges."""
        entries = dict(self.entries)
        for access, status in other.entries.items():
            entries[access] = status.join(entries.get(access, status))
        return replace(self, entries=entries)

    def covers(self, other: "Pending") -> bool:
        """Whether everything pending in another state is pending here, and no more advanced."""
        return self.join(other).entries == self.entries

    def hazards(self, accesses: Iterable[Access]) -> Iterator[Hazard]:
        """The hazards of accesses that follow."""
        for access in accesses:
            for earlier, status in self.entries.items():
                hazard = _hazard(earlier, status, access)
                if hazard is not None:
                    yield hazard

    # What moves on.

    def complete(self, effects: Effects) -> "Pending":
        """After waits for asynchronous accesses."""
        if not effects.completed and not effects.completes_mmas:
            return self
        entries: dict[Access, Status] = {}
        for access, status in self.entries.items():
            op = access.op
            is_mma = isinstance(op, nv_tileas.AsyncDotOp)
            if op in effects.completed or (effects.completes_mmas and is_mma):
                # All threads wait for these at one mbarrier, which orders what comes after.
                if isinstance(op, BULK_LOADS) and status.is_in_flight:
                    continue
                status = replace(status, is_in_flight=False)
            entries[access] = status
        return replace(self, entries=entries)

    def wait_for_mmas(self) -> "Pending":
        """After a wait for all warpgroup MMAs."""
        return self.complete(Effects(completes_mmas=True))

    def fence(self) -> "Pending":
        """After a fence of all threads."""
        return self._each(lambda status: replace(status, is_fenced=True))

    def meet(self) -> "Pending":
        """After a barrier."""
        entries: dict[Access, Status] = {}
        for access, status in self.entries.items():
            if status.is_in_flight:
                entries[access] = status
            # A barrier orders threads; the asynchronous proxy also needs the fence (PTX ISA).
            elif self._matters_to_hardware(access) and not status.is_fenced:
                entries[access] = replace(status, is_met=True)
        return replace(self, entries=entries)

    def add(self, accesses: Iterable[Access]) -> "Pending":
        """After further accesses."""
        kept = [access for access in accesses if access.is_kept]
        if not kept:
            return self
        entries = dict(self.entries)
        for access in kept:
            # In a loop the same access is pending anew: its older status no longer holds.
            entries[access] = Status(is_in_flight=access.is_in_flight)
        return replace(self, entries=entries)

    def _matters_to_hardware(self, access: Access) -> bool:
        is_shared = access.extent.memory is Memory.SHARED
        return (
            self.has_async_proxy and access.writes and is_shared and access.proxy is Proxy.GENERIC
        )

    def _each(self, change: Callable[[Status], Status]) -> "Pending":
        return replace(self, entries={a: change(status) for a, status in self.entries.items()})


def _hazard(first: Access, status: Status, second: Access) -> Hazard | None:
    if not first.conflicts(second):
        return None
    # The other way around, the wait for an asynchronous access orders it with later ones.
    crosses = first.proxy is Proxy.GENERIC and second.proxy is Proxy.ASYNC
    needs_fence = crosses and first.writes and not status.is_fenced
    # A fence that came after the last barrier takes effect at the next one.
    if status.is_met and not (crosses and first.writes):
        return None
    waits = status.is_in_flight and isinstance(first.op, nv_tileas.AsyncDotOp)
    return Hazard(first, second, waits, needs_fence)
