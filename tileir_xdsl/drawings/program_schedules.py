"""The timelines of a function: of its agents, or of loops with a modulo schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.analysis.scheduling.dependences import body_ops, dependences_of
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy, occupancy_of
from tileir_xdsl.builders.schedule import OFFSET_KEY, SERIAL_KEY
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.async_pipeline import STAGE_KEY, ProduceOp
from tileir_xdsl.drawings.agent_timeline import agents_timeline
from tileir_xdsl.drawings.perfetto import trace_of
from tileir_xdsl.drawings.program_layouts import Ids, no_ids
from tileir_xdsl.drawings.timeline import Bar, Timeline
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import Resource, Throughput, throughput_of
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import (
    Schedule,
    modulo_schedule,
    serial_schedule,
)
from tileir_xdsl.transforms.tileas_generate_schedule.overlapped import (
    overlap_gain,
    overlapped_schedule,
)
from tileir_xdsl.walking import ops_in


def perfetto_of(module: ModuleOp, gpu: str) -> dict[str, object]:
    """The schedules of all kernels of a module as a Perfetto trace, which may have no events."""
    functions = (op for op in ops_in(module) if isinstance(op, nv_tileaa.FuncOp))
    return trace_of(
        timeline for function in functions for timeline in timelines_of(function, gpu, no_ids)
    )


def timelines_of(function: nv_tileaa.FuncOp, gpu: str, ids: Ids) -> Iterator[Timeline]:
    """The timelines of a function: one per agent switch or, without switches, per scheduled
    loop.
    """
    rates = throughput_of(get_target(gpu))
    ops = ops_in(function)
    name = function.sym_name.data
    switches = [op for op in ops if isinstance(op, nv_tileaa.AgentLikeOpInterface)]
    for switch in switches:
        timeline = agents_timeline(switch, rates, f"agents of @{name}", ids)
        if timeline is not None:
            yield timeline
    if switches:
        return
    loops = [op for op in ops if isinstance(op, scf.ForOp)]
    for number, loop in enumerate(loops):
        if any(isinstance(op, ProduceOp) and STAGE_KEY in op.attributes for op in body_ops(loop)):
            title = f"schedule of @{name}" + (f", loop {number}" if len(loops) > 1 else "")
            timeline = loop_timeline(loop, rates, title, ids)
            if timeline is not None:
                yield timeline


def loop_timeline(loop: scf.ForOp, rates: Throughput, title: str, ids: Ids) -> Timeline | None:
    """The timeline of a loop's modulo schedule; None if its ops have moved since scheduling."""
    ops = body_ops(loop)
    occupancies = {op: occupancy_of(op, rates) for op in ops}
    schedule = _schedule(loop, occupancies)
    if schedule is None or not _is_annotated(schedule):
        return None
    bars = tuple(_bars(schedule, occupancies, ids))
    rows = tuple(
        resource.value for resource in Resource if any(bar.row == resource.value for bar in bars)
    )
    steady_from = (schedule.stages - 1) * schedule.interval
    notes = (
        f"Modulo schedule: {schedule.stages} stages of {schedule.interval} cycles; resources alone "
        f"need {schedule.resource_bound}, carried values {schedule.carried_bound}.",
    )
    return Timeline(title, rows, bars, schedule.interval, steady_from, notes)


def _schedule(loop: scf.ForOp, occupancies: Mapping[Operation, Occupancy]) -> Schedule | None:
    """The schedule of a loop, recomputed as `tileas-generate-schedule` does."""
    ops = tuple(occupancies)
    if SERIAL_KEY in loop.attributes:
        return serial_schedule(ops, occupancies)
    schedule = modulo_schedule(ops, dependences_of(loop), occupancies)
    if any(OFFSET_KEY in op.attributes for op in ops):
        gain = overlap_gain(loop, occupancies)
        return None if gain is None else overlapped_schedule(gain, schedule, occupancies)
    return schedule


def _is_annotated(schedule: Schedule) -> bool:
    """Whether the stage attributes of the ops agree with this schedule."""
    return all(
        isinstance(noted := op.attributes.get(STAGE_KEY), IntegerAttr)
        and noted.value.data == schedule.stage(op)
        for op in schedule.start
    )


def _bars(
    schedule: Schedule, occupancies: Mapping[Operation, Occupancy], ids: Ids
) -> Iterator[Bar]:
    """The bars of enough iterations to show one steady interval."""
    order = schedule.order()
    starts = sorted(
        (
            (schedule.start[op] + iteration * schedule.interval, position, iteration, op)
            for iteration in range(2 * schedule.stages)
            for op, position in order.items()
            if occupancies[op].cycles
        ),
        key=lambda bar: bar[:3],
    )
    free = dict.fromkeys(Resource, 0)
    for start, _, iteration, op in starts:
        occupancy = occupancies[op]
        begin = max(start, free[occupancy.resource])
        end = free[occupancy.resource] = begin + occupancy.cycles
        name = op.name.rpartition(".")[2]
        stage = schedule.stage(op)
        yield Bar(
            occupancy.resource.value, begin, end, name, iteration, False, stage, tuple(ids(op))
        )
