"""Patterns of `canonicalize` for `nv_tileaa`, for use before layouts are assigned.

Result types never change and tokens are always rewired. All patterns run together, as reshape
patterns expose constant masks and offsets to the memory patterns.
"""

from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait

from . import (
    attach,
    nv_tileaa_conversions,
    nv_tileaa_matrix,
    nv_tileaa_memory,
    nv_tileaa_regions,
    nv_tileaa_shapes,
)

PATTERNS: dict[type[Operation], tuple[RewritePattern, ...]] = {
    **nv_tileaa_conversions.PATTERNS,
    **nv_tileaa_matrix.PATTERNS,
    **nv_tileaa_memory.PATTERNS,
    **nv_tileaa_regions.PATTERNS,
    **nv_tileaa_shapes.PATTERNS,
}
"""The patterns by the op that each matches."""


@dataclass(frozen=True)
class TileAAPatterns(HasCanonicalizationPatternsTrait):
    """The patterns of one op of the dialect."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return PATTERNS[op]

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return tuple(pattern for patterns in PATTERNS.values() for pattern in patterns)


def attach_patterns() -> None:
    """Makes `canonicalize` find the patterns.

    A dialect imports no transforms, so its ops cannot name the patterns themselves.
    """
    for op in PATTERNS:
        attach(op, TileAAPatterns())
