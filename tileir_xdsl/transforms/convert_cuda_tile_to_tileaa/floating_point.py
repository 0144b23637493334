"""Converts float arithmetic to `arith` and `math` if those suffice, otherwise to `nv_tileaa`."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from tileir_xdsl.dialects import cuda_tile, nv_tileaa
from tileir_xdsl.dialects.arith import CmpFOp
from tileir_xdsl.dialects.cuda_tile.enums import ComparisonOrdering
from tileir_xdsl.dialects.cuda_tile.floating_point import BinaryFloatOperation, ExtremumOperation
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.rewriting import Conversion, PatternTable
from tileir_xdsl.targets import Target

from .attributes import RELATIONS
from .patterns import ConvertOp

BinaryFactory: TypeAlias = Callable[[SSAValue, SSAValue, RoundingMode, bool], Operation]
ExtremumFactory: TypeAlias = Callable[[SSAValue, SSAValue, bool, bool], Operation]

# Neither `math` nor Tile IR says how exactly these functions are computed.
PLAIN: Mapping[type[Operation], type[Operation]] = {
    cuda_tile.ATan2Op: math.Atan2Op,
    cuda_tile.AbsFOp: math.AbsFOp,
    cuda_tile.CeilOp: math.CeilOp,
    cuda_tile.CosHOp: math.CoshOp,
    cuda_tile.FloorOp: math.FloorOp,
    cuda_tile.LogOp: math.LogOp,
    cuda_tile.NegFOp: arith.NegfOp,
    cuda_tile.PowOp: math.PowFOp,
    cuda_tile.SinHOp: math.SinhOp,
    cuda_tile.TanOp: math.TanOp,
}
"""Ops without modifiers, rebuilt on the same operands."""

# `arith` has no flush-to-zero, and no rounding mode on these ops.
ROUNDED: Mapping[type[Operation], BinaryFactory] = {
    cuda_tile.AddFOp: nv_tileaa.AddFOp,
    cuda_tile.DivFOp: nv_tileaa.DivFOp,
    cuda_tile.MulFOp: nv_tileaa.MulFOp,
    cuda_tile.SubFOp: nv_tileaa.SubFOp,
}
"""Binary ops with a rounding mode and flush-to-zero."""

TRANSCENDENTAL: Mapping[type[Operation], Callable[[SSAValue, RoundingMode], Operation]] = {
    cuda_tile.CosOp: nv_tileaa.CosOp,
    cuda_tile.ExpOp: nv_tileaa.ExpOp,
    cuda_tile.Log2Op: nv_tileaa.Log2Op,
    cuda_tile.SinOp: nv_tileaa.SinOp,
    cuda_tile.TanHOp: nv_tileaa.TanhOp,
}
"""Transcendental ops, whose modifier later selects the precise or approximate function."""

EXTREMA: Mapping[tuple[type[Operation], bool], type[arith.FloatingPointLikeBinaryOperation]] = {
    (cuda_tile.MaxFOp, True): arith.MaximumfOp,
    (cuda_tile.MaxFOp, False): arith.MaxnumfOp,
    (cuda_tile.MinFOp, True): arith.MinimumfOp,
    (cuda_tile.MinFOp, False): arith.MinnumfOp,
}
"""The `arith` op, by whether NaN operands propagate."""

# `arith` says by its four names what a NaN does, but has no flush-to-zero.
FLUSHING_EXTREMA: Mapping[type[Operation], ExtremumFactory] = {
    cuda_tile.MaxFOp: nv_tileaa.MaxFOp,
    cuda_tile.MinFOp: nv_tileaa.MinFOp,
}


class ConvertPlain(ConvertOp[Operation]):
    def convert(self, op: Operation) -> Operation:
        operands = self.conversion.values(op.operands)
        return PLAIN[type(op)].create(
            operands=operands,
            result_types=[operands[0].type],
            properties=default_properties(PLAIN[type(op)]),
        )


def default_properties(op: type[Operation]) -> dict[str, Attribute]:
    """The default properties of an op, such as fast-math flags."""
    assert issubclass(op, IRDLOperation)
    properties = op.get_irdl_definition().properties
    return {
        name: definition.default_value
        for name, definition in properties.items()
        if definition.default_value is not None
    }


class ConvertRounded(ConvertOp[BinaryFloatOperation]):
    def convert(self, op: BinaryFloatOperation) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        mode = RoundingMode(op.rounding_mode.data.value)
        return ROUNDED[type(op)](lhs, rhs, mode, op.flush_to_zero is not None)


class ConvertTranscendental(ConvertOp[Operation]):
    """Uses full precision, unless the op requests an approximation."""

    def convert(self, op: Operation) -> Operation:
        (source,) = self.conversion.values(op.operands)
        rounding = op.properties.get("rounding_mode")
        # Tile IR makes full precision the default, and `nv_tileaa` spells it out.
        full = not isinstance(rounding, cuda_tile.RoundingModeAttr)
        mode = RoundingMode.FULL if full else RoundingMode(rounding.data.value)
        return TRANSCENDENTAL[type(op)](source, mode)


class ConvertExp2(ConvertOp[cuda_tile.Exp2Op]):
    def convert(self, op: cuda_tile.Exp2Op) -> Operation:
        return nv_tileaa.Exp2Op(self.conversion.value(op.source), op.flush_to_zero is not None)


class ConvertSqrt(ConvertOp[cuda_tile.SqrtOp]):
    def convert(self, op: cuda_tile.SqrtOp) -> Operation:
        return nv_tileaa.SqrtOp(
            self.conversion.value(op.source),
            RoundingMode(op.rounding_mode.data.value),
            op.flush_to_zero is not None,
        )


class ConvertExtremum(ConvertOp[ExtremumOperation]):
    def convert(self, op: ExtremumOperation) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        propagate = op.propagate_nan is not None
        if op.flush_to_zero is not None:
            return FLUSHING_EXTREMA[type(op)](lhs, rhs, propagate, True)
        return EXTREMA[type(op), propagate](lhs, rhs)


class ConvertRemF(ConvertOp[cuda_tile.RemFOp]):
    def convert(self, op: cuda_tile.RemFOp) -> Operation:
        return nv_tileaa.RemFOp(*self.conversion.values(op.operands))


class ConvertFPowI(ConvertOp[cuda_tile.FPowIOp]):
    def convert(self, op: cuda_tile.FPowIOp) -> Operation:
        return nv_tileaa.FPowIOp(*self.conversion.values(op.operands))


class ConvertCmpF(ConvertOp[cuda_tile.CmpFOp]):
    """The ordering becomes part of the predicate's name: `olt`, `ult`."""

    def convert(self, op: cuda_tile.CmpFOp) -> Operation:
        lhs, rhs = self.conversion.values(op.operands)
        ordered = op.comparison_ordering.data == ComparisonOrdering.ORDERED
        relation = RELATIONS[op.comparison_predicate.data]
        return CmpFOp(lhs, rhs, ("o" if ordered else "u") + relation)


def floating_point_patterns(conversion: Conversion, target: Target) -> PatternTable:
    """All floating-point patterns except `fma` and `rsqrt`, which are singletons."""
    return {
        **{op: ConvertPlain(conversion, target) for op in PLAIN},
        **{op: ConvertRounded(conversion, target) for op in ROUNDED},
        **{op: ConvertTranscendental(conversion, target) for op in TRANSCENDENTAL},
        **{op: ConvertExtremum(conversion, target) for op in FLUSHING_EXTREMA},
        cuda_tile.CmpFOp: ConvertCmpF(conversion, target),
        cuda_tile.Exp2Op: ConvertExp2(conversion, target),
        cuda_tile.FPowIOp: ConvertFPowI(conversion, target),
        cuda_tile.RemFOp: ConvertRemF(conversion, target),
        cuda_tile.SqrtOp: ConvertSqrt(conversion, target),
    }
