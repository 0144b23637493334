"""xDSL's `canonicalize`, which also preserves locations.

Patterns and folders of xDSL's own dialects create ops without locations; this pass sets the
location of the matched op. `xdsl-opt -p canonicalize` gives the same IR without these locations.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.transforms.canonicalize import CanonicalizePass

from tileir_xdsl.rewriting import VisitedOps

from .dead_code import EraseDead, erase_dead_ops


@dataclass
class KeepLocations(RewritePattern):
    """Wraps a pattern: its new ops get the matched op's location, unless they have one.

    The walker's listener must call `locate`.
    """

    pattern: RewritePattern
    location: LocationAttr = field(default_factory=UnknownLoc, init=False)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.location = op.location
        self.pattern.match_and_rewrite(op, rewriter)

    def locate(self, op: Operation) -> None:
        """Gives a new op the location of the matched op."""
        # Patterns of ours set locations themselves, which are more exact.
        if isinstance(op.location, UnknownLoc):
            op.location = self.location


class AttachedPatterns(RewritePattern):
    """Applies the patterns of an op's traits, without checking for dead code before each
    pattern.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        traits = op.get_traits_of_type(HasCanonicalizationPatternsTrait)
        for pattern in (p for trait in traits for p in trait.get_patterns(type(op))):
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


class LocatedCanonicalizePass(CanonicalizePass):
    """Applies all canonicalization patterns and folders, and preserves locations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = KeepLocations(
            EraseDead(
                GreedyRewritePatternApplier(
                    [AttachedPatterns()], ctx=ctx, folding_enabled=True, dce_enabled=False
                )
            )
        )
        listener = PatternRewriterListener(operation_insertion_handler=[pattern.locate])

        def erase_dead(_visited: Region, listener: PatternRewriterListener) -> bool:
            return erase_dead_ops(op.body, listener)

        walker = PatternRewriteWalker(pattern, post_walk_func=erase_dead, listener=listener)
        # The op around the module's region is not visited.
        walker.rewrite_region(VisitedOps(op, lambda inner: inner is not op))
