"""Groups of tiles that must share one layout, because elementwise ops or accesses tie them."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

RESHAPING_OPS = (nv_tileaa.BroadcastOp, nv_tileaa.ViewOp, nv_tileaa.ExtractOp)
"""Ops whose operand has another shape, and so another layout, than their result."""


def tiles_of(op: Operation) -> Iterator[SSAValue]:
    """The tensor operands and results of an op."""
    yield from (value for value in (*op.operands, *op.results) if is_tile(value))


def is_tile(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType)


@dataclass(frozen=True)
class LayoutGroups:
    """A partition of the tiles of one function; a group is named by one of its members."""

    members: DisjointSet[SSAValue]

    def of(self, tile: SSAValue) -> SSAValue:
        """The group of a tile."""
        return self.members.find(tile)


def collect_layout_groups(function: Operation) -> LayoutGroups:
    """Ties the tiles of every op together, except across a change of shape or of layout."""
    tiles = dict.fromkeys(tile for op in function.walk() for tile in tiles_of(op))
    members = DisjointSet(tuple(tiles))
    for op in function.walk():
        if isinstance(op, (*RESHAPING_OPS, nv_tileas.ConvertLayoutOp)):
            continue
        first, *others = tuple(tiles_of(op)) or (None,)
        for other in others:
            if first is not None and tile_shape(first.type).shape == tile_shape(other.type).shape:
                members.union(first, other)
    return LayoutGroups(members)
