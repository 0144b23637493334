"""`tileas-generate-schedule`: modulo-schedules the loops that use pipelines.

    scf.for .. {
      produce_one_async ..   {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32}
      consumer_wait ..       {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32}
      async.dot ..           {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 2 : i32}
    }

An op of stage `n` belongs to the iteration that began `n` intervals ago; `order` is its position
within the interval. The cost-based scheduler finds a modulo schedule from the cycles that each op
occupies resources of the target (`targets/throughput`). The serial scheduler runs iterations one
after the other, all in stage 0. `tileas-unspecialized-pipeline` reads the distance between loads
and their wait. This pass moves no ops.

MMAs may overlap the other ops of an agent if its threads have enough registers. MMAs issued an
iteration early then have `iter_offset = 1`, and waits for MMAs of the previous iteration
`iter_offset = -1`. `order` is then the program order of the agent. A loop whose MMAs warpgroups
issue in ping-pong has `nv_tile.aws.ping_pong` (`forms.py`). If each warpgroup issues `tcgen05` MMAs
for its own rows, the attribute of their issuer says so.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from tileir_xdsl.analysis.mma.tensor_memory_mmas import tensor_memory_mmas
from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.analysis.scheduling.dependences import body_ops, dependences_of
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder
from tileir_xdsl.analysis.scheduling.occupancy import occupancy_of
from tileir_xdsl.analysis.scheduling.ping_pong import PING_PONG_KEY
from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.analysis.threads.register_pressure import RESERVED_REGISTERS
from tileir_xdsl.builders.schedule import OFFSET_KEY, SERIAL_KEY
from tileir_xdsl.diagnostics import MMA_SCHEDULE_NOT_HAD, fail, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ORDER_KEY,
    STAGE_KEY,
    ProduceOp,
)
from tileir_xdsl.dialects.nv_tileas.strategies import ISSUER, Issuer, IssuerAttr
from tileir_xdsl.dialects.resource_attributes import MMA_SCHEDULE_ATTRIBUTE, asked_string
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import (
    OperationLabels,
    Report,
    ReportValue,
    forced_ops,
    write_report,
    write_text,
)
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import WARPS_PER_GROUP, agent_registers, map_units
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.transforms.tileas_generate_schedule.forms import (
    FORMS,
    AgentThreads,
    FormChoice,
    choose_form,
    has_forms,
)
from tileir_xdsl.transforms.tileas_generate_schedule.modulo import (
    Schedule,
    modulo_schedule,
    serial_schedule,
)
from tileir_xdsl.transforms.tileas_generate_schedule.overlapped import overlapped_schedule
from tileir_xdsl.transforms.tileas_generate_schedule.trace import TraceEvent, trace_events

SERIAL, COST_BASED = "serial", "cost-based"

# One thread issues bulk copies; a warp is the least that can be an agent.
PRODUCER_WARPS = 1
"""How many warps the agent that issues copies has."""


@dataclass
class ScheduleLoop(RewritePattern):
    """Annotates the ops of loops that fill pipeline stages.

    An unknown scheduler name selects the cost-based one.
    """

    target: Target
    scheduler: str
    report: Report
    trace: list[TraceEvent]
    labels: Mapping[nv_tileaa.FuncOp, OperationLabels]
    """The numbers of ops in reports, by function."""
    forced: Mapping[Operation, str]
    """The forms of loops that the option `force` names."""
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
            if has_forms(op):
                threads = self.threads(op)
                choice = choose_form(op, occupancies, threads, self.asked(op))
                self.check(op, choice)
                facts = _form_facts(choice, threads.registers)
                if choice.is_alongside and choice.overlap is not None:
                    schedule = overlapped_schedule(choice.overlap, schedule, occupancies)
                    _annotate_offsets(choice.overlap.overlap.order)
                if choice.is_ping_pong:
                    op.attributes[PING_PONG_KEY] = UnitAttr()
                if choice.is_by_warpgroup:
                    for mma in tensor_memory_mmas(op.body.block.ops):
                        mma.attributes[ISSUER] = IssuerAttr(Issuer.ELECTED_LANE_OF_EACH_WARPGROUP)
        _annotate(schedule)
        rewriter.notify_op_modified(op)
        self.add_to_report(op, schedule, facts)
        self.trace += trace_events(scope_name(scope_of(op)), self.loops, schedule, occupancies)
        self.loops += 1

    def add_to_report(
        self, loop: scf.ForOp, schedule: Schedule, facts: Mapping[str, ReportValue]
    ) -> None:
        """Adds the schedule of a loop to the report."""
        function = scope_of(loop)
        labels = self.labels.get(function) if isinstance(function, nv_tileaa.FuncOp) else None
        self.report.add(
            scope_name(function),
            **({} if labels is None else {"op": labels.label(loop)}),
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

    def asked(self, loop: scf.ForOp) -> str | None:
        """The form that the option `force`, or an attribute of the function, names."""
        return self.forced.get(loop) or asked_string(scope_of(loop), MMA_SCHEDULE_ATTRIBUTE)

    def check(self, loop: scf.ForOp, choice: FormChoice) -> None:
        """Reports an error or a remark if a loop cannot have the form that was asked for."""
        asked = self.asked(loop)
        if asked is None or asked == choice.strategy:
            return
        if asked not in FORMS:
            problem = f"expected one of {', '.join(FORMS)}"
            fail(loop, f"'{loop.name}' op has no form '{asked}', {problem}")
        message = f"dots of a loop are not {asked}: {choice.pruned[asked]}"
        if loop in self.forced:
            fail(loop, message)
        remark(loop, MMA_SCHEDULE_NOT_HAD, message)

    def threads(self, loop: scf.ForOp) -> AgentThreads:
        """The threads of the computing agent, if another warp issues the copies."""
        latency = throughput_of(self.target).barrier_latency
        function = scope_of(loop)
        if not isinstance(function, nv_tileaa.FuncOp) or function.kernel_spec is None:
            return AgentThreads(1, 0, latency)
        # The agents are formed later; the decision needs the registers that they will have.
        warps = function.kernel_spec.num_warps.data
        mapping = map_units((warps, PRODUCER_WARPS))
        # Several blocks on a multiprocessor share its registers.
        blocks = expected_blocks(function, self.target)
        registers = agent_registers(mapping, (True, False), self.target.limits, blocks)
        groups = 1 if warps % WARPS_PER_GROUP else warps // WARPS_PER_GROUP
        if registers is None:
            return AgentThreads(groups, 0, latency)
        return AgentThreads(groups, registers[0] - RESERVED_REGISTERS, latency)


def _form_facts(choice: FormChoice, available: int) -> dict[str, ReportValue]:
    """The facts of a report on the forms of a loop."""
    facts: dict[str, ReportValue] = {
        "strategy": choice.strategy,
        "costs": choice.costs,
        "pruned": choice.pruned,
    }
    if choice.correction is not None:
        facts["correction_by_another_agent"] = (
            f"at best {choice.correction} cycles of an iteration instead of "
            f"{choice.costs[choice.strategy]}, for the registers of four more warps: not done"
        )
    overlap = choice.overlap
    if overlap is None or overlap.timing.interval >= overlap.interval_before:
        return facts
    cycles = f"{overlap.timing.interval} cycles of an iteration instead of "
    cycles += str(overlap.interval_before)
    registers = f"{overlap.registers} of {available} registers"
    if choice.is_alongside:
        facts["dots_alongside_other_ops"] = f"{cycles}, {registers}"
    elif overlap.registers > available:
        facts["remark"] = f"dots stay in order: alongside other ops they take {registers}"
    return facts


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

    scheduler: str = COST_BASED
    """`serial` or `cost-based`."""
    explain: str | None = None
    """The text or `.json` file for a report of the schedules."""
    force: str | None = None
    """The forms of loops, e.g. `#4=in_order_ping_pong`; the numbers are the report's."""
    schedule_trace_file: str | None = None
    """The file for a trace of the schedules, in the Trace Event Format."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report, trace = Report(self.name), list[TraceEvent]()
        target = target_or_default(module)
        functions = functions_in(scopes) if self.explain is not None or self.force else ()
        labels = {function: OperationLabels(function) for function in functions}
        forced = forced_ops(self.force, labels, has_forms)
        for op in forced:
            if not has_forms(op):
                fail(op, f"'{op.name}' op has no asynchronous dots to schedule")
        pattern = ScheduleLoop(target, self.scheduler, report, trace, labels, forced)
        walker = DispatchWalker({scf.ForOp: pattern})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
        if self.schedule_trace_file is not None:
            write_text(json.dumps({"traceEvents": trace}), self.schedule_trace_file)
