"""`tileas-unspecialized-pipeline`: one agent issues the loads of a loop iterations ahead.

    scf.for %k = %lb to %ub .. iter_args(%in = %i, %out = %j) {
      produce_one_async %p, %in {.. %k ..}
      %w = consumer_wait %c, %out
      ..
    }
    ->
    %ahead = scf.for %k = %lb to %first .. iter_args(%in = %i) {       // numStages - 1 iterations
      produce_one_async %p, %in {.. %k ..}
    }
    scf.for %k = %lb to %ub .. iter_args(%out = %j, %in = %ahead) {
      %w = consumer_wait %c, %out
      %more = .. %ub - %k > (numStages - 1) * step
      scf.if %more {
        produce_one_async %p, %in {.. %k + (numStages - 1) * step ..}
      }
      ..
    }

The operands of loads, index arithmetic and carried values such as pointers, are computed for a
later iteration. The loop carries a second copy of such values, for that iteration. The phases of
the pipeline do not change, so outer loops may continue to use it. The loop is unchanged, with a
remark in the report, if the loads depend on results of earlier iterations.

At the end of a nested loop, loads are issued for the next iteration of the outer loop, if the
bounds are the same.
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

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

from .iterations import pipeline_outer_iterations, plan_outer_iterations
from .plan import LoopPlan, plan_loop
from .prologue import pipeline_loop

__all__ = ["LoopPlan", "TileASUnspecializedPipelinePass", "plan_loop"]

FAILURE = "Failed to pipeline loop"


@dataclass
class PipelineLoop(RewritePattern):
    """Pipelines a loop, after the loops inside of it."""

    function: nv_tileaa.FuncOp
    report: Report
    pending: set[scf.ForOp]
    """The loops that have not been visited; loops that the pass inserts are not included."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        # Loads that run into outer iterations replace the outer loop, which is then visited anew.
        if op not in self.pending or any(i in self.pending for i in ops_in(op.body)):
            return
        self.pending.remove(op)
        plan = plan_loop(op)
        if plan is None:
            return
        name = self.function.sym_name.data
        # A remark only: a loop without loads ahead is slower, not wrong.
        if not plan.can_run_prologue:
            self.report.add(name, remark=FAILURE)
        elif plan.distance:
            nest = plan_outer_iterations(op, plan)
            self.report.add(
                name,
                iterations_ahead=plan.distance,
                into_next_outer_iterations=nest is not None,
            )
            if nest is None:
                pipeline_loop(op, plan, rewriter)
            else:
                self.pending.remove(nest.outer)
                self.pending.add(pipeline_outer_iterations(nest, rewriter))


def pipeline_loops(function: nv_tileaa.FuncOp, report: Report) -> None:
    """Pipelines the loops of a function without agents, outer loops after inner ones."""
    ops = ops_in(function)
    # A loading agent runs ahead by itself, as far as stages are free.
    if any(isinstance(op, nv_tileaa.AgentLikeOpInterface) for op in ops):
        return
    loops = {op for op in ops if isinstance(op, scf.ForOp)}
    pattern = PipelineLoop(function, report, loops)
    walker = DispatchWalker({scf.ForOp: pattern}, walk_regions_first=True, walk_reverse=True)
    # A replaced outer loop is another op, which the walk that replaced it does not visit.
    while walker.rewrite(function) and pattern.pending:
        pass


@dataclass(frozen=True)
class TileASUnspecializedPipelinePass(FunctionPass):
    """Issues the loads of loops ahead of time, in kernels without agents."""

    name = "tileas-unspecialized-pipeline"

    explain: str | None = None
    """The text or `.json` file for a report of the loops."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        for function in functions_in(scopes):
            pipeline_loops(function, report)
        if self.explain is not None:
            write_report(report, self.explain)
