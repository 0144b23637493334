"""Rewrites the program of a whole tile block to that of one CTA of a cluster."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.threads.cluster_shapes import Shape
from tileir_xdsl.analysis.values.tile_division import Site, Use, stored_site
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.builders.tile_parts import (
    coordinate_type,
    part_of_coordinate,
    part_of_range,
    part_of_uniform,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.launch_attributes import CLUSTER_ATTRIBUTE
from tileir_xdsl.dialects.nv_tileaa.attributes import KernelSpecAttr
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.rewriting import DispatchWalker

from .plan import Division, divided_shape

TiledLoadOrStore = nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp


@dataclass(frozen=True)
class SetClusterShape(RewritePattern):
    """Sets the number of CTAs per tile block, and the shape of the cluster, on a kernel."""

    shape: Shape | None

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        spec, count = op.kernel_spec, 1 if self.shape is None else prod(self.shape)
        assert spec is not None
        op.kernel_spec = KernelSpecAttr(
            spec.num_warps.data, count, getattr(spec.occupancy, "data", None)
        )
        if self.shape is not None:
            op.attributes[CLUSTER_ATTRIBUTE] = DenseArrayBase.from_list(i32, self.shape)
        rewriter.notify_op_modified(op)


@dataclass
class Parts:
    """Views, coordinates and CTA indices that locate the parts of a CTA, made on first use."""

    function: nv_tileaa.FuncOp
    division: Division
    ranges: UnsignedRanges = field(default_factory=UnsignedRanges)
    replaced: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Ops on whole tiles that may have no users left."""
    _cta_ids: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    _views: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, tuple[int, ...]], SSAValue]
    )
    _coordinates: dict[tuple[SSAValue, Attribute, int | None], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Attribute, int | None], SSAValue]
    )

    def type(self, tile: Site, type: Attribute) -> Attribute:
        """The type of the part of a tile."""
        return tile_type(divided_shape(tile, self.division), tile_shape(type).element)

    def view(self, view: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        """A view of the same object with smaller tiles."""
        cut = view.owner
        assert isinstance(cut, nv_tileaa.BlockTileOp)
        # Other accesses may still use the whole view, so it is erased only if unused in the end.
        self.replaced[cut] = None
        if (view, shape) not in self._views:
            new = cut.with_smaller_tiles(shape)
            self._insert_after(view, new)
            self._views[view, shape] = new.result
        return self._views[view, shape]

    def coordinate_type(self, op: TiledLoadOrStore, tile: Site) -> IntegerType:
        """A type in which coordinates of existing parts do not wrap around."""
        parts = self.division.parts(tile)
        largest = [self.ranges.of(op.coords[dim]) for dim, _ in parts]
        counts = [self.division.shape[axis] for _, axis in parts]
        return coordinate_type(op.coords[0].type, largest, counts)

    def coordinate(self, coordinate: SSAValue, type: IntegerType, axis: int | None) -> SSAValue:
        """The coordinate of a part, `coordinate * parts + part`; unchanged for an undivided
        dimension.
        """
        # Those of whole tiles too, as all coordinates of an access have one type.
        if axis is None and coordinate.type == type:
            return coordinate
        key = (coordinate, type, axis)
        if key not in self._coordinates:
            self._coordinates[key] = self._new_coordinate(coordinate, type, axis)
        return self._coordinates[key]

    def _new_coordinate(
        self, coordinate: SSAValue, type: IntegerType, axis: int | None
    ) -> SSAValue:
        if axis is None:
            ops = part_of_coordinate(coordinate, type)
        else:
            count, part = self.division.shape[axis], self.cta_id(axis)
            ops = part_of_coordinate(coordinate, type, count, part)
        self._insert_after(coordinate, *ops)
        return ops[-1].results[0]

    def cta_id(self, axis: int) -> SSAValue:
        """The index of the CTA along an axis of the cluster."""
        if axis not in self._cta_ids:
            op = nv_tileaa.GetCtaIdOp(axis)
            op.result.name_hint = ("cta_row", "cta_column")[axis]
            Rewriter.insert_op(op, InsertPoint.at_start(self.function.body.block))
            self._cta_ids[axis] = op.result
        return self._cta_ids[axis]

    def _insert_after(self, value: SSAValue, *ops: Operation) -> None:
        """Inserts ops right after the definition of a value, and after the indices of the CTA."""
        owner = value.owner
        if isinstance(owner, Operation):
            point = InsertPoint.after(owner)
            for op in ops:
                op.location = owner.location
        elif owner is self.function.body.block and self._cta_ids:
            # Each was inserted before those that were there.
            last = next(iter(self._cta_ids.values())).owner
            assert isinstance(last, Operation)
            point = InsertPoint.after(last)
        else:
            point = InsertPoint.at_start(owner)
        Rewriter.insert_op(ops, point)


@dataclass(frozen=True)
class DivideAccess(RewritePattern):
    """Makes an access of a view access its part: one of several smaller tiles."""

    parts: Parts

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, TiledLoadOrStore)
        division = self.parts.division
        if isinstance(op, nv_tileaa.TiledLoadOp):
            tile: Site = op.tile
        else:
            tile = stored_site(op)
        axes = dict(division.parts(tile))
        if not axes:
            return
        position = list(op.operands).index(op.view)
        op.operands[position] = self.parts.view(op.view, divided_shape(tile, division))
        type = self.parts.coordinate_type(op, tile)
        first = list(op.operands).index(op.coords[0])
        for dim, coordinate in enumerate(list(op.coords)):
            op.operands[first + dim] = self.parts.coordinate(coordinate, type, axes.get(dim))
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class MakeAnew(RewritePattern):
    """Creates the part of a splat or a range for each use by an op."""

    parts: Parts
    uses: Mapping[Operation, Sequence[Use]]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for use in self.uses.get(op, ()):
            value = op.operands[use.index]
            type, owner = self.parts.type(use, value.type), value.owner
            assert isinstance(owner, Operation)
            self.parts.replaced[owner] = None
            if isinstance(owner, nv_tileaa.MakeRangeOp):
                ((_, axis),) = self.parts.division.parts(use)
                ops = part_of_range(owner, type, self.parts.cta_id(axis))
            else:
                ops = part_of_uniform(owner, type)
            for new in ops:
                new.location = owner.location
            rewriter.insert(ops, InsertPoint.before(op))
            op.operands[use.index] = ops[-1].results[0]


@dataclass(frozen=True)
class GivePartType(RewritePattern):
    """Changes the types of divided results and block arguments of an op to those of the parts."""

    parts: Parts
    tiles: frozenset[SSAValue]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        arguments = (a for region in op.regions for block in region.blocks for a in block.args)
        for tile in (*op.results, *arguments):
            if tile in self.tiles:
                rewriter.replace_value_with_new_type(tile, self.parts.type(tile, tile.type))


@dataclass(frozen=True)
class EraseReplaced(RewritePattern):
    """Erases an op on a whole tile without users."""

    replaced: Container[Operation]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        # A whole tile may still have users that are not divided.
        if op in self.replaced and not any(result.uses for result in op.results):
            rewriter.erase(op)


def execute(function: nv_tileaa.FuncOp, division: Division) -> None:
    """Changes every divided tile to the shape of its part, and every access to the coordinates of
    the part.
    """
    parts = Parts(function, division)
    uses: dict[Operation, list[Use]] = {}
    tiles: list[SSAValue] = []
    for tile in division.sites():
        if isinstance(tile, Use):
            uses.setdefault(tile.op, []).append(tile)
        else:
            tiles.append(tile)
    owners = [owner for tile in tiles if (owner := owner_of(tile)) is not None]
    access = DivideAccess(parts)
    DispatchWalker({nv_tileaa.FuncOp: SetClusterShape(division.shape)}).rewrite(function)
    DispatchWalker(dict.fromkeys((nv_tileaa.TiledLoadOp, nv_tileaa.TiledStoreOp), access)).rewrite(
        function
    )
    # Before the types change: parts that are made anew read those of whole tiles.
    DispatchWalker(dict.fromkeys(map(type, uses), MakeAnew(parts, uses))).rewrite(function)
    part_type = GivePartType(parts, frozenset(tiles))
    DispatchWalker(dict.fromkeys(map(type, owners), part_type)).rewrite(function)
    erase = EraseReplaced(parts.replaced)
    DispatchWalker(dict.fromkeys(map(type, parts.replaced), erase)).rewrite(function)


def owner_of(value: SSAValue) -> Operation | None:
    """The op that defines a value, or the op around the block with the argument."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()
