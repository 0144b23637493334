"""Groups of tiles that share one layout: elementwise ops, accesses and control flow tie them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tileir_xdsl.analysis.region_flow import forwarded_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

RESHAPING_OPS = (nv_tileaa.BroadcastOp, nv_tileas.ViewOp, nv_tileaa.ExtractOp)
"""Ops whose operand has another shape, and so another layout, than their result."""

CONTROL_FLOW = (scf.ConditionOp, scf.ForOp, scf.IfOp, scf.WhileOp, scf.YieldOp, nv_tileaa.ReturnOp)
"""Ops that hand tiles on, without relating one of them to another."""


def tiles_of(op: Operation) -> Iterator[SSAValue]:
    """The tensor operands and results of an op."""
    yield from (value for value in (*op.operands, *op.results) if is_tile(value))


def tile_arguments(op: Operation) -> Iterator[SSAValue]:
    """The tensor arguments of the blocks of an op."""
    for region in op.regions:
        for block in region.blocks:
            yield from filter(is_tile, block.args)


def is_tile(value: SSAValue) -> bool:
    """Whether a value is a tile in registers, or one that is waited for; a buffer is none."""
    type = awaited(value.type)
    return isinstance(type, TensorType) and not isinstance(type.encoding, nv_tileas.MemoryAttr)


def is_reshape(op: Operation) -> TypeGuard[nv_tileaa.BroadcastOp | nv_tileas.ViewOp]:
    """Whether an op is another look at a tile in registers."""
    if isinstance(op, nv_tileas.ViewOp):
        return is_tile(op.source) and is_tile(op.result)
    return isinstance(op, nv_tileaa.BroadcastOp)


def awaited(type: Attribute) -> Attribute:
    """The type of an asynchronous value once it is there; any other type itself."""
    return type.payload if isinstance(type, ValueType) else type


def shape_of(tile: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    return tile_shape(awaited(tile.type)).shape


@dataclass(frozen=True)
class LayoutGroups:
    """A partition of the tiles of one function; a group is named by one of its members."""

    members: DisjointSet[SSAValue]

    def of(self, tile: SSAValue) -> SSAValue:
        """The group of a tile."""
        return self.members.find(tile)


def collect_layout_groups(function: Operation) -> LayoutGroups:
    """Ties the tiles of every op together, except across a change of shape or of layout.

    What control flow hands on stays where it is.
    """
    tiles = {tile: None for op in function.walk() for tile in (*tiles_of(op), *tile_arguments(op))}
    members = DisjointSet(tuple(tiles))
    for op in function.walk():
        for source, target in forwarded_values(op):
            if is_tile(source):
                members.union(source, target)
        if isinstance(op, (*RESHAPING_OPS, *CONTROL_FLOW, nv_tileas.ConvertLayoutOp)):
            continue
        first, *others = tuple(tiles_of(op)) or (None,)
        for other in others:
            if first is not None and shape_of(first) == shape_of(other):
                members.union(first, other)
    return LayoutGroups(members)
