"""Conversions between element types, and between integers and pointers."""

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import BFloat16Type, FloatTF32Type, bf16, f32
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.arith import ExtSIOp, ExtUIOp
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.enumerations import Signedness as TileAASignedness
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape, tile_type
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .patterns import ConvertOp, Replacement
from .unsigned_floats import CODE, Steps, is_unsigned_float

RETYPED: Mapping[type[Operation], Callable[[SSAValue, Attribute], Operation]] = {
    cuda_tile.BitcastOp: nv_tileaa.BitcastOp,
    cuda_tile.IntToPtrOp: nv_tileaa.IntToPtrOp,
    cuda_tile.PackOp: nv_tileaa.PackOp,
    cuda_tile.PtrToIntOp: nv_tileaa.PtrToIntOp,
    cuda_tile.PtrToPtrOp: nv_tileaa.BitcastOp,
    cuda_tile.UnpackOp: nv_tileaa.UnpackOp,
}
"""Ops that reinterpret bits as another type."""


class ConvertRetyped(ConvertOp[Operation]):
    def convert(self, op: Operation) -> Replacement | Operation:
        source = self.conversion.value(op.operands[0])
        result_type = self.conversion.converter.convert(op.results[0].type)
        # A fnv8E5M3FNU is its code already.
        if source.type == result_type == tile_type(tile_shape(source.type).shape, CODE):
            return Replacement([], [source])
        return RETYPED[type(op)](source, result_type)


class ConvertExtI(ConvertOp[cuda_tile.ExtIOp]):
    def convert(self, op: cuda_tile.ExtIOp) -> Operation:
        extension = ExtSIOp if op.signedness.data == Signedness.SIGNED else ExtUIOp
        result_type = self.conversion.converter.convert(op.result.type)
        return extension(self.conversion.value(op.source), result_type)


class ConvertFToF(ConvertOp[cuda_tile.FToFOp]):
    def convert(self, op: cuda_tile.FToFOp) -> Replacement:
        source, steps = self.conversion.value(op.source), Steps()
        result_type = self.conversion.converter.convert(op.result.type)
        if is_unsigned_float(op.source.type):
            # From bf16 the conversion is exact, whatever the rounding mode.
            is_short = isinstance(tile_shape(result_type).element, BFloat16Type | FloatTF32Type)
            source = steps.numbers(source, bf16 if is_short else f32)
        if is_unsigned_float(op.result.type):
            steps.codes(source)
            return Replacement(steps.ops)
        if source.type != result_type:
            steps.add(
                nv_tileaa.FpToFpOp(source, result_type, RoundingMode(op.rounding_mode.data.value))
            )
        return Replacement(steps.ops)


class ConvertFToI(ConvertOp[cuda_tile.FToIOp]):
    """Rounds toward zero; Tile IR, unlike `arith`, defines the results for NaN and numbers out of
    range.
    """

    def convert(self, op: cuda_tile.FToIOp) -> Replacement:
        source, steps = self.conversion.value(op.source), Steps()
        if is_unsigned_float(op.source.type):
            source = steps.numbers(source)
        steps.add(
            nv_tileaa.FpToIntOp(
                source,
                self.conversion.converter.convert(op.result.type),
                TileAASignedness(op.signedness.data.value),
                # `arith.fptosi` is undefined out of range; Tile IR defines both behaviours.
                op.saturating is not None,
            )
        )
        return Replacement(steps.ops)


def conversion_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """All conversion patterns except `trunci` and `itof`, which are singletons."""
    return {
        **{op: ConvertRetyped(conversion, target) for op in RETYPED},
        cuda_tile.ExtIOp: ConvertExtI(conversion, target),
        cuda_tile.FToFOp: ConvertFToF(conversion, target),
        cuda_tile.FToIOp: ConvertFToI(conversion, target),
    }
