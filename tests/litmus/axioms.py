"""The axioms of the PTX memory model, for one candidate execution (PTX ISA, "Memory Consistency
Model")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.litmus.events import INITIAL, Event, Events
from tests.litmus.relations import (
    Relation,
    both,
    closure,
    inverse,
    is_acyclic,
    is_irreflexive,
    pairs,
    relation,
    then,
    union,
    where,
)
from tests.litmus.syntax import Place


def includes(event: Event, place: Place) -> bool:
    """Whether the scope of an event includes a thread at a place."""
    own = event.place
    if event.scope == "sys":
        return True
    levels = {"gpu": ("gpu",), "cluster": ("gpu", "cluster"), "cta": ("gpu", "cluster", "cta")}
    return all(getattr(own, level) == getattr(place, level) for level in levels[event.scope])


def _morally_strong(first: Event, second: Event) -> bool:
    if first.number == second.number or first.proxy != second.proxy:
        return False
    are_memory = "memory" == first.kind == second.kind
    if are_memory and first.location != second.location:
        return False
    if first.agent == second.agent:
        return True
    if not (first.strong and second.strong):
        return False
    return includes(first, second.place) and includes(second, first.place)


@dataclass
class Static:
    """What is the same in all executions in which the same events occur."""

    events: list[Event]
    occurs: frozenset[int]
    size: int
    order: Relation
    overlap: Relation
    strong: Relation
    edges: set[tuple[int, int]]
    coming_from_start: Relation
    spaces: Mapping[str, str]
    """Where each location is: barrier objects are in shared memory."""


def static_relations(found: Events, occurring: frozenset[int]) -> Static:
    events = found.events
    size = len(events)

    def occurs(i: int, j: int) -> bool:
        return i in occurring and j in occurring

    order = where(
        size,
        lambda i, j: occurs(i, j) and events[i].agent == events[j].agent != INITIAL and i < j,
    )
    overlap = where(
        size,
        lambda i, j: (
            occurs(i, j)
            and i != j
            and "memory" == events[i].kind == events[j].kind
            and events[i].location == events[j].location
        ),
    )
    strong = where(size, lambda i, j: occurs(i, j) and _morally_strong(events[i], events[j]))
    start = where(size, lambda i, j: occurs(i, j) and events[i].agent == INITIAL != events[j].agent)
    edges = {(i, j) for i, j in found.edges if occurs(i, j)}
    spaces = {
        name: "global" if location.space == "global" else "shared"
        for name, location in found.test.locations.items()
    }
    return Static(events, occurring, size, order, overlap, strong, edges, start, spaces)


@dataclass
class Causality:
    """The orders that do not depend on coherence."""

    observation: Relation
    base: Relation
    cause: Relation


def causality(
    static: Static, reads_from: Relation, waited: set[tuple[int, int]], fences: Relation
) -> Causality:
    """Observation order, base causality order and causality order.

    `waited` are edges of barrier objects whose phase a thread has seen complete, `fences` is
    Fence-SC order.
    """
    size, events = static.size, static.events
    updates = {e.number for e in events if e.reads and e.writes and e.number in static.occurs}
    step = both(reads_from, static.strong)
    through = relation(size, ((i, j) for i, j in pairs(step) if i in updates))
    observation = closure(union(step, then(step, closure(through)), through))
    synchronizes = union(_patterns(static, observation), fences, relation(size, waited))
    fixed = union(static.order, relation(size, static.edges), static.coming_from_start)
    base = closure(union(fixed, synchronizes))
    # What fences for shared memory alone order is nothing for global memory.
    narrow = {e.number for e in events if e.kind == "fence" and e.space}
    kept = ((i, j) for i, j in pairs(synchronizes) if i not in narrow and j not in narrow)
    elsewhere = closure(union(fixed, relation(size, kept))) if narrow else base
    preserved = _proxy_preserved(static, base, elsewhere)
    return Causality(observation, base, union(preserved, then(observation, preserved)))


def _patterns(static: Static, observation: Relation) -> Relation:
    """Release patterns with the acquire patterns that they synchronize with, first operation of the
    one and last operation of the other."""
    size, events = static.size, static.events
    released = where(size, lambda i, j: _is_release_pattern(static, events[i], events[j]))
    acquired = where(size, lambda i, j: _is_acquire_pattern(static, events[i], events[j]))
    return both(then(then(released, observation), acquired), static.strong)


def _is_release_pattern(static: Static, first: Event, write: Event) -> bool:
    """A release, a release before a strong write of the place, or a fence before a strong write."""
    if first.number not in static.occurs or write.number not in static.occurs:
        return False
    if not (write.kind == "memory" and write.writes and write.strong and first.releases):
        return False
    if first is write:
        return True
    is_before = first.agent == write.agent and first.number < write.number
    return is_before and (first.kind == "fence" or first.location == write.location)


def _is_acquire_pattern(static: Static, read: Event, last: Event) -> bool:
    if read.number not in static.occurs or last.number not in static.occurs:
        return False
    if not (read.kind == "memory" and read.reads and read.strong and last.acquires):
        return False
    if read is last:
        return True
    is_before = read.agent == last.agent and read.number < last.number
    return is_before and (last.kind == "fence" or read.location == last.location)


def _proxy_preserved(static: Static, shared: Relation, elsewhere: Relation) -> Relation:
    """Base causality between overlapping operations, through a proxy fence where they differ.

    It is `shared` for shared memory, and `elsewhere` for global memory.
    """
    events = static.events
    fences = [e.number for e in events if e.kind == "proxy fence" and e.number in static.occurs]

    def preserved(i: int, j: int) -> bool:
        first, second = events[i], events[j]
        overlap = first.location and first.location == second.location
        base = shared if static.spaces.get(first.location) == "shared" else elsewhere
        if not (base[i] >> j & 1 and overlap):
            return False
        if first.agent == INITIAL or first.proxy == second.proxy:
            return True
        return any(
            base[i] >> f & 1 and base[f] >> j & 1
            for f in fences
            if (first.kind == "object" or not events[f].operation)
            and events[f].space in ("", static.spaces[first.location])
        )

    return where(static.size, preserved)


def is_consistent(
    static: Static,
    reads_from: Relation,
    coherence: Relation,
    fences: Relation,
    orders: Causality,
) -> bool:
    """Whether an execution satisfies all axioms but the one against values out of thin air."""
    if not is_irreflexive(orders.base):
        return False
    from_reads = then(inverse(reads_from), coherence)
    # An atomic operation that reads from a write is not before itself.
    from_reads = [row & ~(1 << number) for number, row in enumerate(from_reads)]
    events = static.events
    writes = [e.number for e in events if e.writes and e.kind == "memory"]
    for i in writes:
        later = orders.cause[i]
        for j in writes:
            if later >> j & 1 and not coherence[i] >> j & 1:
                return False
    if not is_irreflexive(then(fences, orders.base)):
        return False
    if not is_irreflexive(then(union(reads_from, from_reads), orders.cause)):
        return False
    communication = union(reads_from, coherence, from_reads)
    per_location = union(both(static.order, static.overlap), both(communication, static.strong))
    if not is_acyclic(per_location):
        return False
    return _is_atomic(static, coherence, from_reads)


def _is_atomic(static: Static, coherence: Relation, from_reads: Relation) -> bool:
    """No morally strong write comes between what an atomic operation reads and what it writes."""
    for event in static.events:
        if not (event.reads and event.writes) or event.number not in static.occurs:
            continue
        number = event.number
        between = both(from_reads, static.strong)[number]
        for write in range(static.size):
            if between >> write & 1 and coherence[write] >> number & 1:
                return False
    return True


def races(static: Static, orders: Causality) -> bool:
    """Whether conflicting operations are neither morally strong nor related in causality order."""
    events = static.events
    for i, first in enumerate(events):
        for second in events[i + 1 :]:
            j = second.number
            if not _conflicts(static, first, second) or static.strong[i] >> j & 1:
                continue
            same_proxy = first.proxy == second.proxy
            ordered = orders.base if first.kind != "memory" and same_proxy else orders.cause
            if not (ordered[i] >> j & 1 or ordered[j] >> i & 1):
                return True
    return False


def _conflicts(static: Static, first: Event, second: Event) -> bool:
    """Whether two operations touch one place and one of them writes, or creates an object there."""
    if first.number not in static.occurs or second.number not in static.occurs:
        return False
    if not first.location or first.location != second.location:
        return False
    return first.writes or second.writes
