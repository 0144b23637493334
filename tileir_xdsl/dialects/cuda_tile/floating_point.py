"""Floating-point operations.

Source: Tile IR specification, section 8.7 (floating point). `flush_to_zero` (f32 only) turns
subnormal inputs and results into zeros of the same sign.
"""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile.enums import RoundingMode, RoundingModeAttr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    FLOAT_TILE,
    ROUNDING,
    SAME_SHAPE,
    UNIT,
    CudaTileOperation,
    all_ranks_match,
    all_shapes_match,
    all_types_match,
    cuda_tile_operation,
    tile_of,
    verify_f32_modifier,
    verify_rounding,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    Flag,
    Flags,
    Operand,
    Rounding,
    Type,
)

IEEE_ROUNDING = (
    RoundingMode.NEAREST_EVEN,
    RoundingMode.ZERO,
    RoundingMode.NEGATIVE_INF,
    RoundingMode.POSITIVE_INF,
)
"""The rounding modes of IEEE 754, in the order in which diagnostics list them."""

_DIVISION_ROUNDING = (*IEEE_ROUNDING, RoundingMode.APPROX, RoundingMode.FULL)
_SQUARE_ROOT_ROUNDING = (*IEEE_ROUNDING, RoundingMode.APPROX)
_APPROXIMATION = (RoundingMode.APPROX, RoundingMode.FULL)


def ieee_rounding(name: str = "rounding_mode") -> Rounding:
    """`rounding<..>` of an operation that rounds as IEEE 754 does."""
    return Rounding(name, IEEE_ROUNDING, RoundingMode.NEAREST_EVEN, strict=True)


def _unit(flag: bool) -> UnitAttr | None:
    return UnitAttr() if flag else None


class UnaryFloatOperation(CudaTileOperation):
    """`result = OP(source)`, element by element."""

    source = operand_def(FLOAT_TILE)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("source", "result"),)
    SYNTAX: ClassVar = (Operand("source"), ATTRIBUTES, COLON, Type("source", "result"))

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[source.type])


class FlushableUnaryFloatOperation(CudaTileOperation):
    """`result = OP(source)`, element by element, with `flush_to_zero`."""

    source = operand_def(FLOAT_TILE)
    flush_to_zero = opt_prop_def(UNIT)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("source", "result"),)
    SYNTAX: ClassVar = (
        Operand("source"),
        Flag("flush_to_zero"),
        ATTRIBUTES,
        COLON,
        Type("source", "result"),
    )

    def __init__(self, source: SSAValue, flush_to_zero: bool = False):
        super().__init__(
            operands=[source],
            properties={"flush_to_zero": _unit(flush_to_zero)},
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


class ApproximableUnaryFloatOperation(CudaTileOperation):
    """`result = OP(source)`, element by element, at full precision or approximated (f32 only)."""

    source = operand_def(FLOAT_TILE)
    rounding_mode = opt_prop_def(ROUNDING, RoundingModeAttr(RoundingMode.FULL))
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("source", "result"),)
    SYNTAX: ClassVar = (
        Operand("source"),
        Rounding("rounding_mode", _APPROXIMATION, RoundingMode.FULL, strict=False),
        ATTRIBUTES,
        COLON,
        Type("source", "result"),
    )

    def __init__(self, source: SSAValue, rounding_mode: RoundingMode = RoundingMode.FULL):
        super().__init__(
            operands=[source],
            properties={"rounding_mode": RoundingModeAttr(rounding_mode)},
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        verify_rounding(self, self.rounding_mode, _APPROXIMATION)
        verify_f32_modifier(self, "approx", self.rounding_mode.data is RoundingMode.APPROX)


class BinaryFloatOperation(CudaTileOperation):
    """`result = lhs OP rhs`, element by element, rounded as `rounding_mode` says."""

    lhs = operand_def(FLOAT_TILE)
    rhs = operand_def(FLOAT_TILE)
    rounding_mode = prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UNIT)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        ieee_rounding(),
        Flag("flush_to_zero"),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "rounding_mode": RoundingModeAttr(rounding_mode),
                "flush_to_zero": _unit(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        verify_rounding(self, self.rounding_mode, IEEE_ROUNDING)
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


class ExtremumOperation(CudaTileOperation):
    """The larger or smaller of two numbers; -0.0 counts as less than +0.0.

    A NaN gives way to a number (IEEE 754-2019 maximumNumber, minimumNumber) unless `propagate_nan`
    (maximum, minimum).
    """

    lhs = operand_def(FLOAT_TILE)
    rhs = operand_def(FLOAT_TILE)
    propagate_nan = opt_prop_def(UNIT)
    flush_to_zero = opt_prop_def(UNIT)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        Flags(("flush_to_zero", "propagate_nan")),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        propagate_nan: bool = False,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "propagate_nan": _unit(propagate_nan),
                "flush_to_zero": _unit(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


@cuda_tile_operation
class AbsFOp(UnaryFloatOperation):
    """Absolute value. Section 8.7.3."""

    name = "cuda_tile.absf"

    RELATIONS: ClassVar = (all_types_match("source", "result"), SAME_SHAPE)


@cuda_tile_operation
class NegFOp(UnaryFloatOperation):
    """Negation. Section 8.7.19."""

    name = "cuda_tile.negf"


@cuda_tile_operation
class CeilOp(UnaryFloatOperation):
    """Smallest integer that is not less. Section 8.7.6."""

    name = "cuda_tile.ceil"


@cuda_tile_operation
class FloorOp(UnaryFloatOperation):
    """Largest integer that is not greater. Section 8.7.12."""

    name = "cuda_tile.floor"


@cuda_tile_operation
class CosOp(UnaryFloatOperation):
    """Cosine of an angle in radians. Section 8.7.8."""

    name = "cuda_tile.cos"


@cuda_tile_operation
class CosHOp(UnaryFloatOperation):
    """Hyperbolic cosine. Section 8.7.7."""

    name = "cuda_tile.cosh"


@cuda_tile_operation
class SinOp(UnaryFloatOperation):
    """Sine of an angle in radians. Section 8.7.24."""

    name = "cuda_tile.sin"


@cuda_tile_operation
class SinHOp(UnaryFloatOperation):
    """Hyperbolic sine. Section 8.7.23."""

    name = "cuda_tile.sinh"


@cuda_tile_operation
class TanOp(UnaryFloatOperation):
    """Tangent of an angle in radians. Section 8.7.28."""

    name = "cuda_tile.tan"


@cuda_tile_operation
class LogOp(UnaryFloatOperation):
    """Natural logarithm. Section 8.7.15."""

    name = "cuda_tile.log"


@cuda_tile_operation
class Log2Op(UnaryFloatOperation):
    """Logarithm to base 2. Section 8.7.14."""

    name = "cuda_tile.log2"


@cuda_tile_operation
class ExpOp(ApproximableUnaryFloatOperation):
    """Exponential. Section 8.7.11. `rounding_mode` since 13.3."""

    name = "cuda_tile.exp"


@cuda_tile_operation
class TanHOp(ApproximableUnaryFloatOperation):
    """Hyperbolic tangent. Section 8.7.27. `rounding_mode` since 13.2."""

    name = "cuda_tile.tanh"


@cuda_tile_operation
class Exp2Op(FlushableUnaryFloatOperation):
    """2 to the power of the source. Section 8.7.10."""

    name = "cuda_tile.exp2"


@cuda_tile_operation
class RsqrtOp(FlushableUnaryFloatOperation):
    """Reciprocal of the square root. Section 8.7.22."""

    name = "cuda_tile.rsqrt"


@cuda_tile_operation
class SqrtOp(CudaTileOperation):
    """Square root, rounded as `rounding_mode` says; `approx` for f32 only. Section 8.7.25."""

    name = "cuda_tile.sqrt"

    source = operand_def(FLOAT_TILE)
    rounding_mode = prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UNIT)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("source", "result"),)
    SYNTAX: ClassVar = (
        Operand("source"),
        Rounding("rounding_mode", _SQUARE_ROOT_ROUNDING, RoundingMode.NEAREST_EVEN, strict=False),
        Flag("flush_to_zero"),
        ATTRIBUTES,
        COLON,
        Type("source", "result"),
    )

    def __init__(
        self,
        source: SSAValue,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[source],
            properties={
                "rounding_mode": RoundingModeAttr(rounding_mode),
                "flush_to_zero": _unit(flush_to_zero),
            },
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        verify_rounding(self, self.rounding_mode, _SQUARE_ROOT_ROUNDING)
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)
        verify_f32_modifier(self, "approx", self.rounding_mode.data is RoundingMode.APPROX)


@cuda_tile_operation
class AddFOp(BinaryFloatOperation):
    """Sum. Section 8.7.4."""

    name = "cuda_tile.addf"


@cuda_tile_operation
class SubFOp(BinaryFloatOperation):
    """Difference. Section 8.7.26."""

    name = "cuda_tile.subf"


@cuda_tile_operation
class MulFOp(BinaryFloatOperation):
    """Product. Section 8.7.18."""

    name = "cuda_tile.mulf"


@cuda_tile_operation
class DivFOp(BinaryFloatOperation):
    """Quotient; `approx` and `full` for f32 only. Section 8.7.9."""

    name = "cuda_tile.divf"

    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        Rounding("rounding_mode", _DIVISION_ROUNDING, RoundingMode.NEAREST_EVEN, strict=False),
        Flag("flush_to_zero"),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def verify_operation(self) -> None:
        verify_rounding(self, self.rounding_mode, _DIVISION_ROUNDING)
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)
        for mode in _APPROXIMATION:
            verify_f32_modifier(self, mode.value, self.rounding_mode.data is mode)


@cuda_tile_operation
class FmaOp(CudaTileOperation):
    """`lhs * rhs + acc`, rounded once. Section 8.7.13."""

    name = "cuda_tile.fma"

    lhs = operand_def(FLOAT_TILE)
    rhs = operand_def(FLOAT_TILE)
    acc = operand_def(FLOAT_TILE)
    rounding_mode = prop_def(ROUNDING)
    flush_to_zero = opt_prop_def(UNIT)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("lhs", "rhs", "acc", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        COMMA,
        Operand("acc"),
        ieee_rounding(),
        Flag("flush_to_zero"),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "acc", "result"),
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        acc: SSAValue,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[lhs, rhs, acc],
            properties={
                "rounding_mode": RoundingModeAttr(rounding_mode),
                "flush_to_zero": _unit(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        verify_rounding(self, self.rounding_mode, IEEE_ROUNDING)
        verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


@cuda_tile_operation
class MaxFOp(ExtremumOperation):
    """The larger operand. Section 8.7.16."""

    name = "cuda_tile.maxf"


@cuda_tile_operation
class MinFOp(ExtremumOperation):
    """The smaller operand. Section 8.7.17."""

    name = "cuda_tile.minf"


@cuda_tile_operation
class RemFOp(CudaTileOperation):
    """Remainder of the division rounded towards zero; has the sign of `lhs`. Section 8.7.21."""

    name = "cuda_tile.remf"

    lhs = operand_def(FLOAT_TILE)
    rhs = operand_def(FLOAT_TILE)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@cuda_tile_operation
class ATan2Op(CudaTileOperation):
    """Angle in radians with tangent `x / y`, in the quadrant their signs tell. Section 8.7.5."""

    name = "cuda_tile.atan2"

    x = operand_def(FLOAT_TILE)
    y = operand_def(FLOAT_TILE)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (all_types_match("x", "y", "result"),)
    SYNTAX: ClassVar = (
        Operand("x"),
        COMMA,
        Operand("y"),
        ATTRIBUTES,
        COLON,
        Type("x", "y", "result"),
    )
    SINCE: ClassVar = "13.2"

    def __init__(self, x: SSAValue, y: SSAValue):
        super().__init__(operands=[x, y], result_types=[x.type])


@cuda_tile_operation
class PowOp(CudaTileOperation):
    """`source` to the power of `exponent`; `fpowf` is another spelling of it. Section 8.7.20."""

    name = "cuda_tile.pow"

    source = operand_def(FLOAT_TILE)
    exponent = operand_def(FLOAT_TILE)
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        all_types_match("result", "source", "exponent"),
        all_ranks_match("source", "exponent", "result"),
    )
    SYNTAX: ClassVar = (
        Operand("source"),
        COMMA,
        Operand("exponent"),
        ATTRIBUTES,
        COLON,
        Type("source", "exponent", "result"),
    )

    def __init__(self, source: SSAValue, exponent: SSAValue):
        super().__init__(operands=[source, exponent], result_types=[source.type])


@cuda_tile_operation
class FPowFOp(CudaTileOperation):
    """The spelling `fpowf` of `pow`: reading it gives a `PowOp`."""

    name = "cuda_tile.fpowf"

    SYNTAX: ClassVar = PowOp.SYNTAX
    SINCE: ClassVar = "13.4"

    @classmethod
    def parse(cls, parser: Parser) -> CudaTileOperation:
        return PowOp.parse(parser)

    @classmethod
    def create(cls, **arguments: Any) -> PowOp:
        return PowOp.create(**arguments)


@cuda_tile_operation
class FPowIOp(CudaTileOperation):
    """`source` to the power of an integer tile of the same shape."""

    name = "cuda_tile.fpowi"

    source = operand_def(FLOAT_TILE)
    exponent = operand_def(tile_of("i1", "i8", "i16", "i32"))
    result = result_def(FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        all_types_match("result", "source"),
        all_shapes_match("source", "exponent"),
    )
    SYNTAX: ClassVar = (
        Operand("source"),
        COMMA,
        Operand("exponent"),
        ATTRIBUTES,
        COLON,
        Type("source", "result"),
        COMMA,
        Type("exponent"),
    )
    SINCE: ClassVar = "13.4"

    def __init__(self, source: SSAValue, exponent: SSAValue):
        super().__init__(operands=[source, exponent], result_types=[source.type])
