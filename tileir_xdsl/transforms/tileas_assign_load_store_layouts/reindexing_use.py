"""The layouts that a re-indexing op prefers for its operand and its result.

A broadcast, a transposition or a slice moves no element if the layout of its result follows from
that of its operand. Otherwise the smaller of both tiles can be converted: of a broadcast, the
column that is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.ir import Operation

from tileir_xdsl.analysis.access.copy_costs import (
    CopyCost,
    conversion_cost,
    fragment_registers,
    tile_rows,
)
from tileir_xdsl.analysis.layouts.candidates import Candidate, Family, TileLayout, TileUse
from tileir_xdsl.analysis.layouts.transfer import backward, forward
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class ReindexingUse(TileUse):
    """The use of a tile as operand or result ("side") of a re-indexing op, whose other side has a
    layout.
    """

    op: Operation
    operand: int
    is_result: bool
    """Whether this side is the result, and the operand has the layout `known`, or vice versa."""
    known: LinearLayout
    layout: LinearLayout
    """The layout of this side for which no element moves."""
    bits: int
    """The bits of an element on this side."""
    known_bits: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The candidate for which no element moves."""
        candidate = self.in_layout(self.layout)
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        # A buffer is re-indexed by its layout, without this op's help.
        if not isinstance(layout, LinearLayout):
            return "re-indexes its elements in registers"
        costs = [cost for cost in (self._here(layout), self._there(layout)) if cost is not None]
        if not costs:
            return "there is no way to the layout on the other side"
        # Whichever side is cheaper is the one that will be converted.
        cost = min(costs, key=lambda cost: cost.transactions)
        cost = replace(cost, registers=fragment_registers(layout, self.bits))
        return Candidate(self.op.name, layout, Family.LINEAR, cost)

    def _here(self, layout: LinearLayout) -> CopyCost | None:
        """The cost of converting the tile of this side."""
        ends = (self.layout, layout) if self.is_result else (layout, self.layout)
        return _conversion(*ends, self.bits)

    def _there(self, layout: LinearLayout) -> CopyCost | None:
        """The cost of converting the tile of the other side, per row of this side's tile."""
        carry = backward if self.is_result else forward
        other = carry(self.op, layout, self.operand)
        if other is None or other.shape != self.known.shape:
            return None
        ends = (self.known, other) if self.is_result else (other, self.known)
        cost = _conversion(*ends, self.known_bits)
        # Costs are per row, and the sides of a broadcast have different numbers of rows.
        rows = tile_rows(other.shape) / tile_rows(layout.shape)
        return None if cost is None else replace(cost, transactions=cost.transactions * rows)


def _conversion(source: LinearLayout, target: LinearLayout, bits: int) -> CopyCost | None:
    try:
        return conversion_cost(source, target, bits)
    except LayoutError:
        return None
