"""`tileas-slicing`: splits a loop with the attribute `sliceCount` into that many consecutive loops.

    %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %init) -> (T) {
      %a = nv_tileas.tiled_load %src[%i] : ..
      ..
    } {sliceCount = 2 : i32}
    ->
    %0 = scf.for %i = %c0 to %c32 step %c1 iter_args(%acc = %init) -> (T) {
      %a = nv_tileas.tiled_load %src[%i] : ..
      ..
    }
    %r = scf.for %i = %c32 to %c64 step %c1 iter_args(%acc = %0) -> (T) {
      %a = nv_tileas.tiled_load %src[%i] : ..
      ..
    }

Each loop covers a consecutive part of the iterations, which a scheduler can handle separately. A
carried value on which nothing depends has the same initial value in every slice, so that slices are
independent of each other. The plan for the whole module is made before any change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.explain import write_report
from tileir_xdsl.rewriting import DispatchWalker, PatternTable
from tileir_xdsl.transforms.function_pass import FunctionPass

from .plan import SlicingPlan
from .planning import plan_slicing
from .report import describe_plan
from .rewrite import SliceLoop
from .stage_rewrite import SliceStage

__all__ = ["SlicingPlan", "TileASSlicingPass", "plan_slicing", "slice_module"]


def slice_module(module: ModuleOp, plan: SlicingPlan) -> None:
    """Applies a plan.

    Raises:
        PassFailedException: the body of a loop has changed since the plan was made.
    """
    expected = set(plan.operations)
    stage = SliceStage(plan.stages, expected)
    patterns: PatternTable = {
        ConsumeOp: stage,
        ProduceOp: stage,
        scf.ForOp: SliceLoop(plan.loops, expected),
    }
    # Inner loops first: the copies of them that an outer loop gets are in no plan.
    DispatchWalker(patterns, walk_regions_first=True).rewrite(module)


@dataclass(frozen=True)
class TileASSlicingPass(FunctionPass):
    """Splits loops with the attribute `sliceCount` into slices."""

    name = "tileas-slicing"

    explain: str | None = None
    """The text or `.json` file for a report of the plan."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        plan = plan_slicing(module)
        report = None if self.explain is None else describe_plan(module, plan)
        slice_module(module, plan)
        if report is not None and self.explain is not None:
            write_report(report, self.explain)
