"""`tileas-materialize-async`: routes loads into shared memory through pipelines.

    scf.for .. iter_args(%acc = %zero) {
      %a = nv_tileas.alloc_tensor : A                     // and the same for %b
      %v = nv_tileas.async.tiled_tma_load %map, %a[..], %m : ..
      %t = nv_tileas.async.future_wait %v : .. -> A
      %d = nv_tileas.dot %t, %u, %acc
      scf.yield %d
    }
    ->
    %s = nv_tileas.alloc_tensor : tensor<4xA>
    %p, %c = create_pipeline %s, .. {numStages = 4}
    %i = create_iterator %p
    %j = create_iterator %c
    scf.for .. iter_args(%acc = %zero, %in = %i, %out = %j) {
      %p1, %done = produce_one_async %p, %in {
      ^bb0(%stage : A, ..):
        %v = nv_tileas.async.tiled_tma_load %map, %stage[..], %m : ..
        yield %stage, ..
      }
      %w = consumer_wait %c, %out
      %r, %t, %u = consumer_read %w
      %d = nv_tileas.dot %t, %u, %acc
      %f = consumer_release %r
      %in1 = inc_iter %in
      %out1 = inc_iter %out
      scf.yield %d, %in1, %out1
    }

After this pass an iteration fills the stage that it reads; the schedule later decides how far
ahead. Loads with a common user share a pipeline. All enclosing loops carry the iterators, so that a
stage may be filled for the next iteration of an outer loop. A loop without such loads, or without
shared memory for a stage, is unchanged; the report says so.

MMAs that only accumulate across iterations then stay in flight; the stages that they read are
released an iteration later. Stores after an inner loop stay in flight too. In persistent kernels
each iteration requests the next tile block at its start; in kernels with pipelines, another
pipeline transfers the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.diagnostics import HINT_NOT_HAD, remark
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.resource_attributes import (
    LATENCY_ATTRIBUTE,
    STAGES_ATTRIBUTE,
    asked_integer,
    asked_latency,
)
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker, PatternTable
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import MOST_STAGES, stages_for

from .fragments import sink_fragment_loads
from .mmas_in_flight import KeepMMAsInFlight
from .planning import PipelinePlan, PipelinePlans, plan_pipelines
from .program_ids import AskAlone, AskEarly
from .rewrite import InsertPipelines
from .stores_in_flight import KeepStoresInFlight

__all__ = ["PipelinePlan", "TileASMaterializeAsyncPass", "plan_pipelines"]


def materialize_async(
    function: nv_tileaa.FuncOp, target: Target, most_stages: int, report: Report
) -> None:
    """Plans the pipelines of a function, and inserts them."""
    # Before the plan: only at one MMA do the loads of both operands form a group.
    sink_fragment_loads(function)
    asked = asked_integer(function, STAGES_ATTRIBUTE)
    most = most_stages if asked is None else max(1, min(asked, most_stages))
    plans = plan_pipelines(function, target, most)
    _report(function.sym_name.data, plans, report)
    for plan in plans.pipelines:
        _follow_latency(plan)
    execute(function, plans)


def _follow_latency(plan: PipelinePlan) -> None:
    """Removes the hint `latency` from the loads of a pipeline; a remark reports a different number
    of stages.
    """
    for load in plan.group.loads:
        latency = asked_latency(load.op)
        if latency is None:
            continue
        load.op.properties.pop(LATENCY_ATTRIBUTE, None)
        load.op.attributes.pop(LATENCY_ATTRIBUTE, None)
        if plan.stages != (asked := stages_for(latency)):
            message = (
                f"latency of {latency} asks for {asked} stages: the pipeline has {plan.stages}"
            )
            remark(load.op, HINT_NOT_HAD, message)


def execute(function: nv_tileaa.FuncOp, plans: PipelinePlans) -> None:
    """Inserts the planned pipelines, then defers the waits for MMAs and stores."""
    insertion = InsertPipelines.of(function, plans.pipelines)
    request = AskEarly(function) if plans.pipelines else AskAlone(function)
    walks: tuple[PatternTable, ...] = (
        {scf.ForOp: insertion, scf.WhileOp: insertion},
        {nv_tileas.CancelNextProgramIdOp: request},
        {scf.ForOp: KeepMMAsInFlight()},
        {scf.ForOp: KeepStoresInFlight()},
    )
    for patterns in walks:
        DispatchWalker(patterns).rewrite(function)


def _report(name: str, plans: PipelinePlans, report: Report) -> None:
    if plans.remark is not None:
        report.add(name, remark=plans.remark)
    for plan in plans.pipelines:
        loads, bytes = len(plan.group.loads), plan.group.bytes
        report.add(name, loads=loads, bytes=bytes, stages=plan.stages)


@dataclass(frozen=True)
class TileASMaterializeAsyncPass(FunctionPass):
    """Inserts pipelines between loads into shared memory and the users of their tiles."""

    name = "tileas-materialize-async"

    num_stages: int = MOST_STAGES
    """The most stages of a pipeline."""
    explain: str | None = None
    """The text or `.json` file for a report of the pipelines."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.num_stages < 1:
            raise PassFailedException(f"num-stages must be at least 1, but got {self.num_stages}")
        report = Report(self.name)
        target = target_or_default(module)
        for function in functions_in(scopes):
            materialize_async(function, target, self.num_stages, report)
        if self.explain is not None:
            write_report(report, self.explain)
