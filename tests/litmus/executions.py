"""Enumerates the executions of a litmus test that the memory model allows."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tests.litmus.axioms import Static, causality, is_consistent, races, static_relations
from tests.litmus.events import INITIAL, Event, Events, events_of
from tests.litmus.relations import Relation, both, closure, is_acyclic, relation, union, where
from tests.litmus.syntax import LitmusTest

_WORD = 1 << 32


@dataclass(frozen=True)
class Allowed:
    """The outcomes that the model allows, as values of the names in the test's condition, and
    whether any execution has a data race."""

    names: tuple[str, ...]
    outcomes: frozenset[tuple[int, ...]]
    is_racy: bool

    def mappings(self) -> list[dict[str, int]]:
        return [dict(zip(self.names, outcome, strict=True)) for outcome in sorted(self.outcomes)]


def allowed(test: LitmusTest) -> Allowed:
    """All outcomes of all consistent executions."""
    found = events_of(test)
    names = test.condition.names()
    outcomes: set[tuple[int, ...]] = set()
    is_racy = False
    for candidate in _candidates(found):
        executed = _executed(found, candidate)
        for coherence, has_race in _consistent(executed, candidate):
            is_racy = is_racy or has_race
            outcomes |= _outcomes(executed, candidate, coherence, names)
    return Allowed(names, frozenset(outcomes), is_racy)


@dataclass(frozen=True)
class _Candidate:
    """Who reads from whom, what tests of objects return, and what follows from these.

    `failed` are the compare-and-swaps that write nothing.
    """

    sources: Mapping[int, int]
    complete: Mapping[int, bool]
    occurs: frozenset[int]
    failed: frozenset[int]
    written: Mapping[int, int]
    registers: Mapping[str, int]


def _executed(found: Events, candidate: _Candidate) -> Events:
    """The events of an execution, in which a compare-and-swap that fails reads and releases nothing."""
    events = [
        replace(event, writes=False, releases=False) if event.number in candidate.failed else event
        for event in found.events
    ]
    return replace(found, events=events)


def _candidates(found: Events) -> Iterator[_Candidate]:
    events = found.events
    reads = [event for event in events if event.reads]
    waits = [event for event in events if event.kind == "wait"]
    choices = [
        [w.number for w in events if w.writes and w.kind == "memory" and w.location == r.location]
        for r in reads
    ]
    for chosen in itertools.product(*choices):
        sources = {read.number: source for read, source in zip(reads, chosen, strict=True)}
        if any(read == source for read, source in sources.items()):
            continue
        for results in itertools.product((False, True), repeat=len(waits)):
            complete = {wait.number: r for wait, r in zip(waits, results, strict=True)}
            candidate = _evaluate(found, sources, complete)
            if candidate is not None:
                yield candidate


def _evaluate(
    found: Events, sources: Mapping[int, int], complete: Mapping[int, bool]
) -> _Candidate | None:
    """The values of an execution; none if they would come out of thin air, or if a read is from a
    write that does not occur."""
    written: dict[int, int | None] = {}
    state: dict[tuple[int, str], int | None] = {}
    occurs: set[int] = set()
    failed: set[int] = set()
    for _ in range(len(found.events) + 1):
        before = dict(written)
        occurs, failed, is_known = _pass(found, sources, complete, written, state)
        if is_known and before == written:
            break
    else:
        return None
    for read, source in sources.items():
        if read in occurs and (source not in occurs or source in failed):
            return None
        if read not in occurs and source != min(s for s in _same(found, read)):
            return None
    values = {number: value for number, value in written.items() if value is not None}
    if any(sources[r] not in values for r in sources if r in occurs):
        return None
    registers = {
        f"{agent}:{name}": value or 0
        for (agent, name), value in state.items()
        if agent < len(found.test.threads)
    }
    return _Candidate(sources, complete, frozenset(occurs), frozenset(failed), values, registers)


def _same(found: Events, read: int) -> list[int]:
    location = found.events[read].location
    return [e.number for e in found.events if e.writes and e.location == location]


def _pass(
    found: Events,
    sources: Mapping[int, int],
    complete: Mapping[int, bool],
    written: dict[int, int | None],
    state: dict[tuple[int, str], int | None],
) -> tuple[set[int], set[int], bool]:
    """One walk through all agents; the events that occur, those of them that are compare-and-swaps
    and fail, and whether all values are known."""
    occurs: set[int] = set()
    failed: set[int] = set()
    is_known = True
    state.clear()
    for event in found.events:
        agent = event.agent

        def value_of(name: str, agent: int = agent) -> int | None:
            return int(name) if name.isdecimal() else state.get((agent, name), 0)

        if agent == INITIAL:
            written[event.number] = found.test.locations[event.location].initial
            occurs.add(event.number)
            continue
        if event.guard:
            guard = value_of(event.guard.lstrip("!"))
            if guard is None:
                is_known = False
                continue
            if bool(guard) == event.guard.startswith("!"):
                continue
        occurs.add(event.number)
        old = written.get(sources[event.number]) if event.reads else None
        if event.kind == "wait":
            old = int(complete[event.number])
        operands = [value_of(name) for name in event.sources]
        if event.kind == "local":
            old = _compute(event.operation, operands)
        elif event.writes and event.kind == "memory":
            written[event.number] = _stored(event, old, operands)
            is_known = is_known and written[event.number] is not None
            if event.operation == "cas" and old != operands[0]:
                failed.add(event.number)
        if event.destination:
            state[agent, event.destination] = old
            is_known = is_known and old is not None
    return occurs, failed, is_known


def _stored(event: Event, old: int | None, operands: list[int | None]) -> int | None:
    if event.operation == "exch":
        return operands[0]
    if old is None or None in operands:
        return None
    known = [operand for operand in operands if operand is not None]
    match event.operation:
        case "add":
            return (old + known[0]) % _WORD
        case "max":
            return max(old, known[0])
        case "or":
            return old | known[0]
        case _:
            return known[1] if old == known[0] else old


def _compute(operation: str, operands: list[int | None]) -> int | None:
    if None in operands:
        return None
    known = [operand for operand in operands if operand is not None]
    match operation:
        case "mov":
            return known[0]
        case "add":
            return (known[0] + known[1]) % _WORD
        case "xor":
            return known[0] ^ known[1]
        case "and":
            return known[0] & known[1]
        case "setp.eq":
            return int(known[0] == known[1])
        case _:
            return int(known[0] != known[1])


def _consistent(found: Events, candidate: _Candidate) -> Iterator[tuple[Relation, bool]]:
    """The coherence orders with which a candidate is consistent, and whether there is a race."""
    static = static_relations(found, candidate.occurs)
    size = static.size
    reads_from = relation(
        size, ((s, r) for r, s in candidate.sources.items() if r in candidate.occurs)
    )
    waited = _waited(found, static, candidate)
    for fences in _fence_orders(static):
        orders = causality(static, reads_from, waited, fences)
        for coherence in _coherence_orders(static, orders.cause):
            if is_consistent(static, reads_from, coherence, fences, orders):
                yield coherence, races(static, orders)


def _waited(found: Events, static: Static, candidate: _Candidate) -> set[tuple[int, int]]:
    """Edges from arrivals at objects to those who saw the phase complete."""
    edges: set[tuple[int, int]] = set()
    for wait, arrivals in found.arrivals.items():
        if not candidate.complete[wait] or wait not in candidate.occurs:
            continue
        for arrival in arrivals:
            event = static.events[arrival]
            # Copies arrive when they are done, and are not ordered by a scope.
            if event.kind != "object":
                edges |= {(arrival, last) for last in _acquisitions(static, wait)}
            elif static.strong[arrival] >> wait & 1:
                edges |= {
                    (first, last)
                    for first in _releases(static, arrival)
                    for last in _acquisitions(static, wait)
                    if static.strong[first] >> last & 1
                }
    return edges


def _releases(static: Static, arrival: int) -> list[int]:
    """What begins a release pattern of an arrival: itself, or fences before it."""
    own = static.events[arrival]
    fences = [e for e in static.events[:arrival] if e.kind == "fence" and e.agent == own.agent]
    return [e.number for e in (*fences, own) if e.releases and e.number in static.occurs]


def _acquisitions(static: Static, wait: int) -> list[int]:
    """What ends an acquire pattern of a wait: itself, or fences after it."""
    own = static.events[wait]
    fences = [e for e in static.events[wait:] if e.kind == "fence" and e.agent == own.agent]
    return [e.number for e in (own, *fences) if e.acquires and e.number in static.occurs]


def _fence_orders(static: Static) -> Iterator[Relation]:
    """Orders of the morally strong pairs of `fence.sc`."""
    fences = [e.number for e in static.events if e.is_sc and e.number in static.occurs]
    seen: set[tuple[int, ...]] = set()
    for order in itertools.permutations(fences):
        rows = both(
            relation(static.size, itertools.combinations(order, 2)),
            static.strong,
        )
        if tuple(rows) not in seen:
            seen.add(tuple(rows))
            yield rows


def _coherence_orders(static: Static, cause: Relation) -> Iterator[Relation]:
    """Partial orders of the writes of each place: of those related by causality or morally strong."""
    events = static.events
    places: dict[str, list[int]] = {}
    for event in events:
        if event.writes and event.kind == "memory" and event.number in static.occurs:
            places.setdefault(event.location, []).append(event.number)
    related = union(static.strong, cause)
    related = where(static.size, lambda i, j: bool(related[i] >> j & 1 or related[j] >> i & 1))
    per_place: list[list[Relation]] = []
    for first, *others in places.values():
        orders: dict[tuple[int, ...], Relation] = {}
        for order in itertools.permutations(others):
            whole = relation(static.size, itertools.combinations((first, *order), 2))
            rows = closure(both(whole, related))
            orders[tuple(rows)] = rows
        per_place.append(list(orders.values()))
    for chosen in itertools.product(*per_place):
        coherence = union(*chosen) if chosen else [0] * static.size
        if is_acyclic(coherence):
            yield coherence


def _outcomes(
    found: Events, candidate: _Candidate, coherence: Relation, names: tuple[str, ...]
) -> set[tuple[int, ...]]:
    """Values of registers and of the last writes, of which a race leaves several."""
    choices: list[list[int]] = []
    for name in names:
        if ":" in name:
            choices.append([candidate.registers.get(name, 0)])
            continue
        writes = [
            e.number
            for e in found.events
            if e.writes
            and e.kind == "memory"
            and e.location == name
            and e.number in candidate.occurs
        ]
        last = [w for w in writes if not any(coherence[w] >> other & 1 for other in writes)]
        choices.append(sorted({candidate.written[w] for w in last}))
    return set(itertools.product(*choices))
