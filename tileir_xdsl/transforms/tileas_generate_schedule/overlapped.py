"""Schedules of loops whose MMAs overlap the other ops of an agent, and their gain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.scheduling.arrangement import Overlap, arranged
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder, Timing, in_order_timing
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.analysis.scheduling.overlap import find_early_mmas, find_late_mmas
from tileir_xdsl.analysis.threads.register_pressure import holding_tiles
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerWaitOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp

from .kept_registers import kept_registers
from .modulo import Schedule


@dataclass(frozen=True)
class OverlapGain:
    """The gain of overlapping MMAs in cycles of an iteration, and the cost in registers."""

    overlap: Overlap
    timing: Timing
    interval_before: int
    """The cycles of an iteration in program order."""
    registers: int
    """The registers per thread that the tiles of the loop occupy."""


def overlap_gain(loop: scf.ForOp, occupancies: Mapping[Operation, Occupancy]) -> OverlapGain | None:
    """How the MMAs of a loop can overlap its other ops; None if no MMA can be issued early."""
    early = find_early_mmas(loop)
    # Late MMAs alone hide nothing: the early one is what runs alongside the other ops.
    if early is None:
        return None
    holders = holding_tiles(scope_of(loop))
    before = in_order_timing(loop, LoopOrder(body_ops(loop), {}), occupancies).interval
    # Started one iteration early and waited for one late, an MMA would run beside itself.
    late = [mma for mma in find_late_mmas(loop) if mma.dot not in early.dots]
    overlap = arranged(loop, early, late, occupancies, holders)
    timing = in_order_timing(loop, overlap.order, occupancies)
    return OverlapGain(overlap, timing, before, kept_registers(loop, overlap, holders))


def overlapped_schedule(
    gain: OverlapGain, schedule: Schedule, occupancies: Mapping[Operation, Occupancy]
) -> Schedule:
    """The schedule of a loop with overlapped MMAs; `schedule` is that without overlap."""
    order = gain.overlap.order
    copies = sum(occupancies[op].cycles for op in order.ops if isinstance(op, ProduceOp))
    # The computing agent issues no copies, but it waits for them.
    interval = max(gain.timing.interval, copies)
    start = {
        op: min(gain.timing.start[op], interval - 1) - order.offset(op) * interval
        for op in order.ops
    }
    _start_copies(start, occupancies)
    first = min(start.values()) // interval * interval
    moved = {op: begin - first for op, begin in start.items()}
    return replace(schedule, interval=interval, start=moved, sequence=order.ops)


def _start_copies(start: dict[Operation, int], occupancies: Mapping[Operation, Occupancy]) -> None:
    """Moves the start of each fill of a stage, and of ops that only it needs, just before the wait
    for the stage.
    """
    waits = [op for op in start if isinstance(op, ConsumerWaitOp)]
    for op in start:
        if isinstance(op, ProduceOp):
            pipeline = pipeline_of(op.token)
            wanted = (start[w] for w in waits if pipeline_of(w.token) is pipeline)
            start[op] = min(wanted, default=start[op]) - occupancies[op].latency
    fillers: set[Operation] = {op for op in start if isinstance(op, ProduceOp)}
    for op in reversed(list(start)):
        users = {use.operation for result in op.results for use in result.uses}
        # Coordinates and the like belong to the fill; what others use too stays where it is.
        if users and users <= fillers:
            fillers.add(op)
            start[op] = min(start[user] for user in users)
