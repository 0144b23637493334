"""`tileas-generate-schedule`: when the ops of a loop with pipelines start.

    scf.for .. {
      produce_one_async ..   {nv_tile.aws.stage = 0 : i32, nv_tile.aws.order = 0 : i32}
      consumer_wait ..       {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 1 : i32}
      async.dot ..           {nv_tile.aws.stage = 2 : i32, nv_tile.aws.order = 2 : i32}
    }

An op of stage `n` belongs to the iteration that began `n` intervals ago; `order` is its place in
the interval. The cost-based scheduler weighs what each op occupies on the target
(`targets/throughput`) and finds a modulo schedule; the serial one lets one iteration follow the
other, all in stage 0. What starts loads ahead of time, `tileas-unspecialized-pipeline`, reads the
distance between the loads and the wait for them. Nothing is moved here.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.scheduling.dependences import dependences_of
from tileir_xdsl.analysis.scheduling.modulo import Schedule, modulo_schedule, serial_schedule
from tileir_xdsl.analysis.scheduling.occupancy import occupancy_of
from tileir_xdsl.analysis.scopes import scope_name, scope_of
from tileir_xdsl.builders.schedule import SERIAL_KEY
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY, ProduceOp
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import OpDispatch
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import Throughput, throughput_of
from tileir_xdsl.transforms.convert_cuda_tile_to_tileaa import DEFAULT_TARGET
from tileir_xdsl.transforms.convert_tileaa_to_tileas import target_of

SERIAL, COST_BASED = "serial", "cost-based"


def schedule_loop(loop: scf.ForOp, rates: Throughput, scheduler: str) -> Schedule:
    """The schedule of a loop's body; a scheduler of another name is the cost-based one."""
    ops = [
        op
        for op in loop.body.block.ops
        if not op.has_trait(IsTerminator, value_if_unregistered=False)
    ]
    occupancies = {op: occupancy_of(op, rates) for op in ops}
    if scheduler == SERIAL:
        return serial_schedule(ops, occupancies)
    return modulo_schedule(ops, dependences_of(loop), occupancies)


@dataclass
class ScheduleLoop(RewritePattern):
    """Annotates the ops of a loop that fills stages of pipelines."""

    rates: Throughput
    scheduler: str
    report: Report

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        if not any(isinstance(inner, ProduceOp) for inner in op.body.block.ops):
            return
        schedule = schedule_loop(op, self.rates, self.scheduler)
        if self.scheduler == SERIAL:
            op.attributes[SERIAL_KEY] = UnitAttr()
        orders = schedule.order()
        for inner in orders:
            inner.attributes[STAGE_KEY] = IntegerAttr(schedule.stage(inner), i32)
            inner.attributes[ORDER_KEY] = IntegerAttr(orders[inner], i32)
        rewriter.notify_op_modified(op)
        self.report.add(
            scope_name(scope_of(op)),
            interval=schedule.interval,
            resource_bound=schedule.resource_bound,
            carried_bound=schedule.carried_bound,
            stages=schedule.stages,
            ops=[
                f"{schedule.start[inner]}: {inner.name}, stage {schedule.stage(inner)}"
                for inner in orders
            ],
        )


@dataclass(frozen=True)
class TileASGenerateSchedulePass(ModulePass):
    """Gives the ops of loops with pipelines their stages."""

    name = "tileas-generate-schedule"

    scheduler: str = COST_BASED
    """`serial` or `cost-based`."""
    explain: str | None = None
    """The file for a report of the schedules: JSON if its name ends in `.json`, else text."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        rates = throughput_of(target_of(op) or get_target(DEFAULT_TARGET))
        pattern = ScheduleLoop(rates, self.scheduler, report)
        PatternRewriteWalker(
            OpDispatch({scf.ForOp: pattern}), apply_recursively=False
        ).rewrite_module(op)
        if self.explain is not None:
            write_report(report, self.explain)
