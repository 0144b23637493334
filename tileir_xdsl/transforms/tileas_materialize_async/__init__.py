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

The stage is still filled in the iteration that empties it; the schedule decides how far ahead.
Loads with a common user share a pipeline. All enclosing loops carry the iterators, so that a stage
may be filled for the next iteration of an outer loop. A loop without such loads is unchanged, and
so is one without shared memory for a stage; the report says so.

MMAs that only accumulate across iterations then stay in flight; the stages that they read are
released an iteration later. Stores after an inner loop stay in flight too. In persistent kernels
each iteration requests the next tile block at its start; a pipeline, if there is any, transfers the
answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.resource_attributes import STAGES_ATTRIBUTE, asked_integer
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import MOST_STAGES

from .fragments import sink_fragment_loads
from .mmas_in_flight import keep_mmas_in_flight
from .planning import PipelinePlan, plan_pipelines
from .program_ids import ask_alone, ask_early, requests_in_loops
from .rewrite import insert_pipeline
from .stores_in_flight import keep_stores_in_flight

__all__ = ["PipelinePlan", "TileASMaterializeAsyncPass", "plan_pipelines"]


@dataclass
class MaterializeAsync(RewritePattern):
    """Assigns pipelines to the groups of loads of a function."""

    target: Target
    most_stages: int
    report: Report

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        # Before the plan: only at one MMA do the loads of both operands form a group.
        sink_fragment_loads(op)
        asked = asked_integer(op, STAGES_ATTRIBUTE)
        most = self.most_stages if asked is None else max(1, min(asked, self.most_stages))
        plans = plan_pipelines(op, self.target, most)
        if plans.remark is not None:
            self.report.add(op.sym_name.data, remark=plans.remark)
        for plan in plans.pipelines:
            self.report.add(
                op.sym_name.data,
                loads=len(plan.group.loads),
                bytes=plan.group.bytes,
                stages=plan.stages,
            )
            insert_pipeline(op, plan, rewriter)
        for request in requests_in_loops(op):
            if plans.pipelines:
                ask_early(op, request, rewriter)
            else:
                ask_alone(request, rewriter)
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            keep_mmas_in_flight(loop, rewriter)
        for loop in [inner for inner in op.walk() if isinstance(inner, scf.ForOp)]:
            keep_stores_in_flight(loop, rewriter)
        if plans.pipelines:
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class TileASMaterializeAsyncPass(FunctionPass):
    """Puts pipelines between loads into shared memory and the users of their tiles."""

    name = "tileas-materialize-async"
    op_names = names_of(scf.ForOp, scf.WhileOp, nv_tileas.DotOp)

    num_stages: int = MOST_STAGES
    """The most stages of a pipeline."""
    explain: str | None = None
    """The file for a report of the pipelines: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.num_stages < 1:
            raise PassFailedException(f"num-stages must be at least 1, but got {self.num_stages}")
        report = Report(self.name)
        target = target_or_default(module)
        pattern = MaterializeAsync(target, self.num_stages, report)
        walker = DispatchWalker({nv_tileaa.FuncOp: pattern})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
