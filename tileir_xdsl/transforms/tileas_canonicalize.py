"""`tileas-canonicalize`: applies the folds of `nv_tileas` to each function until nothing changes.

The pass has the seven patterns for slices, loops and branches that `canonicalize` has for
`nv_tileas`, and none of other dialects. Conversions and layouts do not change. Unused slices and
allocations in registers are erased. Source: the TileAS notes on folds and memory consistency.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    RewritePattern,
)

from tileir_xdsl.analysis.values.tile_chains import OFFSET_ARITHMETIC
from tileir_xdsl.dialects.nv_tileas.conversions import ViewOp
from tileir_xdsl.dialects.nv_tileas.slices import AllocTensorOp, ExtractSliceOp, InsertSliceOp
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.rewriting import DispatchWalker, PatternTable

from .canonicalization_patterns.nv_tileas import PATTERNS
from .dead_code import EraseDead, SeenOps
from .function_pass import FunctionPass


class EraseUnusedSlice(RewritePattern):
    """Erases an unused slice or allocation in registers, with the arithmetic of its offsets."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if any(result.uses for result in op.results) or memory_of(op.results[0].type) is not None:
            return
        owners = {operand.owner for operand in op.operands}
        rewriter.erase(op)
        pending = [owner for owner in owners if isinstance(owner, OFFSET_ARITHMETIC)]
        while pending:
            index = pending.pop()
            if index.result.uses or index.parent is None:
                continue
            pending += {o.owner for o in index.operands if isinstance(o.owner, OFFSET_ARITHMETIC)}
            rewriter.erase(index)


UNUSED: PatternTable = dict.fromkeys(
    (AllocTensorOp, ExtractSliceOp, InsertSliceOp), EraseUnusedSlice()
)


@dataclass(frozen=True)
class TileASCanonicalizePass(FunctionPass):
    """Applies the canonicalization patterns of `nv_tileas`, and no others."""

    name = "tileas-canonicalize"
    # Branches are changed for slices alone; loops also for other loops.

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        seen = SeenOps(keeps_unseen=False)
        table: dict[type[Operation], RewritePattern] = {
            root: EraseDead(GreedyRewritePatternApplier(list(patterns), dce_enabled=False), seen)
            for root, patterns in PATTERNS.items()
        }
        branches = DispatchWalker({scf.IfOp: table.pop(scf.IfOp)})
        # A view of which slices have been taken is unused, and would be one more reader.
        table[ViewOp] = EraseDead(GreedyRewritePatternApplier([], dce_enabled=False), seen)
        slices = DispatchWalker(table)
        unused = DispatchWalker(UNUSED, walk_regions_first=True, walk_reverse=True)
        for scope in scopes:
            # Slices first: a view of a yielded value is not a slice until the two are exchanged.
            while to_fixed_point(slices, scope) or to_fixed_point(branches, scope):
                pass
            # Users before what they use: chains that nothing is read of go as a whole.
            unused.rewrite(scope)


def to_fixed_point(walker: DispatchWalker, scope: Operation) -> bool:
    """Rewrites until nothing changes; returns whether anything has changed.

    Each change removes an op or a value, so that rewriting terminates.
    """
    changed = False
    while walker.rewrite(scope):
        changed = True
    return changed
