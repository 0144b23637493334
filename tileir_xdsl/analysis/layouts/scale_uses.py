"""Block scales that a dot of a warp loads from shared memory to its registers itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tileir_xdsl.analysis.layouts.candidates import Candidate, TileLayout
from tileir_xdsl.analysis.layouts.tile_uses import SharedUse
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class ScaleUse(SharedUse):
    """A load of a buffer in shared memory, in the layout that an instruction reads.

    In any other layout the scales would go through shared memory again.
    """

    wanted: LinearLayout = field(kw_only=True)

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layout of the instruction."""
        candidate = self.in_layout(self.wanted)
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, LinearLayout) and layout != self.wanted:
            return "the dot loads its scales as its instruction reads them"
        return super().in_layout(layout)
