"""Pending accesses: those that some thread may not have completed at a point of the program.

A barrier completes all accesses that are not in flight. Writes of threads stay pending for hardware
that accesses memory asynchronously, until a fence and then a barrier. Accesses to tensor memory
stay pending until a fence, a barrier and another fence. Where control flow merges, the states of
all edges are joined (`join`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.memory_effects import Proxy
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.targets.atoms import Memory

from .accesses import ExtentAccess, OpEffects
from .footprints import GlobalAccess, owner_of

# Bounds the pairs that are compared. Measured with 8: three kernels take one instruction more.
MOST_NAMED = 64
"""The most accesses that are kept apart for one token."""


@dataclass(frozen=True)
class Status:
    """The synchronisation that an access has passed."""

    is_in_flight: bool = False
    is_met: bool = False
    """Whether a barrier has followed the access; for tensor memory, after a fence."""
    is_fenced: bool = False
    """Whether a fence of all threads has followed the access."""
    is_known_to_issuer: bool = False
    """Whether the thread that issues MMAs has executed a fence of tensor memory after that
    barrier.
    """

    def join(self, other: "Status") -> "Status":
        """The synchronisation that both have passed."""
        return Status(
            self.is_in_flight or other.is_in_flight,
            self.is_met and other.is_met,
            self.is_fenced and other.is_fenced,
            self.is_known_to_issuer and other.is_known_to_issuer,
        )


@dataclass(frozen=True)
class Hazard:
    """Two accesses that nothing orders."""

    first: ExtentAccess | GlobalAccess
    second: ExtentAccess | GlobalAccess
    needs_wait: bool = False
    needs_fence: bool = False
    needs_barrier: bool = True
    needs_fence_before: bool = False
    """Whether a fence of tensor memory has to come before the barrier."""

    @property
    def is_of_columns(self) -> bool:
        """Whether the accesses are to tensor memory."""
        return isinstance(self.first, ExtentAccess) and self.first.extent.memory is Memory.TENSOR


OrderedAccesses = Mapping[GlobalAccess, Status]
"""The pending accesses to global memory that a token orders."""


def _join_named(one: OrderedAccesses, other: OrderedAccesses) -> OrderedAccesses:
    if not one or one is other:
        return other
    joined = dict(one)
    for access, status in other.items():
        joined[access] = status.join(joined.get(access, status))
    return joined if len(joined) <= MOST_NAMED else _undistinguished(joined)


def _undistinguished(named: OrderedAccesses) -> OrderedAccesses:
    """Merges accesses of one kind to one of unknown addresses."""
    kinds: dict[tuple[bool, bool], tuple[GlobalAccess, Status]] = {}
    for access, status in named.items():
        kind = (access.writes, access.is_asynchronous)
        first, known = kinds.get(kind, (replace(access, footprint=None), status))
        kinds[kind] = (first, known.join(status))
    return dict(kinds.values())


def _repeated(named: OrderedAccesses, loop: Operation) -> OrderedAccesses:
    """The accesses of a token, as of an earlier iteration of a loop."""
    again: dict[GlobalAccess, Status] = {}
    for access, status in named.items():
        earlier = access.repeated(loop)
        again[earlier] = status.join(again.get(earlier, status))
    return again


@dataclass(frozen=True)
class Pending:
    """The pending accesses, each with its status."""

    entries: Mapping[ExtentAccess, Status]
    has_async_proxy: bool
    """Whether the target has hardware that accesses memory asynchronously."""
    tokens: Mapping[SSAValue, OrderedAccesses] = field(
        default_factory=dict[SSAValue, OrderedAccesses]
    )
    """For each token, the pending accesses to global memory that it orders."""

    def join(self, other: "Pending") -> "Pending":
        """The accesses pending on one of two edges."""
        entries = dict(self.entries)
        for access, status in other.entries.items():
            entries[access] = status.join(entries.get(access, status))
        tokens = dict(self.tokens)
        for token, named in other.tokens.items():
            tokens[token] = _join_named(tokens.get(token, {}), named)
        return replace(self, entries=entries, tokens=tokens)

    def covers(self, other: "Pending") -> bool:
        """Whether every access pending in `other` is pending here, with at most the same
        synchronisation.
        """
        joined = self.join(other)
        return joined.entries == self.entries and joined.tokens == self.tokens

    def hazards(self, accesses: Iterable[ExtentAccess]) -> Iterator[Hazard]:
        """The hazards between pending accesses and the given ones."""
        for access in accesses:
            for earlier, status in self.entries.items():
                hazard = _hazard(earlier, status, access)
                if hazard is not None:
                    yield hazard

    # Tokens.

    def named(self, tokens: Iterable[SSAValue]) -> OrderedAccesses:
        """The pending accesses that some tokens order."""
        named: OrderedAccesses = {}
        for token in tokens:
            named = _join_named(named, self.tokens.get(token, {}))
        return named

    def token_hazards(
        self, tokens: Iterable[SSAValue], access: GlobalAccess | None
    ) -> Iterator[Hazard]:
        """The hazards between the accesses that some tokens order and a following access."""
        if access is None:
            return
        for earlier, status in self.named(tokens).items():
            hazard = self._token_hazard(earlier, status, access)
            if hazard is not None:
                yield hazard

    def _token_hazard(
        self, first: GlobalAccess, status: Status, second: GlobalAccess
    ) -> Hazard | None:
        if not first.conflicts(second):
            return None
        crosses = second.is_asynchronous and not first.is_asynchronous and self.has_async_proxy
        # A fence that came after the last barrier takes effect at the next one.
        if status.is_met and not (crosses and first.writes):
            return None
        return Hazard(first, second, needs_fence=crosses and not status.is_fenced)

    def name(self, token: SSAValue, named: OrderedAccesses) -> "Pending":
        """The state after a token that orders some accesses has been made."""
        if not named and token not in self.tokens:
            return self
        return replace(self, tokens={**self.tokens, token: named})

    def forward(self, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> "Pending":
        """The state after tokens have been forwarded to other values, all at once."""
        found = [(target, self.tokens.get(source, {})) for source, target in pairs]
        changed = {target: named for target, named in found if named or target in self.tokens}
        return replace(self, tokens={**self.tokens, **changed}) if changed else self

    def forget(self, tokens: Iterable[SSAValue]) -> "Pending":
        """The state after the last uses of tokens."""
        dead = {token for token in tokens if token in self.tokens}
        if not dead:
            return self
        left = {token: named for token, named in self.tokens.items() if token not in dead}
        return replace(self, tokens=left)

    def repeated(self, loop: Operation, pairs: Iterable[tuple[SSAValue, SSAValue]]) -> "Pending":
        """The state in the next iteration of a loop, or after the loop, with forwarded tokens."""
        tokens = {
            token: _repeated(named, loop)
            for token, named in self.tokens.items()
            if not loop.is_ancestor(owner_of(token))
        }
        for source, target in pairs:
            if named := self.tokens.get(source):
                tokens[target] = _repeated(named, loop)
        return replace(self, tokens=tokens)

    # Transitions.

    def complete(self, effects: OpEffects) -> "Pending":
        """The state after an op that waits for asynchronous accesses."""
        if not effects.completed and not effects.completes_mmas:
            return self
        entries: dict[ExtentAccess, Status] = {}
        for access, status in self.entries.items():
            op = access.op
            is_mma = issues_mma(op)
            if op in effects.completed or (effects.completes_mmas and is_mma):
                # All threads wait for these at one mbarrier, which orders what comes after.
                if access.has_barrier and status.is_in_flight:
                    continue
                status = replace(status, is_in_flight=False)
            entries[access] = status
        return replace(self, entries=entries)

    def wait_for_mmas(self) -> "Pending":
        """The state after a wait for all warpgroup MMAs."""
        return self.complete(OpEffects(completes_mmas=True))

    def fence(self, *, of_global_memory: bool = False) -> "Pending":
        """The state after a fence of all threads."""
        fenced = self._each(Memory.SHARED, lambda status: replace(status, is_fenced=True))
        if not of_global_memory or not self.tokens:
            return fenced
        tokens = {
            token: {access: replace(status, is_fenced=True) for access, status in named.items()}
            for token, named in self.tokens.items()
        }
        return replace(fenced, tokens=tokens)

    def fence_columns(self) -> "Pending":
        """The state after a fence of tensor memory by all threads, before a barrier."""
        return self._each(Memory.TENSOR, lambda status: replace(status, is_fenced=True))

    def follow_columns(self) -> "Pending":
        """The state after a fence of tensor memory by all threads, following a barrier."""
        left = {
            access: status
            for access, status in self.entries.items()
            if access.extent.memory is not Memory.TENSOR or not status.is_met
        }
        return replace(self, entries=left)

    def issue(self) -> "Pending":
        """The state after a fence of tensor memory by only the thread that issues MMAs."""
        return self._each(
            Memory.TENSOR, lambda status: replace(status, is_known_to_issuer=status.is_met)
        )

    def meet(self) -> "Pending":
        """After a barrier."""
        entries: dict[ExtentAccess, Status] = {}
        for access, status in self.entries.items():
            if status.is_in_flight:
                entries[access] = status
            # Those of tensor memory also need a fence on either side (PTX ISA, "tcgen05.fence").
            elif access.extent.memory is Memory.TENSOR:
                entries[access] = replace(status, is_met=status.is_fenced)
            # A barrier orders threads; the asynchronous proxy also needs the fence (PTX ISA).
            elif self._matters_to_hardware(access) and not status.is_fenced:
                entries[access] = replace(status, is_met=True)
        tokens = {token: left for token, n in self.tokens.items() if (left := self._unfenced(n))}
        return replace(self, entries=entries, tokens=tokens)

    def _unfenced(self, named: OrderedAccesses) -> OrderedAccesses:
        """The accesses that stay pending at a barrier: writes without a fence for asynchronous
        accesses.
        """
        if not self.has_async_proxy:
            return {}
        return {
            access: replace(status, is_met=True)
            for access, status in named.items()
            if access.writes and not access.is_asynchronous and not status.is_fenced
        }

    def add(self, accesses: Iterable[ExtentAccess]) -> "Pending":
        """After further accesses."""
        kept = [access for access in accesses if access.is_kept]
        if not kept:
            return self
        entries = dict(self.entries)
        for access in kept:
            # In a loop the same access is pending anew: its older status no longer holds.
            entries[access] = Status(is_in_flight=access.is_in_flight)
        return replace(self, entries=entries)

    def _matters_to_hardware(self, access: ExtentAccess) -> bool:
        is_shared = access.extent.memory is Memory.SHARED
        return (
            self.has_async_proxy and access.writes and is_shared and access.proxy is Proxy.GENERIC
        )

    def _each(self, memory: Memory, change: Callable[[Status], Status]) -> "Pending":
        return replace(
            self,
            entries={
                access: change(status) if access.extent.memory is memory else status
                for access, status in self.entries.items()
            },
        )


def _hazard(first: ExtentAccess, status: Status, second: ExtentAccess) -> Hazard | None:
    if not first.conflicts(second):
        return None
    if first.extent.memory is Memory.TENSOR:
        if status.is_known_to_issuer and second.proxy is Proxy.TENSOR_CORE:
            return None
        return Hazard(
            first,
            second,
            needs_barrier=not status.is_met,
            needs_fence_before=not status.is_fenced,
        )
    # The other way around, the wait for an asynchronous access orders it with later ones.
    crosses = first.proxy is Proxy.GENERIC and second.proxy is Proxy.ASYNC
    needs_fence = crosses and first.writes and not status.is_fenced
    # A fence that came after the last barrier takes effect at the next one.
    if status.is_met and not (crosses and first.writes):
        return None
    waits = status.is_in_flight and issues_mma(first.op)
    return Hazard(first, second, waits, needs_fence)
