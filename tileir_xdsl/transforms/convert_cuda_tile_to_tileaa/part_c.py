"""Part C: matrix products, reductions and scans, whose form follows element types and regions."""

from xdsl.ir import Operation, Region

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.attributes import Signedness
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .neutral_elements import needed_identities
from .patterns import ConvertOp

INPUT_PRECISION = "tf32"
"""How f32 operands may be read by a tensor core; a dot of other types carries it without effect."""


class ConvertMmaF(ConvertOp[cuda_tile.MmaFOp]):
    def convert(self, op: cuda_tile.MmaFOp) -> Operation:
        a, b, c = self.conversion.values(op.operands)
        return nv_tileaa.DotOp(
            a, b, c, input_precision=INPUT_PRECISION, fast_acc=op.fast_acc is not None
        )


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
    def convert(self, op: cuda_tile.MmaFScaledOp) -> Operation:
        a, b, c, scale_a, scale_b = self.conversion.values(op.operands)
        return nv_tileaa.DotOp(a, b, c, scale_a, scale_b)


class ConvertReduce(ConvertOp[cuda_tile.ReduceOp]):
    """The body keeps its arguments' order: element, then accumulator, for every operand."""

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
    """The end of a combiner; yields of ifs are gone when types are converted."""

    def convert(self, op: cuda_tile.YieldOp) -> Operation:
        return nv_tileaa.YieldOp(self.conversion.values(op.operands))


def populate_part_c(conversion: Conversion, target: Target) -> PatternTable:
    """The patterns of part C."""
    return {
        cuda_tile.MmaFOp: ConvertMmaF(conversion, target),
        cuda_tile.MmaFScaledOp: ConvertMmaFScaled(conversion, target),
        cuda_tile.MmaIOp: ConvertMmaI(conversion, target),
        cuda_tile.ReduceOp: ConvertReduce(conversion, target),
        cuda_tile.ScanOp: ConvertScan(conversion, target),
        cuda_tile.YieldOp: ConvertYield(conversion, target),
    }
