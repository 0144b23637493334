"""Converts integer arithmetic to `arith`, except ops that `nv_tileaa` has."""

from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.cuda_tile.integer import OverflowOperation, SignednessOperation
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import NO_OVERFLOW, overflow_flags
from .patterns import ConvertOp, Replacement

BITWISE: Mapping[type[Operation], type[arith.SignlessIntegerBinaryOperation]] = {
    cuda_tile.AndIOp: arith.AndIOp,
    cuda_tile.OrIOp: arith.OrIOp,
    cuda_tile.XOrIOp: arith.XOrIOp,
}

WITH_OVERFLOW: Mapping[type[Operation], type[arith.SignlessIntegerBinaryOperationWithOverflow]] = {
    cuda_tile.MulIOp: arith.MuliOp,
    cuda_tile.ShLIOp: arith.ShLIOp,
    cuda_tile.SubIOp: arith.SubiOp,
}

BY_SIGNEDNESS: Mapping[
    tuple[type[Operation], Signedness], type[arith.SignlessIntegerBinaryOperation]
] = {
    (cuda_tile.MaxIOp, Signedness.SIGNED): arith.MaxSIOp,
    (cuda_tile.MaxIOp, Signedness.UNSIGNED): arith.MaxUIOp,
    (cuda_tile.MinIOp, Signedness.SIGNED): arith.MinSIOp,
    (cuda_tile.MinIOp, Signedness.UNSIGNED): arith.MinUIOp,
    (cuda_tile.RemIOp, Signedness.SIGNED): arith.RemSIOp,
    (cuda_tile.RemIOp, Signedness.UNSIGNED): arith.RemUIOp,
    (cuda_tile.ShRIOp, Signedness.SIGNED): arith.ShRSIOp,
    (cuda_tile.ShRIOp, Signedness.UNSIGNED): arith.ShRUIOp,
}

DIVISIONS: Mapping[tuple[RoundingMode, Signedness], type[arith.SignlessIntegerBinaryOperation]] = {
    (RoundingMode.ZERO, Signedness.SIGNED): arith.DivSIOp,
    # Rounding an unsigned quotient down is rounding it toward zero: one spelling.
    (RoundingMode.ZERO, Signedness.UNSIGNED): arith.DivUIOp,
    (RoundingMode.NEGATIVE_INF, Signedness.SIGNED): arith.FloorDivSIOp,
    (RoundingMode.POSITIVE_INF, Signedness.SIGNED): arith.CeilDivSIOp,
    (RoundingMode.POSITIVE_INF, Signedness.UNSIGNED): arith.CeilDivUIOp,
}
"""The division of each rounding mode; unsigned division does not round down."""


class ConvertBitwise(ConvertOp[Operation]):
    def convert(self, op: Operation) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return BITWISE[type(op)](lhs, rhs)


class ConvertWithOverflow(ConvertOp[OverflowOperation]):
    """Converts overflow flags to those of MLIR."""

    def convert(self, op: OverflowOperation) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        # `arith` always has the attribute, and spells its absence `none`.
        flags = overflow_flags(op.overflow.data) or NO_OVERFLOW
        return WITH_OVERFLOW[type(op)](lhs, rhs, overflow=flags)


class ConvertBySignedness(ConvertOp[SignednessOperation]):
    """Converts to the op whose name includes the signedness."""

    def convert(self, op: SignednessOperation) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return BY_SIGNEDNESS[type(op), op.signedness.data](lhs, rhs)


class ConvertDivI(ConvertOp[cuda_tile.DivIOp]):
    def convert(self, op: cuda_tile.DivIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return DIVISIONS[op.rounding.data, op.signedness.data](lhs, rhs)


class ConvertAddI(ConvertOp[cuda_tile.AddIOp]):
    def convert(self, op: cuda_tile.AddIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return nv_tileaa.AddIOp(lhs, rhs, overflow_flags(op.overflow.data))


class ConvertNegI(ConvertOp[cuda_tile.NegIOp]):
    """`negi x` -> `0 - x`."""

    def convert(self, op: cuda_tile.NegIOp) -> Replacement:
        source = self.conversion.value(op.source)
        tile = tile_shape(source.type)
        assert isinstance(tile.element, IntegerType)
        zero = arith.ConstantOp(IntegerAttr(0, tile.element))
        ops: list[Operation] = [zero]
        minuend = zero.result
        # `arith.constant` of a tile would hold every element; a splat holds one.
        if tile.shape:
            splat = nv_tileaa.SplatOp(minuend, source.type)
            ops.append(splat)
            minuend = splat.result
        # Any number but 0 wraps around as an unsigned one, so `no_wrap` speaks of signed ones.
        wraps = op.overflow.data is cuda_tile.IntegerOverflow.NONE
        flags = overflow_flags(
            cuda_tile.IntegerOverflow.NONE if wraps else cuda_tile.IntegerOverflow.NO_SIGNED_WRAP
        )
        return Replacement([*ops, arith.SubiOp(minuend, source, overflow=flags or NO_OVERFLOW)])


class ConvertAbsI(ConvertOp[cuda_tile.AbsIOp]):
    def convert(self, op: cuda_tile.AbsIOp) -> Operation:
        source = self.conversion.value(op.source)
        return math.AbsIOp.create(operands=[source], result_types=[source.type])


class ConvertMulHiI(ConvertOp[cuda_tile.MulHiIOp]):
    """Converts to the upper half of the unsigned product."""

    def convert(self, op: cuda_tile.MulHiIOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        return nv_tileaa.MulHiUIOp(lhs, rhs)


def integer_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """All integer patterns except `maxi`, which is a singleton."""
    return {
        **{op: ConvertBitwise(conversion, target) for op in BITWISE},
        **{op: ConvertWithOverflow(conversion, target) for op in WITH_OVERFLOW},
        **{
            op: ConvertBySignedness(conversion, target)
            for op, _ in BY_SIGNEDNESS
            if op is not cuda_tile.MaxIOp
        },
        cuda_tile.AbsIOp: ConvertAbsI(conversion, target),
        cuda_tile.AddIOp: ConvertAddI(conversion, target),
        cuda_tile.DivIOp: ConvertDivI(conversion, target),
        cuda_tile.MulHiIOp: ConvertMulHiI(conversion, target),
        cuda_tile.NegIOp: ConvertNegI(conversion, target),
    }
