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

What the loads need is computed for a later iteration: index arithmetic, and carried values such as
pointers, of which the loop carries a second copy that is ahead. The pipeline's phases are the same
as before, so outer loops may continue with it. The loop is unchanged, with a remark in the report,
if the loads depend on results of earlier iterations.

Loads of a nested loop run ahead into the next iterations of the outer loop, where these have the
same bounds.
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

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of

from .iterations import pipeline_outer_iterations, plan_outer_iterations
from .plan import LoopPlan, plan_loop
from .prologue import pipeline_loop

__all__ = ["LoopPlan", "TileASUnspecializedPipelinePass", "plan_loop"]

FAILURE = "Failed to pipeline loop"


@dataclass
class PipelineLoops(RewritePattern):
    """Pipelines the loops of a function without agents, outer loops after inner ones."""

    report: Report

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        ops = list(op.walk())
        # A loading agent runs ahead by itself, as far as stages are free.
        if any(isinstance(inner, nv_tileas.AgentSwitchOp) for inner in ops):
            return
        loops = [inner for inner in ops if isinstance(inner, scf.ForOp)]
        while loops:
            # Inner loops first: loads that run into outer iterations replace the outer loop.
            loop = loops.pop()
            plan = plan_loop(loop)
            if plan is None:
                continue
            if not plan.can_run_prologue:
                self.report.add(op.sym_name.data, remark=FAILURE)
            elif plan.distance:
                nest = plan_outer_iterations(loop, plan)
                self.report.add(
                    op.sym_name.data,
                    iterations_ahead=plan.distance,
                    into_next_outer_iterations=nest is not None,
                )
                if nest is None:
                    pipeline_loop(loop, plan, rewriter)
                else:
                    around = loops.index(nest.outer)
                    loops[around] = pipeline_outer_iterations(nest, rewriter)


@dataclass(frozen=True)
class TileASUnspecializedPipelinePass(FunctionPass):
    """Issues the loads of loops in one agent ahead of time."""

    name = "tileas-unspecialized-pipeline"
    op_names = names_of(nv_tileas.ProduceOneOp, nv_tileas.ProduceOneAsyncOp)

    explain: str | None = None
    """The file for a report of the loops: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        walker = DispatchWalker({nv_tileaa.FuncOp: PipelineLoops(report)})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
