"""MMAs, reductions and scans, whose lowering depends on element types and combiner regions."""

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Attribute, Operation, Region

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.neutral_elements import needed_identities
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .patterns import ConvertOp, Replacement
from .unsigned_floats import Steps, is_unsigned_float

TENSOR_CORE_PRECISION = "tf32"
"""The precision of a tensor core, which is exact for operands of at most 19 bits."""
FULL_PRECISION = "ieee"
"""The precision of `cuda_tile`, in which every bit of an f32 or f64 operand counts."""


def input_precision(element: Attribute) -> str:
    """The precision with which a dot must read operands of a float type."""
    # All narrower floats fit the 19 bits of TF32 (sign, 8 of exponent, 10 of mantissa).
    exact = isinstance(element, Float32Type | Float64Type)
    return FULL_PRECISION if exact else TENSOR_CORE_PRECISION


class ConvertMmaF(ConvertOp[cuda_tile.MmaFOp]):
    def convert(self, op: cuda_tile.MmaFOp) -> Operation:
        a, b, c = self.conversion.values(op.operands)
        precision = input_precision(tile_shape(a.type).element)
        return nv_tileaa.DotOp(a, b, c, input_precision=precision, fast_acc=op.fast_acc is not None)


class ConvertMmaI(ConvertOp[cuda_tile.MmaIOp]):
    def convert(self, op: cuda_tile.MmaIOp) -> Operation:
        a, b, c = self.conversion.values(op.operands)
        return nv_tileaa.DotOp(
            a,
            b,
            c,
            signedness_a=Signedness(op.signedness_lhs.data.value),
            signedness_b=Signedness(op.signedness_rhs.data.value),
        )


class ConvertMmaFScaled(ConvertOp[cuda_tile.MmaFScaledOp]):
    """Multiplies operands by scales of fnv8E5M3FNU before the dot, which is exact in bf16."""

    def convert(self, op: cuda_tile.MmaFScaledOp) -> Replacement | Operation:
        a, b, c, scale_a, scale_b = self.conversion.values(op.operands)
        if is_unsigned_float(op.lhs_scale.type):
            steps, rank = Steps(), len(tile_shape(a.type).shape)
            a, b = steps.scaled(a, scale_a, rank - 1), steps.scaled(b, scale_b, rank - 2)
            steps.add(nv_tileaa.DotOp(a, b, c, input_precision=TENSOR_CORE_PRECISION))
            return Replacement(steps.ops)
        return nv_tileaa.DotOp(a, b, c, scale_a, scale_b)


class ConvertReduce(ConvertOp[cuda_tile.ReduceOp]):
    """Keeps the order of the body's arguments: element, then accumulator, for every operand."""

    def convert(self, op: cuda_tile.ReduceOp) -> Operation:
        return nv_tileaa.ReduceOp(
            self.conversion.values(op.operands),
            op.dim.value.data,
            needed_identities(op.body.block, op.identities.data),
            Region(self.conversion.move_block(op.body.block)),
        )


class ConvertScan(ConvertOp[cuda_tile.ScanOp]):
    def convert(self, op: cuda_tile.ScanOp) -> Operation:
        return nv_tileaa.ScanOp(
            self.conversion.values(op.operands),
            op.dim.value.data,
            needed_identities(op.body.block, op.identities.data),
            Region(self.conversion.move_block(op.body.block)),
            reverse=bool(op.reverse.value.data),
        )


class ConvertYield(ConvertOp[cuda_tile.YieldOp]):
    """Converts the terminator of a combiner; `control_flow` has already converted yields of ifs."""

    def convert(self, op: cuda_tile.YieldOp) -> Operation:
        return nv_tileaa.YieldOp(self.conversion.values(op.operands))


def mma_reduce_scan_patterns(conversion: Conversion, target: Target) -> PatternTable:
    return {
        cuda_tile.MmaFOp: ConvertMmaF(conversion, target),
        cuda_tile.MmaFScaledOp: ConvertMmaFScaled(conversion, target),
        cuda_tile.MmaIOp: ConvertMmaI(conversion, target),
        cuda_tile.ReduceOp: ConvertReduce(conversion, target),
        cuda_tile.ScanOp: ConvertScan(conversion, target),
        cuda_tile.YieldOp: ConvertYield(conversion, target),
    }
