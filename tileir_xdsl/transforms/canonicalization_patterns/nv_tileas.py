"""Seven patterns of `canonicalize` for `nv_tileas`, on slices, views, loops and branches.

The patterns rewrite only ops that shape tiles, never ops with a memory order. The removal of layout
conversions is a separate pass, which knows the target. Source: the TileAS notes on folds and memory
consistency.
"""

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from tileir_xdsl.dialects.nv_tileas.slices import ExtractSliceOp

from . import attach
from .nv_tileas_branches import DecomposeIfByExtractSlice, DecomposeIfByInsertSlice
from .nv_tileas_loops import CoalescePerfectlyNestedLoops, DecomposeLoopIterArgs
from .nv_tileas_slices import (
    SimplifyExtractFromInsert,
    SimplifyExtractSlice,
    SwapViewAndExtractSlice,
)

PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    ExtractSliceOp: (
        # First, as it removes a slice that the others would only rewrite.
        SimplifyExtractFromInsert(),
        SwapViewAndExtractSlice(),
        SimplifyExtractSlice(),
    ),
    scf.ForOp: (DecomposeLoopIterArgs(), CoalescePerfectlyNestedLoops()),
    scf.IfOp: (DecomposeIfByExtractSlice(), DecomposeIfByInsertSlice()),
}
"""The patterns by the op that each matches, in order of application."""


@dataclass(frozen=True)
class SlicePatterns(HasCanonicalizationPatternsTrait):
    """The patterns of slices."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[ExtractSliceOp]


@dataclass(frozen=True)
class LoopPatterns(HasCanonicalizationPatternsTrait):
    """The patterns of loops; they apply only to loops with ops of the dialect."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[scf.ForOp]


@dataclass(frozen=True)
class BranchPatterns(HasCanonicalizationPatternsTrait):
    """The patterns of branches; they apply only to branches with ops of the dialect."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[scf.IfOp]


def attach_patterns() -> None:
    """Makes `canonicalize` find the patterns, including those of `scf` ops.

    A dialect imports no transforms, so its ops cannot name the patterns themselves.
    """
    attach(ExtractSliceOp, SlicePatterns())
    scf.ForOp.traits.add_trait(LoopPatterns())
    scf.IfOp.traits.add_trait(BranchPatterns())
