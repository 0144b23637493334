"""Groups of tiles that share one layout: elementwise ops, accesses and control flow tie them.

Groups are separated by ops that re-index tiles, and by ops that require an operand in a layout of
its own, such as dots.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface, TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.layout.cute import is_power_of_two
from tileir_xdsl.walking import ops_in

REINDEXING_OPS = (
    nv_tileaa.BroadcastOp,
    nv_tileaa.CatOp,
    nv_tileaa.ExpandDimsOp,
    nv_tileaa.ExtractOp,
    nv_tileas.ExtractSliceOp,
    nv_tileas.ReinterpretOp,
    BufferViewOpInterface,
    ReductionOp,
)
"""Ops whose result has other elements at the same index, and so another layout, than operands."""

CONTROL_FLOW = (
    nv_tileaa.AgentLikeOpInterface,
    nv_tileaa.ReturnOp,
    nv_tileas.PragmaOp,
    nv_tileas.YieldOp,
    PipelineYieldOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
"""Ops that forward tiles, without tying different tiles together."""


UNTIED = (
    *CONTROL_FLOW,
    *REINDEXING_OPS,
    ContractionOpInterface,
    TileMoveOpInterface,
    nv_tileas.FutureWaitOp,
    nv_tileas.InsertSliceOp,
)
"""Ops that do not tie all their tiles together."""


@cache
def is_kind(op: type[Operation], kinds: tuple[type[Operation], ...]) -> bool:
    """`issubclass(op, kinds)`, cached for each class."""
    return issubclass(op, kinds)


def tiles_of(op: Operation) -> Iterator[SSAValue]:
    """The tensor operands and results of an op."""
    yield from (value for value in (*op.operands, *op.results) if is_tile(value))


def tile_arguments(op: Operation) -> Iterator[SSAValue]:
    """The tensor arguments of the blocks of an op."""
    for region in op.regions:
        for block in region.blocks:
            yield from filter(is_tile, block.args)


def is_tile(value: SSAValue) -> bool:
    """Whether a value is a tile in registers, or an asynchronous tile; false for a buffer."""
    # Asked for so often that classes are compared; all of them are final.
    type = awaited(value.type)
    if type.__class__ is not TensorType:
        return False
    return cast(TensorType[Attribute], type).encoding.__class__ is not nv_tileas.MemoryAttr


def is_layoutable(tile: SSAValue) -> bool:
    """Whether a tile can have a linear layout: its extents are powers of two."""
    return all(map(is_power_of_two, shape_of(tile)))


def awaited(type: Attribute) -> Attribute:
    """The payload of an asynchronous type; any other type itself."""
    return type.payload if type.__class__ is ValueType and isinstance(type, ValueType) else type


def shape_of(tile: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    return tile_shape(awaited(tile.type)).shape


def is_mma_result(value: SSAValue) -> bool:
    """Whether a value is the result of an asynchronous MMA."""
    return issues_mma(value.owner)


def forwarded(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values that an op forwards, each with the value that it becomes."""
    if not op.regions:
        return
    yield from forwarded_values(op)
    match op:
        case nv_tileas.PragmaOp() if op.body.block.last_op is not None:
            yield from zip(op.body.block.last_op.operands, op.results, strict=True)
        case ProduceOp() | ConsumeOp() if op.body.block.last_op is not None:
            values = op.results[len(op.TOKENS) :]
            yield from zip(op.body.block.last_op.operands, values, strict=False)
        case _:
            pass


def tied_tiles(op: Operation) -> Sequence[Sequence[SSAValue]]:
    """The tiles of an op that must have one layout, set by set; shapes may still differ."""
    if not is_kind(type(op), UNTIED):
        return (tuple(tiles_of(op)),)
    match op:
        case nv_tileas.FutureWaitOp() if not is_mma_result(op.operands[0]):
            return (tuple(tiles_of(op)),)
        case ContractionOpInterface() if not op.IS_ASYNCHRONOUS:
            return (tuple(filter(is_tile, (op.c, *op.results))),)
        case ReductionOp():
            return tuple(tuple(filter(is_tile, tiles)) for tiles in (op.operands, op.results))
        case nv_tileas.InsertSliceOp():
            return (tuple(filter(is_tile, (op.destination, op.result))),)
        case _:
            return ()


@dataclass(frozen=True)
class LayoutGroups:
    """A partition of the tiles of one function; a group is named by one of its members."""

    members: DisjointSet[SSAValue]
    _found: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def of(self, tile: SSAValue) -> SSAValue:
        """The group of a tile."""
        group = self._found.get(tile)
        if group is None:
            group = self._found[tile] = self.members.find(tile)
        return group


def collect_layout_groups(function: Operation) -> LayoutGroups:
    """Ties the tiles of every op together, except across a change of shape or of layout.

    Values that control flow forwards keep their layout.
    """
    ops = ops_in(function)
    tiles = {tile: None for op in ops for tile in (*tiles_of(op), *tile_arguments(op))}
    members = DisjointSet(tuple(tiles))
    for op in ops:
        for source, target in forwarded(op):
            if is_tile(source):
                members.union(source, target)
        for tied in tied_tiles(op):
            by_shape: dict[tuple[int, ...], SSAValue] = {}
            for tile in tied:
                first = by_shape.setdefault(shape_of(tile), tile)
                if first is not tile:
                    members.union(first, tile)
    return LayoutGroups(members)
