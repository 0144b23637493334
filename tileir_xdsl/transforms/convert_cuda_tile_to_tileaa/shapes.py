"""Ops that create, reshape and slice tiles."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp, SelectOp
from tileir_xdsl.dialects.cuda_tile.types import dense_integers
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import integer_predicate
from .patterns import ConvertOp, Replacement


class ConvertCmpI(ConvertOp[cuda_tile.CmpIOp]):
    def convert(self, op: cuda_tile.CmpIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        predicate = integer_predicate(op.comparison_predicate.data, op.signedness.data)
        return CmpIOp(lhs, rhs, predicate)


class ConvertSelect(ConvertOp[cuda_tile.SelectOp]):
    def convert(self, op: cuda_tile.SelectOp) -> Operation:
        return SelectOp(*self.conversion.values(op.operands))


class ConvertIota(ConvertOp[cuda_tile.IotaOp]):
    """`iota` -> `make_range(0, n)`; n wraps if the element type cannot represent it."""

    def convert(self, op: cuda_tile.IotaOp) -> Replacement:
        result_type = self.conversion.converter.convert(op.result.type)
        tile = tile_shape(result_type)
        assert isinstance(tile.element, IntegerType)
        start = arith.ConstantOp(IntegerAttr(0, tile.element))
        # An i8 cannot hold 256; `make_range` reads its extent from the type.
        end = arith.ConstantOp(IntegerAttr(tile.shape[0], tile.element, truncate_bits=True))
        return Replacement(
            [start, end, nv_tileaa.MakeRangeOp(start.result, end.result, result_type)]
        )


class ConvertReshape(ConvertOp[cuda_tile.ReshapeOp]):
    """Splats a scalar, extracts from a tile of one element, and otherwise creates a view."""

    def convert(self, op: cuda_tile.ReshapeOp) -> Replacement | Operation:
        source = self.conversion.value(op.source)
        result_type = self.conversion.converter.convert(op.result.type)
        if source.type == result_type:
            return Replacement([], [source])
        # A rank-0 tile is a scalar on this level, which no view can have as its type.
        if not tile_shape(result_type).shape:
            return nv_tileaa.ExtractOp(source)
        # Folded here, as many kernels reshape a scalar only to broadcast it.
        scalar = splat_value(source)
        if scalar is not None:
            return nv_tileaa.SplatOp(scalar, result_type)
        return nv_tileaa.ViewOp(source, result_type)


class ConvertBroadcast(ConvertOp[cuda_tile.BroadcastOp]):
    """Enlarges a splat, or repeats other tiles along dimensions of extent 1."""

    def convert(self, op: cuda_tile.BroadcastOp) -> Replacement | Operation:
        source = self.conversion.value(op.source)
        result_type = self.conversion.converter.convert(op.result.type)
        if source.type == result_type:
            return Replacement([], [source])
        scalar = splat_value(source)
        if scalar is not None:
            return nv_tileaa.SplatOp(scalar, result_type)
        return nv_tileaa.BroadcastOp(source, result_type)


def splat_value(value: SSAValue) -> SSAValue | None:
    """The scalar that a splat repeats, or a scalar itself; None for any other tile."""
    if not tile_shape(value.type).shape:
        return value
    return value.owner.value if isinstance(value.owner, nv_tileaa.SplatOp) else None


class ConvertPermute(ConvertOp[cuda_tile.PermuteOp]):
    def convert(self, op: cuda_tile.PermuteOp) -> Operation:
        return nv_tileaa.PermuteOp(
            self.conversion.value(op.source),
            dense_integers(op.permutation),
            self.conversion.converter.convert(op.result.type),
        )


class ConvertCat(ConvertOp[cuda_tile.CatOp]):
    def convert(self, op: cuda_tile.CatOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        result_type = self.conversion.converter.convert(op.result.type)
        return nv_tileaa.CatOp(lhs, rhs, op.dim.value.data, result_type)


class ConvertExtract(ConvertOp[cuda_tile.ExtractOp]):
    """Extracts a slice; a slice of rank 0 becomes an `extract`."""

    def convert(self, op: cuda_tile.ExtractOp) -> Operation:
        return nv_tileaa.ExtractSliceOp(
            self.conversion.value(op.source),
            self.conversion.values(op.indices),
            self.conversion.converter.convert(op.result.type),
        )


class ConvertInsert(ConvertOp[cuda_tile.InsertOp]):
    def convert(self, op: cuda_tile.InsertOp) -> Operation:
        return nv_tileaa.InsertSliceOp(
            self.conversion.value(op.source),
            self.conversion.value(op.destination),
            self.conversion.values(op.indices),
        )


def shape_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of shape ops, and of elementwise ops on any element type."""
    return {
        cuda_tile.BroadcastOp: ConvertBroadcast(conversion, target),
        cuda_tile.CatOp: ConvertCat(conversion, target),
        cuda_tile.CmpIOp: ConvertCmpI(conversion, target),
        cuda_tile.ExtractOp: ConvertExtract(conversion, target),
        cuda_tile.InsertOp: ConvertInsert(conversion, target),
        cuda_tile.IotaOp: ConvertIota(conversion, target),
        cuda_tile.PermuteOp: ConvertPermute(conversion, target),
        cuda_tile.ReshapeOp: ConvertReshape(conversion, target),
        cuda_tile.SelectOp: ConvertSelect(conversion, target),
    }
