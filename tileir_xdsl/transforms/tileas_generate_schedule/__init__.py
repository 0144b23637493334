"""`tileas-generate-schedule`: modulo-schedules the loops that use pipelines.

    scf.for .. {
      produce_one_async ..   {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32}
      consumer_wait ..       {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32}
      async.dot ..           {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 2 : i32}
    }

An op of stage `n` belongs to the iteration that began `n` intervals ago; `order` is its position
within the interval. The cost-based scheduler weighs what each op occupies on the target
(`targets/throughput`) and finds a modulo schedule; the serial one runs iterations one after the
other, all in stage 0. `tileas-unspecialized-pipeline`, which issues loads ahead of time, reads the
distance between the loads and their wait. This pass moves no ops.

Where MMAs can overlap the other ops of an agent, and its threads have the registers, MMAs issued an
iteration early have `iter_offset = 1`, and waits for those of the previous iteration `iter_offset =
-1`; `order` is then the program order of the agent.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.analysis.scheduling.dependences import body_ops, dependences_of
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder
from tileir_xdsl.analysis.scheduling.occupancy import occupancy_of
from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.builders.schedule import OFFSET_KEY, SERIAL_KEY
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ORDER_KEY,
    STAGE_KEY,
    ProduceOneAsyncOp,
    ProduceOneOp,
    ProduceOp,
)
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, ReportValue, write_report, write_text
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import agent_registers, map_units
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import (
    Schedule,
    modulo_schedule,
    serial_schedule,
)
from tileir_xdsl.transforms.tileas_generate_schedule.overlapped import (
    OverlapGain,
    overlap_gain,
    overlapped_schedule,
)
from tileir_xdsl.transforms.tileas_generate_schedule.trace import TraceEvent, trace_events

SERIAL, COST_BASED = "serial", "cost-based"

# One thread issues bulk copies; a warp is the least that can be an agent.
PRODUCER_WARPS = 1
"""Warps of the agent that issues copies."""

# Measured: with 80, attention with tiles of 128 no longer overlaps its dots; with 20, no change.
RESERVED_REGISTERS = 40
"""Registers of a thread reserved for addresses, counters and intermediate values."""


@dataclass
class ScheduleLoop(RewritePattern):
    """Annotates the ops of loops that fill pipeline stages.

    An unknown scheduler name selects the cost-based one.
    """

    target: Target
    scheduler: str
    report: Report
    trace: list[TraceEvent]
    loops: int = 0
    """How many loops have been visited."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        ops = body_ops(op)
        # Without a pipeline nothing can be started ahead.
        if not any(isinstance(inner, ProduceOp) for inner in ops):
            return
        rates = throughput_of(self.target)
        occupancies = {inner: occupancy_of(inner, rates) for inner in ops}
        facts: dict[str, ReportValue] = {}
        # Any other name means cost-based (docs/passes, options).
        if self.scheduler == SERIAL:
            op.attributes[SERIAL_KEY] = UnitAttr()
            schedule = serial_schedule(ops, occupancies)
        else:
            schedule = modulo_schedule(ops, dependences_of(op), occupancies)
            gain = overlap_gain(op, occupancies)
            if gain is not None:
                available = self.registers(op)
                facts = _overlap_facts(gain, available)
                # Spilled accumulators would cost more than any overlap gains.
                if gain.registers <= available:
                    schedule = overlapped_schedule(gain, schedule, occupancies)
                    _annotate_offsets(gain.overlap.order)
        _annotate(schedule)
        rewriter.notify_op_modified(op)
        function = scope_name(scope_of(op))
        self.trace += trace_events(function, self.loops, schedule, occupancies)
        self.loops += 1
        self.report.add(
            function,
            interval=schedule.interval,
            resource_bound=schedule.resource_bound,
            carried_bound=schedule.carried_bound,
            stages=schedule.stages,
            **facts,
            ops=[
                f"{schedule.start[inner]}: {inner.name}, stage {schedule.stage(inner)}"
                for inner in schedule.order()
            ],
        )

    def registers(self, loop: scf.ForOp) -> int:
        """The registers of a thread available to tiles, where another warp issues the copies."""
        function = scope_of(loop)
        if not isinstance(function, nv_tileaa.FuncOp) or function.kernel_spec is None:
            return 0
        # The agents are formed later; the decision needs the registers that they will have.
        mapping = map_units((function.kernel_spec.num_warps.data, PRODUCER_WARPS))
        # Several blocks on a multiprocessor share its registers.
        blocks = expected_blocks(function, self.target)
        registers = agent_registers(mapping, (True, False), self.target.limits, blocks)
        return 0 if registers is None else registers[0] - RESERVED_REGISTERS


def _overlap_facts(gain: OverlapGain, available: int) -> dict[str, ReportValue]:
    """What the report says of MMAs that may overlap other ops."""
    cycles = f"{gain.timing.interval} cycles of an iteration instead of {gain.interval_before}"
    registers = f"{gain.registers} of {available} registers"
    if gain.registers <= available:
        return {"dots_alongside_other_ops": f"{cycles}, {registers}"}
    return {"remark": f"dots stay in order: alongside other ops they take {registers}"}


def _annotate(schedule: Schedule) -> None:
    for position, op in enumerate(schedule.order()):
        op.attributes[STAGE_KEY] = IntegerAttr(schedule.stage(op), i32)
        op.attributes[ORDER_KEY] = IntegerAttr(position, i32)


def _annotate_offsets(order: LoopOrder) -> None:
    for op, offset in order.offsets.items():
        op.attributes[OFFSET_KEY] = IntegerAttr(offset, i32)


@dataclass(frozen=True)
class TileASGenerateSchedulePass(FunctionPass):
    """Assigns schedule stages to the ops of loops with pipelines."""

    name = "tileas-generate-schedule"
    op_names = names_of(ProduceOneOp, ProduceOneAsyncOp)

    scheduler: str = COST_BASED
    """`serial` or `cost-based`."""
    explain: str | None = None
    """The file for a report of the schedules: JSON if its name ends in `.json`, else text."""
    schedule_trace_file: str | None = None
    """The file for a trace of the schedules, in the Trace Event Format that browsers draw."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report, trace = Report(self.name), list[TraceEvent]()
        target = target_or_default(module)
        pattern = ScheduleLoop(target, self.scheduler, report, trace)
        walker = DispatchWalker({scf.ForOp: pattern})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
        if self.schedule_trace_file is not None:
            write_text(json.dumps({"traceEvents": trace}), self.schedule_trace_file)
