"""Part A: arithmetic, comparison, conversion, indexing, shape."""

from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnrealizedConversionCastOp
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.arith import CmpIOp, ExtSIOp, ExtUIOp
from tileir_xdsl.dialects.cuda_tile.enums import Signedness
from tileir_xdsl.dialects.nv_tileaa.attributes import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import integer_predicate, overflow_flags
from .patterns import ConvertOp, Replacement


class ConvertAddF(ConvertOp[cuda_tile.AddFOp]):
    def convert(self, op: cuda_tile.AddFOp) -> Operation:
        return nv_tileaa.AddFOp(
            self.conversion.value(op.lhs),
            self.conversion.value(op.rhs),
            RoundingMode(op.rounding_mode.data.value),
            op.flush_to_zero is not None,
        )


class ConvertAddI(ConvertOp[cuda_tile.AddIOp]):
    def convert(self, op: cuda_tile.AddIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return nv_tileaa.AddIOp(lhs, rhs, overflow_flags(op.overflow.data))


class ConvertMulI(ConvertOp[cuda_tile.MulIOp]):
    def convert(self, op: cuda_tile.MulIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        flags = overflow_flags(op.overflow.data)
        return arith.MuliOp(lhs, rhs) if flags is None else arith.MuliOp(lhs, rhs, overflow=flags)


class ConvertCmpI(ConvertOp[cuda_tile.CmpIOp]):
    def convert(self, op: cuda_tile.CmpIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        predicate = integer_predicate(op.comparison_predicate.data, op.signedness.data)
        return CmpIOp(lhs, rhs, predicate)


class ConvertExtI(ConvertOp[cuda_tile.ExtIOp]):
    def convert(self, op: cuda_tile.ExtIOp) -> Operation:
        signed = op.signedness.data == Signedness.SIGNED
        extension = ExtSIOp if signed else ExtUIOp
        result_type = self.conversion.converter.convert(op.result.type)
        return extension(self.conversion.value(op.source), result_type)


class ConvertIota(ConvertOp[cuda_tile.IotaOp]):
    """`iota` -> `make_range(0, n)`; n wraps where the element type cannot hold it."""

    def convert(self, op: cuda_tile.IotaOp) -> Replacement:
        result_type = self.conversion.converter.convert(op.result.type)
        tile = tile_shape(result_type)
        assert isinstance(tile.element, IntegerType)
        start = arith.ConstantOp(IntegerAttr(0, tile.element))
        end = arith.ConstantOp(IntegerAttr(tile.shape[0], tile.element, truncate_bits=True))
        return Replacement(
            [start, end, nv_tileaa.MakeRangeOp(start.result, end.result, result_type)]
        )


class ConvertReshape(ConvertOp[cuda_tile.ReshapeOp]):
    """Between a scalar and a tile of one element: splat and extract; else a view."""

    def convert(self, op: cuda_tile.ReshapeOp) -> Replacement | Operation:
        source = self.conversion.value(op.source)
        result_type = self.conversion.converter.convert(op.result.type)
        if source.type == result_type:
            return Replacement([], [source])
        if not tile_shape(result_type).shape:
            return nv_tileaa.ExtractOp(source)
        scalar = splat_value(source)
        if scalar is not None:
            return nv_tileaa.SplatOp(scalar, result_type)
        return nv_tileaa.ViewOp(source, result_type)


class ConvertBroadcast(ConvertOp[cuda_tile.BroadcastOp]):
    """A tile of equal elements becomes a larger splat; others repeat along dimensions of 1."""

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
    """The scalar that every element of a value equals, where that is plain to see."""
    if not tile_shape(value.type).shape:
        return value
    return value.owner.value if isinstance(value.owner, nv_tileaa.SplatOp) else None


class ConvertGetTileBlockId(ConvertOp[cuda_tile.GetTileBlockIdOp]):
    """One `get_program_id` for every axis that is used."""

    def convert(self, op: cuda_tile.GetTileBlockIdOp) -> Replacement:
        return used_axes(op, nv_tileaa.GetProgramIdOp)


class ConvertGetNumTileBlocks(ConvertOp[cuda_tile.GetNumTileBlocksOp]):
    """One `get_num_programs` for every axis that is used."""

    def convert(self, op: cuda_tile.GetNumTileBlocksOp) -> Replacement:
        return used_axes(op, nv_tileaa.GetNumProgramsOp)


def used_axes(
    op: Operation, axis_op: type[nv_tileaa.GetProgramIdOp] | type[nv_tileaa.GetNumProgramsOp]
) -> Replacement:
    """One op for every result that has a use; None stands for the others."""
    reads = [axis_op(axis) if result.uses else None for axis, result in enumerate(op.results)]
    return Replacement(
        [read for read in reads if read is not None],
        [None if read is None else read.result for read in reads],
    )


class ConvertStructure(ConvertOp[Operation]):
    """The same op with converted types; block arguments change in the same step."""

    def convert(self, op: Operation) -> Operation:
        return type(op).create(
            operands=self.conversion.values(op.operands),
            result_types=self.conversion.converter.convert_all(op.result_types),
            properties=op.properties,
            regions=[
                Region([self.conversion.move_block(block) for block in region.blocks])
                for region in op.regions
            ],
        )


class ConvertScalarCast(ConvertOp[UnrealizedConversionCastOp]):
    """A rank-0 tile and its element are one value once types are converted."""

    def convert(self, op: UnrealizedConversionCastOp) -> Replacement | Operation:
        values = self.conversion.values(op.operands)
        types = self.conversion.converter.convert_all(op.result_types)
        if [value.type for value in values] == types:
            return Replacement([], values)
        return UnrealizedConversionCastOp.get(values, types)


def populate_part_a(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of part A."""
    return {
        cuda_tile.AddFOp: ConvertAddF(conversion, target),
        cuda_tile.AddIOp: ConvertAddI(conversion, target),
        cuda_tile.BroadcastOp: ConvertBroadcast(conversion, target),
        cuda_tile.CmpIOp: ConvertCmpI(conversion, target),
        cuda_tile.ExtIOp: ConvertExtI(conversion, target),
        cuda_tile.GetNumTileBlocksOp: ConvertGetNumTileBlocks(conversion, target),
        cuda_tile.GetTileBlockIdOp: ConvertGetTileBlockId(conversion, target),
        cuda_tile.IotaOp: ConvertIota(conversion, target),
        cuda_tile.MulIOp: ConvertMulI(conversion, target),
        cuda_tile.ReshapeOp: ConvertReshape(conversion, target),
        scf.ConditionOp: ConvertStructure(conversion, target),
        scf.ForOp: ConvertStructure(conversion, target),
        scf.IfOp: ConvertStructure(conversion, target),
        scf.WhileOp: ConvertStructure(conversion, target),
        scf.YieldOp: ConvertStructure(conversion, target),
        ub.PoisonOp: ConvertStructure(conversion, target),
        UnrealizedConversionCastOp: ConvertScalarCast(conversion, target),
    }
