"""Modulo schedules: an iteration starts every initiation interval, while earlier ones still run.

The reservation table has a row for each cycle of the interval; an op reserves its resource in
consecutive rows. The search starts at the lower bound by resources and recurrences, doubles the
interval until all ops fit, and then bisects for the smallest interval. Source: Rau, "Iterative
Modulo Scheduling".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from tileir_xdsl.analysis.scheduling.dependences import Dependence, delay, longest_cycle_ratio
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.targets.throughput import Resource

ROWS = 4096
"""The most rows of the reservation table; for longer intervals a row stands for several cycles."""


@dataclass(frozen=True)
class Schedule:
    """Start cycles of the ops of an iteration, and the initiation interval."""

    interval: int
    start: Mapping[Operation, int]
    resource_bound: int
    carried_bound: int
    sequence: tuple[Operation, ...] | None = None
    """The order of the ops in an interval, if it does not follow from their start cycles."""

    def stage(self, op: Operation) -> int:
        """The number of whole intervals between the start of an op's iteration and the op."""
        return self.start[op] // self.interval

    @property
    def stages(self) -> int:
        """How many iterations overlap."""
        return 1 + max((self.stage(op) for op in self.start), default=0)

    def order(self) -> dict[Operation, int]:
        """The position of each op in an interval."""
        ranked = self.sequence or sorted(self.start, key=lambda op: self.start[op] % self.interval)
        return {op: number for number, op in enumerate(ranked)}


@dataclass
class ReservationTable:
    """The cycles of an interval in which each resource is reserved."""

    rows: int
    taken: dict[Resource, int] = field(default_factory=dict[Resource, int])

    def footprint(self, start: int, length: int) -> int:
        """The rows from a start cycle on, as a bit mask."""
        bits = (1 << length) - 1
        shift = start % self.rows
        wrapped = bits << shift
        return (wrapped | wrapped >> self.rows) & ((1 << self.rows) - 1)

    def is_free(self, resource: Resource, start: int, length: int) -> bool:
        """Whether a resource is free in all rows of an op."""
        return not self.taken.get(resource, 0) & self.footprint(start, length)

    def take(self, resource: Resource, start: int, length: int) -> None:
        """Reserves the rows of an op."""
        self.taken[resource] = self.taken.get(resource, 0) | self.footprint(start, length)


def modulo_schedule(
    ops: Sequence[Operation],
    dependences: Sequence[Dependence],
    occupancies: Mapping[Operation, Occupancy],
) -> Schedule:
    """The schedule with the shortest interval found."""
    total = sum(occupancy.cycles for occupancy in occupancies.values())
    # The table is a bit mask: its rows bound the time of every probe.
    unit = -(-max(total, 1) // ROWS)
    cycles = {op: -(-occupancies[op].cycles // unit) for op in ops}
    latency = {op: -(-occupancies[op].latency // unit) for op in ops}
    resources = {op: occupancies[op].resource for op in ops}
    needed: dict[Resource, int] = {}
    for op in ops:
        needed[resources[op]] = needed.get(resources[op], 0) + cycles[op]
    resource_bound = max(needed.values(), default=1)
    carried_bound = longest_cycle_ratio(ops, dependences, latency, cycles)
    interval = low = max(resource_bound, carried_bound, 1)
    placed = _position(ops, dependences, resources, cycles, latency, interval)
    # Doubling finds an interval that fits in few probes, however far it is from the bound.
    serial = sum(max(cycles[op], latency[op], 1) for op in ops)
    while placed is None:
        # One op after the other fits in any case: else a use would be before its definition.
        assert interval <= 4 * serial, "an op depends on a later one of its iteration"
        low, interval = interval + 1, 2 * interval
        placed = _position(ops, dependences, resources, cycles, latency, interval)
    while low < interval:
        middle = (low + interval) // 2
        tried = _position(ops, dependences, resources, cycles, latency, middle)
        if tried is None:
            low = middle + 1
        else:
            interval, placed = middle, tried
    return Schedule(
        interval * unit,
        {op: start * unit for op, start in placed.items()},
        resource_bound * unit,
        carried_bound * unit,
    )


def serial_schedule(
    ops: Sequence[Operation], occupancies: Mapping[Operation, Occupancy]
) -> Schedule:
    """Serial schedule: ops in program order, iterations one after the other."""
    start: dict[Operation, int] = {}
    now = 0
    for op in ops:
        start[op] = now
        now += max(occupancies[op].latency, 1)
    return Schedule(max(now, 1), start, max(now, 1), max(now, 1))


def _position(
    ops: Sequence[Operation],
    dependences: Sequence[Dependence],
    resources: Mapping[Operation, Resource],
    cycles: Mapping[Operation, int],
    latency: Mapping[Operation, int],
    interval: int,
) -> dict[Operation, int] | None:
    """The earliest legal start of each op, in program order; None if an op does not fit."""
    table = ReservationTable(interval)
    before: dict[Operation, list[Dependence]] = {op: [] for op in ops}
    for dependence in dependences:
        before[dependence.after].append(dependence)
    start: dict[Operation, int] = {}
    for op in ops:
        earliest = max(
            (
                start[d.before] + delay(d, latency, cycles) - interval * d.distance
                for d in before[op]
                # Later ops constrain through carried dependences, which are checked at the end.
                if d.before in start
            ),
            default=0,
        )
        seat = _seat(table, resources[op], max(earliest, 0), cycles[op], interval)
        if seat is None:
            return None
        table.take(resources[op], seat, cycles[op])
        start[op] = seat
    # Carried dependences may name later ops, so they are checked once every op has a start.
    legal = all(
        start[d.before] + delay(d, latency, cycles) <= start[d.after] + interval * d.distance
        for d in dependences
    )
    return start if legal else None


def _seat(
    table: ReservationTable, resource: Resource, earliest: int, length: int, interval: int
) -> int | None:
    # It would overlap itself in the next iteration.
    if length > interval:
        return None
    # Waits occupy no unit.
    if not length:
        return earliest
    # Beyond one interval the table repeats.
    seats = range(earliest, earliest + interval)
    return next((seat for seat in seats if table.is_free(resource, seat, length)), None)
