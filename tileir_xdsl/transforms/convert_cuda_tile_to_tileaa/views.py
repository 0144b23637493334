"""Converts views to memory objects with tiled views, and the accesses of their tiles."""

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.enums import MultimemReduction, MultimemReductionAttr
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import MemoryOperation
from tileir_xdsl.dialects.cuda_tile.view_types import TileView
from tileir_xdsl.dialects.cuda_tile.views import MakeViewOperation
from tileir_xdsl.dialects.enumerations import PaddingValue, RMWMode
from tileir_xdsl.dialects.nv_tileaa.attributes import PaddingValueAttr, RMWModeAttr
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import hint_properties, memory_order
from .patterns import ConvertOp, Replacement, build
from .types import convert_tensor_view
from .unsigned_floats import CODE, NAN, is_unsigned_float


class ConvertMakeTensorView(ConvertOp[cuda_tile.MakeTensorViewOp]):
    """Creates a memory object from pointer, sizes and strides."""

    def convert(self, op: cuda_tile.MakeTensorViewOp) -> Operation:
        result_type = convert_tensor_view(op.result.type)
        assert result_type is not None
        return nv_tileaa.MakeMemRefOp(
            self.conversion.value(op.base),
            self.conversion.values(op.dynamic_shape),
            self.conversion.values(op.dynamic_strides),
            result_type,
        )


class ConvertMakePartitionView(ConvertOp[cuda_tile.MakePartitionViewOp]):
    """Tile dimension i corresponds to dimension `dim_map[i]` of the memory object."""

    def convert(self, op: cuda_tile.MakePartitionViewOp) -> Operation:
        view = op.result.type
        assert isinstance(view, cuda_tile.PartitionViewType)
        return nv_tileaa.BlockTileOp(
            self.conversion.value(op.tensor_view),
            view.get_tile_shape(),
            [(dim,) for dim in view.get_dim_map()],
        )


class ConvertMakeStridedView(ConvertOp[cuda_tile.MakeStridedViewOp]):
    """Creates tiles that start `traversal_strides` elements apart, and so may overlap or leave
    gaps.
    """

    def convert(self, op: cuda_tile.MakeStridedViewOp) -> Operation:
        view = op.result.type
        assert isinstance(view, cuda_tile.StridedViewType)
        return nv_tileaa.BlockTileOp(
            self.conversion.value(op.tensor_view),
            view.get_tile_shape(),
            [(dim,) for dim in view.get_dim_map()],
            tile_strides=view.get_traversal_strides(),
        )


class ConvertMakeGatherScatterView(ConvertOp[cuda_tile.MakeGatherScatterViewOp]):
    """Creates a tile at every element; each access names the dimension along which it gathers."""

    def convert(self, op: cuda_tile.MakeGatherScatterViewOp) -> Operation:
        view = op.result.type
        assert isinstance(view, cuda_tile.GatherScatterViewType)
        shape = view.get_tile_shape()
        return nv_tileaa.BlockTileOp(
            self.conversion.value(op.tensor_view),
            shape,
            [(dim,) for dim in range(len(shape))],
            # Indices of a gather are elements and not tiles, so that tiles start at every element.
            tile_strides=[1] * len(shape),
        )


class ConvertGetTensorShape(ConvertOp[cuda_tile.GetTensorShapeOp]):
    def convert(self, op: cuda_tile.GetTensorShapeOp) -> Replacement:
        source = self.conversion.value(op.src)
        sizes = [
            nv_tileaa.GetDimSizeOp(source, axis, self.conversion.converter.convert(result.type))
            for axis, result in enumerate(op.result)
        ]
        return Replacement(sizes, [size.result for size in sizes])


def view_properties(op: MemoryOperation, architecture: str) -> dict[str, Attribute | None]:
    """The memory order, hints and known bounds of a view access."""
    properties = memory_order(op) | hint_properties(op, architecture)
    inbounds = op.properties.get("inbounds")
    if isinstance(inbounds, DenseArrayBase):
        properties["in_bounds"] = inbounds
    return properties


def padding_properties(view: Attribute) -> dict[str, Attribute | None]:
    """The padding of a view, as a property of the load."""
    assert isinstance(view, TileView)
    padding = view.get_padding_value()
    if padding is None:
        return {}
    value = PaddingValue(padding.value)
    if is_unsigned_float(view.get_tensor_view().element_type):
        is_zero = value in (PaddingValue.ZERO, PaddingValue.NEG_ZERO)
        return {"padding_value": IntegerAttr(0 if is_zero else NAN, CODE, truncate_bits=True)}
    return {"padding_value": PaddingValueAttr(value)}


def sparse_properties(view: Attribute) -> dict[str, Attribute | None]:
    """The dimension along which a gather/scatter view has indices; nothing for other views."""
    if not isinstance(view, cuda_tile.GatherScatterViewType):
        return {}
    return {"sparse_dim": IntegerAttr(view.sparse_dim.data, i32)}


class ConvertLoadView(ConvertOp[cuda_tile.LoadViewTkoOp]):
    """Gives the load the padding of the view."""

    def convert(self, op: cuda_tile.LoadViewTkoOp) -> Operation:
        sparse = sparse_properties(op.view.type)
        load = nv_tileaa.GatherLoadOp if sparse else nv_tileaa.TiledLoadOp
        return build(
            load,
            [
                self.conversion.value(op.view),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture) | padding_properties(op.view.type) | sparse,
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertStoreView(ConvertOp[cuda_tile.StoreViewTkoOp]):
    def convert(self, op: cuda_tile.StoreViewTkoOp) -> Operation:
        sparse = sparse_properties(op.view.type)
        store = nv_tileaa.ScatterStoreOp if sparse else nv_tileaa.TiledStoreOp
        return build(
            store,
            [
                self.conversion.value(op.view),
                self.conversion.value(op.tile),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture) | sparse,
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertGetIndexSpaceShape(ConvertOp[cuda_tile.GetIndexSpaceShapeOp]):
    """Computes the number of tiles along each dimension: the size divided by the step, rounded
    up.
    """

    def convert(self, op: cuda_tile.GetIndexSpaceShapeOp) -> Replacement:
        making = op.src.owner
        view = self.conversion.value(op.src).owner
        # A view that is an argument has no sizes in its type, and a view cannot be asked for them.
        if not isinstance(making, MakeViewOperation) or not isinstance(view, nv_tileaa.BlockTileOp):
            fail(
                op, "'cuda_tile.get_index_space_shape' op expects a view made in the same function"
            )
        memref = self.conversion.value(making.tensor_view)
        ops: list[Operation] = []
        counts: list[SSAValue] = []
        steps, groups = view.get_tile_strides(), view.get_dim_groups()
        for result, step, (dim,) in zip(op.result, steps, groups, strict=True):
            type = self.conversion.converter.convert(result.type)
            assert isinstance(type, IntegerType)
            # In 64 bits, as sizes are: truncating first would lose tiles of large arrays.
            size = nv_tileaa.GetDimSizeOp(memref, dim, i64)
            divisor = arith.ConstantOp(IntegerAttr(step, i64))
            # The last tile may be cut by the bounds of the array and counts as well.
            count = arith.CeilDivUIOp(size.result, divisor.result)
            ops += [size, divisor, count]
            if type != i64:
                ops.append(nv_tileaa.TruncIOp(count.result, type))
            counts.append(ops[-1].results[0])
        return Replacement(ops, counts)


REDUCTIONS: Mapping[MultimemReduction, RMWMode] = {
    reduction: RMWMode(reduction.value) for reduction in MultimemReduction
}


class ConvertMultimemLoadReduce(ConvertOp[cuda_tile.MultimemLoadReduceViewTkoOp]):
    def convert(self, op: cuda_tile.MultimemLoadReduceViewTkoOp) -> Operation:
        return build(
            nv_tileaa.MultimemLoadReduceOp,
            [
                self.conversion.value(op.view),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture)
            | padding_properties(op.view.type)
            | reduction_property(op),
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertMultimemReduce(ConvertOp[cuda_tile.MultimemReduceViewTkoOp]):
    def convert(self, op: cuda_tile.MultimemReduceViewTkoOp) -> Operation:
        return build(
            nv_tileaa.MultimemReduceOp,
            [
                self.conversion.value(op.view),
                self.conversion.value(op.tile),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture) | reduction_property(op),
            self.conversion.converter.convert_all(op.result_types),
        )


class ConvertMultimemStore(ConvertOp[cuda_tile.MultimemStoreViewTkoOp]):
    def convert(self, op: cuda_tile.MultimemStoreViewTkoOp) -> Operation:
        return build(
            nv_tileaa.MultimemStoreOp,
            [
                self.conversion.value(op.view),
                self.conversion.value(op.tile),
                self.conversion.values(op.indices),
                self.conversion.optional(op.token),
            ],
            view_properties(op, self.architecture),
            self.conversion.converter.convert_all(op.result_types),
        )


def reduction_property(
    op: cuda_tile.MultimemLoadReduceViewTkoOp | cuda_tile.MultimemReduceViewTkoOp,
) -> dict[str, Attribute | None]:
    """The reduction, as the read-modify-write mode that is applied to every device's element."""
    attribute = op.reduction
    assert isinstance(attribute, MultimemReductionAttr)
    return {"rmw_mode": RMWModeAttr(REDUCTIONS[attribute.data])}


def view_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of views and accesses of their tiles."""
    return {
        cuda_tile.GetIndexSpaceShapeOp: ConvertGetIndexSpaceShape(conversion, target),
        cuda_tile.GetTensorShapeOp: ConvertGetTensorShape(conversion, target),
        cuda_tile.LoadViewTkoOp: ConvertLoadView(conversion, target),
        cuda_tile.MakeGatherScatterViewOp: ConvertMakeGatherScatterView(conversion, target),
        cuda_tile.MakePartitionViewOp: ConvertMakePartitionView(conversion, target),
        cuda_tile.MakeStridedViewOp: ConvertMakeStridedView(conversion, target),
        cuda_tile.MakeTensorViewOp: ConvertMakeTensorView(conversion, target),
        cuda_tile.MultimemLoadReduceViewTkoOp: ConvertMultimemLoadReduce(conversion, target),
        cuda_tile.MultimemReduceViewTkoOp: ConvertMultimemReduce(conversion, target),
        cuda_tile.MultimemStoreViewTkoOp: ConvertMultimemStore(conversion, target),
        cuda_tile.StoreViewTkoOp: ConvertStoreView(conversion, target),
    }
