"""`canonicalize` as xDSL has it, with locations kept.

What the patterns and folders of xDSL's own dialects put in an op's place has no location; here it
gets that of the op. `xdsl-opt -p canonicalize` gives the same IR without these locations.
"""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.canonicalize import CanonicalizationRewritePattern, CanonicalizePass
from xdsl.transforms.dead_code_elimination import region_dce


@dataclass
class KeepLocations(RewritePattern):
    """A pattern whose new ops get the location of the matched op, unless they have one already.

    The walker's listener must call `locate`.
    """

    pattern: RewritePattern
    location: LocationAttr = field(default_factory=UnknownLoc, init=False)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        self.location = op.location
        self.pattern.match_and_rewrite(op, rewriter)

    def locate(self, op: Operation) -> None:
        """Puts a new op where the matched one is."""
        # Patterns of ours set locations themselves, which are more exact.
        if isinstance(op.location, UnknownLoc):
            op.location = self.location


class LocatedCanonicalizePass(CanonicalizePass):
    """Applies all canonicalization patterns and folders, and keeps locations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = KeepLocations(
            GreedyRewritePatternApplier(
                [CanonicalizationRewritePattern()], ctx=ctx, folding_enabled=True
            )
        )
        listener = PatternRewriterListener(operation_insertion_handler=[pattern.locate])
        walker = PatternRewriteWalker(pattern, post_walk_func=region_dce, listener=listener)
        walker.rewrite_module(op)
