"""`tileas-plan-cta`: the thread blocks (CTAs) of a cluster divide the tiles of a tile block.

    %t, %k = nv_tileaa.tiled_load weak %v[%i, %n] : ..<128x64xbf16, ..> -> tensor<128x64xbf16>, ..
    ->
    %r = nv_tileaa.get_cta_id 0 : i32                       // 0 or 1
    %j = %i * 2 + %r
    %t, %k = nv_tileaa.tiled_load weak %w[%j, %n] : ..<64x64xbf16, ..> -> tensor<64x64xbf16>, ..

A tile block of a kernel with `num_ctas` above 1 is executed by so many CTAs. Each has a part of
the rows of all dots, or of the columns, or of both, and of whatever is computed from these, up
to the stores; what is not divided every CTA has for itself. So nothing is exchanged but operands
that several CTAs load, which `lower-tma-load-store-to-async` lets one of them load for all.

A kernel stays with one CTA, and the report says why, where that is not possible: tiles that need
sums along what would be divided, accesses whose order would have to hold between CTAs, atomic
operations, other effects that happen once, and targets without multicast copies. Fewer CTAs are
used than asked for if the parts would be smaller than an instruction of a warpgroup multiplies.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.launch_attributes import CLUSTER_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import target_around as module_target
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker

from .plan import Division, plan
from .rewrite import SetClusterShape, carry_out

__all__ = ["Division", "TileASPlanCTAPass", "plan"]


@dataclass(frozen=True)
class TileASPlanCTAPass(ModulePass):
    """Divides the tiles of kernels among the thread blocks of clusters."""

    name = "tileas-plan-cta"

    explain: str | None = None
    """The file for a report of the kernels: JSON if its name ends in `.json`, else text."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        for function in op.walk():
            if isinstance(function, nv_tileaa.FuncOp):
                plan_function(function, report)
        if self.explain is not None:
            write_report(report, self.explain)


def plan_function(function: nv_tileaa.FuncOp, report: Report) -> None:
    """Divides one kernel that asks for it, and has none yet."""
    spec = function.kernel_spec
    if spec is None or spec.num_ctas.data == 1 or CLUSTER_ATTRIBUTE in function.attributes:
        return
    name, target = function.sym_name.data, module_target(function)
    # Every CTA would load all of the shared operand itself: smaller tiles, and nothing saved.
    if target is not None and not target.copies_to_clusters:
        found = f"{target.name} does not load for several thread blocks at once"
    else:
        found = plan(function, spec.num_ctas.data)
    if isinstance(found, str):
        report.add(name, remark=f"{found}: the kernel runs without clusters")
        DispatchWalker({nv_tileaa.FuncOp: SetClusterShape(None)}).rewrite(function)
        return
    rows, columns = found.shape
    report.add(name, parts_of_rows=rows, parts_of_columns=columns)
    carry_out(function, found)
