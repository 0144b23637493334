"""Branches that yield values."""

from collections.abc import Callable, Sequence

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

Fill = Callable[[Builder], Sequence[SSAValue]]
"""A function that fills a region, and returns the values to yield."""


def choose(
    builder: Builder,
    condition: SSAValue,
    then: Fill,
    otherwise: Fill,
    location: LocationAttr | None = None,
) -> Sequence[SSAValue]:
    """The results of an `scf.if` with two regions."""
    regions: list[Region] = []
    types: list[Attribute] = []
    for fill in (then, otherwise):
        block = Block()
        inside = Builder(InsertPoint.at_end(block))
        values = fill(inside)
        types = [value.type for value in values]
        inside.insert(scf.YieldOp(*values))
        regions.append(Region(block))
    branch = scf.IfOp(condition, types, regions[0], regions[1])
    if location is not None:
        branch.location = location
    return builder.insert(branch).results
