"""Makes the program of one thread block (CTA) of a cluster out of that of a whole tile block."""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.analysis.values.tile_division import Site, Use, site
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

from .plan import Division, divided_shape

Access = nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp


@dataclass
class Divider:
    """Divides the tiles of one kernel."""

    function: nv_tileaa.FuncOp
    division: Division
    ranges: UnsignedRanges = field(default_factory=UnsignedRanges)
    _cta_ids: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    _views: dict[tuple[SSAValue, tuple[int, ...]], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, tuple[int, ...]], SSAValue]
    )
    _coordinates: dict[tuple[SSAValue, Attribute, int | None], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Attribute, int | None], SSAValue]
    )
    _replaced: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Ops on whole tiles that may have no users left."""

    def divide(self) -> None:
        """Gives every tile the shape of its part, and every access the place of it."""
        self._mark()
        for op in list(self.function.walk()):
            if isinstance(op, nv_tileaa.TiledLoadOp):
                self._divide_access(op, op.tile)
            elif isinstance(op, nv_tileaa.TiledStoreOp):
                self._divide_access(op, site(op, list(op.operands).index(op.tile)))
        tiles = list(self.division.sites())
        for tile in tiles:
            # First the tiles made anew: they read the types of whole tiles.
            if isinstance(tile, Use):
                self._make_anew(tile)
        for tile in tiles:
            if not isinstance(tile, Use):
                Rewriter.replace_value_with_new_type(tile, self._type(tile, tile.type))
        for op in self._replaced:
            if not any(result.uses for result in op.results):
                Rewriter.erase_op(op)

    def _mark(self) -> None:
        """Says on the kernel how many CTAs execute a tile block."""
        spec, shape = self.function.kernel_spec, self.division.shape
        assert spec is not None
        self.function.kernel_spec = KernelSpecAttr(
            spec.num_warps.data, shape[0] * shape[1], getattr(spec.occupancy, "data", None)
        )
        self.function.attributes[CLUSTER_ATTRIBUTE] = DenseArrayBase.from_list(i32, shape)

    def _type(self, tile: Site, type: Attribute) -> Attribute:
        return tile_type(divided_shape(tile, self.division), tile_shape(type).element)

    # Accesses

    def _divide_access(self, op: Access, tile: Site) -> None:
        """Lets an access of a view take its part: a smaller tile, of which there are more."""
        parts = self.division.parts(tile)
        if not parts:
            return
        position = list(op.operands).index(op.view)
        op.operands[position] = self._view(op.view, divided_shape(tile, self.division))
        type = self._coordinate_type(op, tile)
        axes = dict(parts)
        first = list(op.operands).index(op.coords[0])
        for dim, coordinate in enumerate(list(op.coords)):
            op.operands[first + dim] = self._coordinate(coordinate, type, axes.get(dim))

    def _view(self, view: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        """The view of the same object with smaller tiles."""
        cut = view.owner
        assert isinstance(cut, nv_tileaa.BlockTileOp)
        self._replaced[cut] = None
        if (view, shape) not in self._views:
            new = nv_tileaa.BlockTileOp(cut.source, shape, cut.get_dim_groups())
            self._insert_after(view, new)
            self._views[view, shape] = new.result
        return self._views[view, shape]

    def _coordinate_type(self, op: Access, tile: Site) -> IntegerType:
        """A type in which no coordinate of a part wraps around, as long as it names one."""
        parts = self.division.parts(tile)
        largest = [self.ranges.largest(op.coords[dim]) for dim, _ in parts]
        counts = [self.division.shape[axis] for _, axis in parts]
        return coordinate_type(op.coords[0].type, largest, counts)

    def _coordinate(self, coordinate: SSAValue, type: IntegerType, axis: int | None) -> SSAValue:
        """The coordinate of a part: `coordinate * parts + part`; of a whole tile, itself."""
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
            count, part = self.division.shape[axis], self._cta_id(axis)
            ops = part_of_coordinate(coordinate, type, count, part)
        self._insert_after(coordinate, *ops)
        return ops[-1].results[0]

    def _cta_id(self, axis: int) -> SSAValue:
        """The place of the CTA along an axis of the cluster."""
        if axis not in self._cta_ids:
            op = nv_tileaa.GetCtaIdOp(axis)
            op.result.name_hint = ("cta_row", "cta_column")[axis]
            Rewriter.insert_op(op, InsertPoint.at_start(self.function.body.block))
            self._cta_ids[axis] = op.result
        return self._cta_ids[axis]

    def _insert_after(self, value: SSAValue, *ops: Operation) -> None:
        """Inserts ops where a value, and the place of the CTA, are known first."""
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

    # Tiles that are made anew

    def _make_anew(self, use: Use) -> None:
        """Makes the part of a splat or a range for one of its uses."""
        value = use.op.operands[use.index]
        type, owner = self._type(use, value.type), value.owner
        assert isinstance(owner, Operation)
        self._replaced[owner] = None
        if isinstance(owner, nv_tileaa.MakeRangeOp):
            ((_, axis),) = self.division.parts(use)
            ops = part_of_range(owner, type, self._cta_id(axis))
        else:
            ops = part_of_uniform(owner, type)
        for op in ops:
            op.location = owner.location
        Rewriter.insert_op(ops, InsertPoint.before(use.op))
        use.op.operands[use.index] = ops[-1].results[0]
