"""`tileas-plan-cta`: the thread blocks (CTAs) of a cluster divide the tiles of a tile block.

    %t, %k = nv_tileaa.tiled_load weak %v[%i, %n] : ..<128x64xbf16, ..> -> tensor<128x64xbf16>, ..
    ->
    %r = nv_tileaa.get_cta_id 0 : i32                       // 0 or 1
    %j = %i * 2 + %r
    %t, %k = nv_tileaa.tiled_load weak %w[%j, %n] : ..<64x64xbf16, ..> -> tensor<64x64xbf16>, ..

`num_ctas` CTAs execute a tile block of a kernel. Each CTA computes part of the rows of all dots, of
the columns, or of both, and the same part of dependent tiles. Every CTA computes all other tiles.
CTAs exchange nothing but operands that several of them need, which `lower-tma-load-store-to-async`
loads by multicast.

If a kernel cannot be divided, one CTA executes it, and the report gives the reason. Reasons are
reductions along a divided dimension, accesses that must be ordered between CTAs, effects that must
happen once, or a target without multicast copies. Fewer CTAs than requested are used if parts would
be smaller than the shape of a warpgroup's MMA.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.core import clusters_asked_for
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class TileASPlanCTAPass(ModulePass):
    """Divides the tiles of kernels among the thread blocks of clusters."""

    name = "tileas-plan-cta"

    explain: str | None = None
    """The text or `.json` file for a report of the kernels."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        report = Report(self.name)
        functions = [function for function in ops_in(op) if isinstance(function, nv_tileaa.FuncOp)]
        for function in functions:
            if (clusters := clusters_asked_for(function)) > 1:
                # Most kernels ask for none.
                from .division import divide

                divide(function, clusters, report)
        if self.explain is not None:
            write_report(report, self.explain)
