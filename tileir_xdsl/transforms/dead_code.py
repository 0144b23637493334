"""Dead code, as xDSL defines it, found in linear time, also for deeply nested ops.

xDSL collects the effects of all nested ops anew for each op. Here results are cached: an op has
effects if a nested op has.
"""

from dataclasses import dataclass, field

from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener, RewritePattern
from xdsl.traits import IsTerminator, MemoryEffect, RecursiveMemoryEffect, SymbolOpInterface
from xdsl.transforms.dead_code_elimination import LiveSet, result_only_effects


@dataclass
class SeenOps:
    """A cache of the ops that have effects ("seen").

    While ops change, only seen ops may be cached. An op that loses its effects is erased by a later
    run.
    """

    keeps_unseen: bool
    _seen: dict[Operation, bool] = field(default_factory=dict[Operation, bool])

    def is_seen(self, op: Operation) -> bool:
        """Whether an op has effects, or is a terminator or a symbol."""
        if op.has_trait(IsTerminator, value_if_unregistered=False) or op.has_trait(
            SymbolOpInterface, value_if_unregistered=False
        ):
            return True
        return self._has_effects(op)

    def is_dead(self, op: Operation) -> bool:
        """Whether an op can be erased: its results are unused, and it has no effects."""
        return all(result.first_use is None for result in op.results) and not self.is_seen(op)

    def _has_effects(self, op: Operation) -> bool:
        if not _is_as_its_regions(op):
            return not result_only_effects(op)
        found = self._seen.get(op)
        if found is None:
            found = any(
                self._has_effects(inner)
                for region in op.regions
                for block in region.blocks
                for inner in block.ops
            )
            if found or self.keeps_unseen:
                self._seen[op] = found
        return found


def _is_as_its_regions(op: Operation) -> bool:
    """Whether an op has the effects of the ops in its regions, and no others."""
    if not op.regions:
        return False
    effects = op.get_traits_of_type(MemoryEffect)
    return len(effects) == 1 and isinstance(effects[0], RecursiveMemoryEffect)


@dataclass
class EraseDead(RewritePattern):
    """Erases dead ops, and applies a pattern to all others."""

    pattern: RewritePattern
    seen: SeenOps = field(default_factory=lambda: SeenOps(keeps_unseen=False))

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if self.seen.is_dead(op):
            rewriter.erase(op)
        else:
            self.pattern.match_and_rewrite(op, rewriter)


@dataclass
class _LiveOps(LiveSet):
    seen: SeenOps = field(default_factory=lambda: SeenOps(keeps_unseen=True))

    def propagate_op_liveness(self, op: Operation) -> None:
        for region in op.regions:
            self.propagate_region_liveness(region)
        if self.is_live(op):
            return
        uses = (use.operation for result in op.results for use in result.uses)
        if self.seen.is_seen(op) or any(map(self.is_live, uses)):
            self.set_live(op)


def erase_dead_ops(region: Region, listener: PatternRewriterListener | None = None) -> bool:
    """Erases the dead ops of a region; returns whether there were any."""
    live = _LiveOps()
    while live.changed:
        live.changed = False
        live.propagate_region_liveness(region)
    live.delete_dead(region, listener)
    return live.changed
