"""Patterns of `canonicalize` for `nv_tileas`: seven, on slices, views, loops and branches.

They only touch ops that shape tiles, never one whose order matters. Removing conversions of layouts
is a pass of its own, which knows the target. Source: the TileAS notes on folds and memory
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
"""The patterns by the ops that they match, in the order in which they are tried."""


@dataclass(frozen=True)
class SlicePatterns(HasCanonicalizationPatternsTrait):
    """The patterns of slices."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[ExtractSliceOp]


@dataclass(frozen=True)
class LoopPatterns(HasCanonicalizationPatternsTrait):
    """The patterns of loops, which do nothing without ops of the dialect."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[scf.ForOp]


@dataclass(frozen=True)
class BranchPatterns(HasCanonicalizationPatternsTrait):
    """The patterns of branches, which do nothing without ops of the dialect."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return PATTERNS[scf.IfOp]


def attach_patterns() -> None:
    """Lets `canonicalize` find the patterns, those of `scf` ops too.

    A dialect imports no transforms, so its ops cannot name the patterns themselves.
    """
    attach(ExtractSliceOp, SlicePatterns())
    scf.ForOp.traits.add_trait(LoopPatterns())
    scf.IfOp.traits.add_trait(BranchPatterns())
