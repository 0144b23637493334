"""What the instructions of a litmus test do to memory, by the PTX ISA: events, and their fixed order.

A thread is an agent, and so is each asynchronous copy: as if another thread did it, after what the
issuing thread did before, and before the instruction that waits for it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.litmus.conditions import LitmusError
from tests.litmus.syntax import Instruction, LitmusTest, Place

Kind = Literal["local", "memory", "fence", "proxy fence", "barrier", "object", "wait"]
Proxy = Literal["generic", "async"]

_SCOPES = ("cta", "cluster", "gpu", "sys")
_LOCAL = ("mov", "add", "xor", "and", "setp")
INITIAL = -1
"""The agent that wrote all locations before anything else."""


@dataclass(frozen=True)
class Event:
    """One operation. Events of an agent are in program order by their number.

    A fence of a `space` is for the locations there. `operation` and `sources` say what is computed: of registers, or what a write or an atomic
    update stores.
    """

    number: int
    agent: int
    place: Place
    kind: Kind
    location: str = ""
    reads: bool = False
    writes: bool = False
    strong: bool = False
    scope: str = ""
    acquires: bool = False
    releases: bool = False
    is_sc: bool = False
    space: str = ""
    proxy: Proxy = "generic"
    guard: str = ""
    destination: str = ""
    operation: str = ""
    sources: tuple[str, ...] = ()


@dataclass
class Events:
    """All events of a test, the edges that base causality has in any case, and for each event that
    tests a barrier object those that its phase waits for."""

    test: LitmusTest
    events: list[Event] = field(default_factory=lambda: list[Event]())
    edges: set[tuple[int, int]] = field(default_factory=lambda: set[tuple[int, int]]())
    arrivals: dict[int, list[int]] = field(default_factory=lambda: dict[int, list[int]]())

    def add(self, agent: int, place: Place, kind: Kind, **fields: object) -> Event:
        event = Event(len(self.events), agent, place, kind)
        event = replace(event, **fields)  # pyright: ignore[reportArgumentType]
        self.events.append(event)
        return event


def events_of(test: LitmusTest) -> Events:
    """The events of a test, initial writes first.

    Raises `LitmusError` for an instruction that has no meaning here.
    """
    found = Events(test)
    for location in test.locations.values():
        if location.space != "mbarrier":
            found.add(INITIAL, Place(), "memory", location=location.name, writes=True)
    builders: list[_Builder] = []
    for number, instructions in enumerate(test.threads):
        builder = _Builder(found, number, test.places[number], _free_agent(test, number))
        for instruction in instructions:
            builder.instruction(instruction)
        builders.append(builder)
    _join_barriers(builders, found)
    for event in found.events:
        if event.kind == "wait":
            found.arrivals[event.number] = [
                number
                for builder in builders
                for location, number in builder.arrivals
                if location == event.location
            ]
    return found


def _free_agent(test: LitmusTest, number: int) -> int:
    """Agents of the copies of a thread: no two threads have one in common."""
    return len(test.threads) + number * 100


class _Builder:
    """Makes the events of one thread."""

    def __init__(self, found: Events, agent: int, place: Place, free: int) -> None:
        self.found = found
        self.agent = agent
        self.place = place
        self.free = free
        self.own: list[int] = []
        self.open: dict[str, list[int]] = {"copy": [], "bulk": []}
        self.groups: dict[str, list[list[int]]] = {"copy": [], "bulk": []}
        self.last_reads: dict[int, int] = {}
        self.barriers: dict[str, list[tuple[int, tuple[int, ...], bool]]] = defaultdict(list)
        self.arrivals: list[tuple[str, int]] = []

    def add(self, kind: Kind, **fields: object) -> Event:
        event = self.found.add(self.agent, self.place, kind, **fields)
        self.own.append(event.number)
        return event

    def instruction(self, instruction: Instruction) -> None:
        parts, operands = instruction.parts, instruction.operands
        match parts[0]:
            case "ld":
                self._access(instruction, operands[1], reads=True, destination=operands[0])
            case "st":
                self._access(
                    instruction,
                    operands[0],
                    writes=True,
                    operation="exch",
                    sources=operands[1:],
                )
            case "atom" | "red":
                self._atomic(instruction)
            case "fence" | "membar":
                self._fence(instruction)
            case "bar" | "barrier":
                self._barrier(instruction)
            case "cp":
                self._copy(instruction)
            case "mbarrier":
                self._object(instruction)
            case opcode if opcode in _LOCAL:
                self.add(
                    "local",
                    guard=instruction.guard,
                    destination=operands[0],
                    operation=".".join(parts[:2]) if opcode == "setp" else opcode,
                    sources=operands[1:],
                )
            case _:
                raise LitmusError(f"no meaning for {instruction.mnemonic}")

    def _access(self, instruction: Instruction, address: str, **fields: object) -> Event:
        parts = instruction.parts
        semantics = next(
            (p for p in parts if p in ("relaxed", "acquire", "release", "acq_rel")), ""
        )
        is_atomic = parts[0] in ("atom", "red")
        if "volatile" in parts or (is_atomic and not semantics):
            semantics = "relaxed"
        scope = _scope(parts, "gpu" if is_atomic else "sys") if semantics else ""
        return self.add(
            "memory",
            location=_location(address),
            strong=bool(semantics),
            scope=scope,
            acquires=semantics in ("acquire", "acq_rel"),
            releases=semantics in ("release", "acq_rel"),
            guard=instruction.guard,
            **fields,
        )

    def _atomic(self, instruction: Instruction) -> None:
        operands = instruction.operands
        returns = instruction.parts[0] == "atom"
        operation = next(p for p in instruction.parts if p in ("add", "exch", "cas", "max", "or"))
        self._access(
            instruction,
            operands[1 if returns else 0],
            reads=True,
            writes=True,
            destination=operands[0] if returns else "",
            operation=operation,
            sources=operands[2 if returns else 1 :],
        )

    def _fence(self, instruction: Instruction) -> None:
        parts = instruction.parts
        if "alias" in parts:
            # Of two addresses of one place: no test has those.
            self.add("barrier")
            return
        spaces = [part.split("::")[0] for part in parts if part.startswith(("global", "shared"))]
        restricted = [part.split("::")[1] for part in parts if part.startswith("sync_restrict")]
        space = next(iter((*spaces, *restricted)), "")
        if "proxy" in parts:
            self.add("proxy fence", space=space, guard=instruction.guard)
            return
        if "mbarrier_init" in parts:
            self.add("proxy fence", operation="mbarrier_init")
            return
        is_sc = parts[0] == "membar" or "sc" in parts
        self.add(
            "fence",
            strong=True,
            scope=_scope(parts, "gpu"),
            acquires="release" not in parts,
            releases="acquire" not in parts,
            is_sc=is_sc,
            space=space,
            guard=instruction.guard,
        )

    def _barrier(self, instruction: Instruction) -> None:
        parts = instruction.parts
        orders = "relaxed" not in parts
        if "cluster" in parts:
            number = self.add("barrier").number
            arrives = "arrive" in parts
            releasing = [number] if orders else self._fences("cluster", "gpu", "sys")
            self.barriers[f"cluster {self.place.cluster}"].append(
                (number, tuple(releasing) if arrives else (), not arrives)
            )
            return
        # Who comes and waits does so one after the other.
        entries = self.barriers[f"cta {self.place.cta} {instruction.operands[0]}"]
        waits = "arrive" not in parts
        arrival = self.add("barrier").number
        entries.append((arrival, (arrival,), False))
        entries.append((self.add("barrier").number, (), waits))

    def _fences(self, *scopes: str) -> list[int]:
        """The fences of some scopes that release what the thread did before."""
        own = (self.found.events[number] for number in self.own)
        return [e.number for e in own if e.kind == "fence" and e.releases and e.scope in scopes]

    def _copy(self, instruction: Instruction) -> None:
        parts, operands = instruction.parts, instruction.operands
        kind = "bulk" if "bulk" in parts else "copy"
        if "commit_group" in parts:
            self.groups[kind].append(self.open[kind])
            self.open[kind] = []
        elif "wait_group" in parts or "wait_all" in parts:
            self._wait(kind, int(operands[0]) if operands else None, reads="read" in parts)
        elif "mbarrier" in parts:
            self._arrive_after_copies(_location(operands[0]))
        else:
            self._start(kind, operands, counted="mbarrier::complete_tx::bytes" in parts)

    def _start(self, kind: str, operands: tuple[str, ...], *, counted: bool) -> None:
        proxy = "async" if kind == "bulk" else "generic"
        agent, self.free = self.free, self.free + 1
        earlier = list(self.own)
        place = self.place
        read = self.found.add(
            agent,
            place,
            "memory",
            location=_location(operands[1]),
            reads=True,
            destination="copied",
            proxy=proxy,
        )
        last = self.found.add(
            agent,
            place,
            "memory",
            location=_location(operands[0]),
            writes=True,
            operation="exch",
            sources=("copied",),
            proxy=proxy,
        )
        self.found.edges |= {(number, read.number) for number in earlier}
        if counted:
            self.found.add(
                agent,
                place,
                "object",
                location=_location(operands[3]),
                strong=True,
                scope="cta",
                proxy=proxy,
            )
        if kind == "bulk":
            # What waits for a bulk copy sees it through the generic proxy.
            last = self.found.add(agent, place, "proxy fence")
        # Who waits for its reads may write what it has read.
        done = self.found.add(self.free, place, "proxy fence")
        self.free += 1
        self.found.edges.add((read.number, done.number))
        self.last_reads[last.number] = done.number
        if counted:
            self.arrivals.append((_location(operands[3]), last.number))
        else:
            self.open[kind].append(last.number)

    def _wait(self, kind: str, pending: int | None, *, reads: bool) -> None:
        groups = self.groups[kind]
        if pending is None:
            groups = [*groups, self.open[kind]]
        waited = groups[: len(groups) - (pending or 0)]
        event = self.add("barrier")
        for number in (number for group in waited for number in group):
            self.found.edges.add((self.last_reads[number] if reads else number, event.number))

    def _arrive_after_copies(self, location: str) -> None:
        event = self.add("object", location=location)
        copies = [number for group in (*self.groups["copy"], self.open["copy"]) for number in group]
        # Only the copies are released by this arrival, not what the thread itself did.
        self.arrivals.extend((location, number) for number in copies)
        del event

    def _object(self, instruction: Instruction) -> None:
        parts, operands = instruction.parts, instruction.operands
        semantics = "relaxed" not in parts
        scope = _scope(parts, "cta")
        if parts[1] == "init":
            self.add("object", location=_location(operands[0]), writes=True)
        elif parts[1] == "arrive":
            location = _location(operands[1])
            event = self.add(
                "object", location=location, strong=True, scope=scope, releases=semantics
            )
            self.arrivals.append((location, event.number))
        elif parts[1] in ("test_wait", "try_wait"):
            self.add(
                "wait",
                location=_location(operands[1]),
                strong=True,
                scope=scope,
                acquires=semantics,
                destination=operands[0],
            )
        else:
            raise LitmusError(f"no meaning for {instruction.mnemonic}")


def _join_barriers(builders: list[_Builder], found: Events) -> None:
    """Edges from who arrives at a barrier to who waits at it, time by time."""
    names = {name for builder in builders for name in builder.barriers}
    for name in names:
        columns = [builder.barriers[name] for builder in builders if name in builder.barriers]
        # Arrivals and waits alternate.
        rows = [[c[i : i + 2] for i in range(0, len(c), 2)] for c in columns]
        if len({len(row) for row in rows}) != 1:
            raise LitmusError(f"threads come to barrier {name} unequally often")
        for together in zip(*rows, strict=True):
            entries = [entry for part in together for entry in part]
            found.edges |= {
                (first, second)
                for _, releasing, _ in entries
                for first in releasing
                for second, _, waits in entries
                if waits and first != second
            }


def _location(operand: str) -> str:
    if not (operand.startswith("[") and operand.endswith("]")):
        raise LitmusError(f"expected [LOCATION], found {operand!r}")
    return operand[1:-1].strip()


def _scope(parts: tuple[str, ...], default: str) -> str:
    if parts[0] == "membar":
        return {"cta": "cta", "gl": "gpu", "sys": "sys"}[parts[1]]
    return next((part for part in parts[1:] if part in _SCOPES), default)
