"""`tileas-plan-cta`: the thread blocks (CTAs) of a cluster divide the tiles of a tile block.

    %t, %k = nv_tileaa.tiled_load weak %v[%i, %n] : ..<128x64xbf16, ..> -> tensor<128x64xbf16>, ..
    ->
    %r = nv_tileaa.get_cta_id 0 : i32                       // 0 or 1
    %j = %i * 2 + %r
    %t, %k = nv_tileaa.tiled_load weak %w[%j, %n] : ..<64x64xbf16, ..> -> tensor<64x64xbf16>, ..

A tile block of a kernel with `num_ctas` above 1 is executed by so many CTAs. Each has a part of the
rows of all dots, or of the columns, or of both. It also has a part of everything computed from
these, up to the stores; every CTA has all of the rest. So nothing is exchanged but operands that
several CTAs load, which `lower-tma-load-store-to-async` lets one of them load for all.

A kernel may have to stay with one CTA, and the report says why. Reasons are sums along a dimension
to be divided, accesses with an order between CTAs, atomic operations, and other effects that happen
once. Another reason is a target without multicast copies. Fewer CTAs are used than asked for if the
parts would be smaller than an instruction of a warpgroup multiplies.
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
    """The file for a report of the kernels: JSON if its name ends in `.json`, else text."""

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
