"""Schedules in the Trace Event Format of Chrome and Perfetto.

In a trace, loops are processes, resources of the multiprocessor are threads, and ops are bars. A
bar begins when the op is scheduled and the resource is free, and lasts as long as the op occupies
the resource. A cycle counts as a microsecond. Enough iterations are drawn to show the steady state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation

from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.targets.throughput import Resource

from .modulo import Schedule

TraceEvent = Mapping[str, str | int | Mapping[str, str | int]]
"""One event: a bar (`ph` is `X`), or the name of a process or thread (`M`)."""

ROWS = {resource: number for number, resource in enumerate(Resource)}


def trace_events(
    function: str, number: int, schedule: Schedule, occupancies: Mapping[Operation, Occupancy]
) -> Iterator[TraceEvent]:
    """The events of one loop; `number` distinguishes it from other loops."""
    yield _named("process_name", number, 0, f"@{function}, loop {number}")
    for resource, row in ROWS.items():
        yield _named("thread_name", number, row, resource.value)
    positions = schedule.order()
    bars = [
        (schedule.start[op] + iteration * schedule.interval, position, iteration, op)
        # Twice the overlapping iterations show the filling and one steady interval.
        for iteration in range(2 * schedule.stages)
        for op, position in positions.items()
        if occupancies[op].cycles
    ]
    free = dict.fromkeys(Resource, 0)
    for start, _, iteration, op in sorted(bars, key=lambda bar: bar[:3]):
        occupancy = occupancies[op]
        begin = max(start, free[occupancy.resource])
        free[occupancy.resource] = begin + occupancy.cycles
        yield {
            "name": op.name,
            "ph": "X",
            "ts": begin,
            "dur": occupancy.cycles,
            "pid": number,
            "tid": ROWS[occupancy.resource],
            "args": {"iteration": iteration, "stage": schedule.stage(op)},
        }


def _named(kind: str, process: int, thread: int, name: str) -> TraceEvent:
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
