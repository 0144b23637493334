"""`tileas-canonicalize`: the folds of `nv_tileas` on the road, each function until nothing changes.

These are the seven patterns of slices, loops and branches that `canonicalize` has for the dialect,
without the folds and patterns of all others: conversions and layouts are decided, and stay. Source:
the TileAS notes on folds and memory consistency.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import GreedyRewritePatternApplier

from tileir_xdsl.dialects.nv_tileas.slices import ExtractSliceOp, InsertSliceOp
from tileir_xdsl.rewriting import DispatchWalker, PatternTable

from .canonicalization_patterns.nv_tileas import PATTERNS
from .function_pass import FunctionPass, names_of


@dataclass(frozen=True)
class TileASCanonicalizePass(FunctionPass):
    """Applies the canonicalization patterns of `nv_tileas`, and no others."""

    name = "tileas-canonicalize"
    # Branches are changed for slices alone; loops also for other loops.
    op_names = names_of(ExtractSliceOp, InsertSliceOp, scf.ForOp)

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        table: PatternTable = {
            root: GreedyRewritePatternApplier(list(patterns)) for root, patterns in PATTERNS.items()
        }
        walker = DispatchWalker(table)
        for scope in scopes:
            # One pattern makes what another takes; each removes a loop, a value or a slice.
            while walker.rewrite(scope):
                pass
