"""Floating-point functions: powers, logarithms, roots and trigonometry.

Source: Tile IR specification, section 8.7 (floating point), under the name math.
"""

from __future__ import annotations

from typing import Any, ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces
from tileir_xdsl.dialects.cuda_tile.enums import RoundingModeAttr
from tileir_xdsl.dialects.cuda_tile.floating_point import (
    APPROXIMATION,
    IEEE_ROUNDING,
    UnaryFloatOperation,
    unit_or_none,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    Flag,
    Operand,
    Rounding,
    Type,
)
from tileir_xdsl.dialects.enumerations import RoundingMode

_SQUARE_ROOT_ROUNDING = (*IEEE_ROUNDING, RoundingMode.APPROX)


class FlushableUnaryFloatOperation(interfaces.CudaTileOperation):
    """`result = OP(source)`, element by element, with `flush_to_zero`."""

    source = operand_def(interfaces.FLOAT_TILE)
    flush_to_zero = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"),)
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
            properties={"flush_to_zero": unit_or_none(flush_to_zero)},
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


class ApproximableUnaryFloatOperation(interfaces.CudaTileOperation):
    """`result = OP(source)`, element by element, at full precision or approximated (f32 only)."""

    source = operand_def(interfaces.FLOAT_TILE)
    rounding_mode = opt_prop_def(interfaces.ROUNDING, RoundingModeAttr(RoundingMode.FULL))
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"),)
    SYNTAX: ClassVar = (
        Operand("source"),
        Rounding("rounding_mode", APPROXIMATION, RoundingMode.FULL, strict=False),
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
        interfaces.verify_rounding(self, self.rounding_mode, APPROXIMATION)
        interfaces.verify_f32_modifier(
            self, "approx", self.rounding_mode.data is RoundingMode.APPROX
        )


@interfaces.cuda_tile_operation
class CosOp(UnaryFloatOperation):
    """Cosine of an angle in radians. Section 8.7.8."""

    name = "cuda_tile.cos"


@interfaces.cuda_tile_operation
class CosHOp(UnaryFloatOperation):
    """Hyperbolic cosine. Section 8.7.7."""

    name = "cuda_tile.cosh"


@interfaces.cuda_tile_operation
class SinOp(UnaryFloatOperation):
    """Sine of an angle in radians. Section 8.7.24."""

    name = "cuda_tile.sin"


@interfaces.cuda_tile_operation
class SinHOp(UnaryFloatOperation):
    """Hyperbolic sine. Section 8.7.23."""

    name = "cuda_tile.sinh"


@interfaces.cuda_tile_operation
class TanOp(UnaryFloatOperation):
    """Tangent of an angle in radians. Section 8.7.28."""

    name = "cuda_tile.tan"


@interfaces.cuda_tile_operation
class LogOp(UnaryFloatOperation):
    """Natural logarithm. Section 8.7.15."""

    name = "cuda_tile.log"


@interfaces.cuda_tile_operation
class Log2Op(UnaryFloatOperation):
    """Logarithm to base 2. Section 8.7.14."""

    name = "cuda_tile.log2"


@interfaces.cuda_tile_operation
class ExpOp(ApproximableUnaryFloatOperation):
    """Exponential. Section 8.7.11. `rounding_mode` since 13.3."""

    name = "cuda_tile.exp"


@interfaces.cuda_tile_operation
class TanHOp(ApproximableUnaryFloatOperation):
    """Hyperbolic tangent. Section 8.7.27. `rounding_mode` since 13.2."""

    name = "cuda_tile.tanh"


@interfaces.cuda_tile_operation
class Exp2Op(FlushableUnaryFloatOperation):
    """2 to the power of the source. Section 8.7.10."""

    name = "cuda_tile.exp2"


@interfaces.cuda_tile_operation
class RsqrtOp(FlushableUnaryFloatOperation):
    """Reciprocal of the square root. Section 8.7.22."""

    name = "cuda_tile.rsqrt"


@interfaces.cuda_tile_operation
class SqrtOp(interfaces.CudaTileOperation):
    """Square root, rounded as `rounding_mode` says; `approx` for f32 only. Section 8.7.25."""

    name = "cuda_tile.sqrt"

    source = operand_def(interfaces.FLOAT_TILE)
    rounding_mode = prop_def(interfaces.ROUNDING)
    flush_to_zero = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"),)
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
                "flush_to_zero": unit_or_none(flush_to_zero),
            },
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_rounding(self, self.rounding_mode, _SQUARE_ROOT_ROUNDING)
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)
        interfaces.verify_f32_modifier(
            self, "approx", self.rounding_mode.data is RoundingMode.APPROX
        )


@interfaces.cuda_tile_operation
class ATan2Op(interfaces.CudaTileOperation):
    """Angle in radians with tangent `x / y`, in the quadrant of the point (y, x). Section 8.7.5."""

    name = "cuda_tile.atan2"

    x = operand_def(interfaces.FLOAT_TILE)
    y = operand_def(interfaces.FLOAT_TILE)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("x", "y", "result"),)
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


@interfaces.cuda_tile_operation
class PowOp(interfaces.CudaTileOperation):
    """`source` to the power of `exponent`; `fpowf` is another spelling of `pow`. Section 8.7.20."""

    name = "cuda_tile.pow"

    source = operand_def(interfaces.FLOAT_TILE)
    exponent = operand_def(interfaces.FLOAT_TILE)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_types_match("result", "source", "exponent"),
        interfaces.all_ranks_match("source", "exponent", "result"),
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


@interfaces.cuda_tile_operation
class FPowFOp(interfaces.CudaTileOperation):
    """The spelling `fpowf` of `pow`: parsing it returns a `PowOp`."""

    name = "cuda_tile.fpowf"

    SYNTAX: ClassVar = PowOp.SYNTAX
    SINCE: ClassVar = "13.4"

    @classmethod
    def parse(cls, parser: Parser) -> interfaces.CudaTileOperation:
        return PowOp.parse(parser)

    @classmethod
    def create(cls, **arguments: Any) -> PowOp:
        return PowOp.create(**arguments)


@interfaces.cuda_tile_operation
class FPowIOp(interfaces.CudaTileOperation):
    """`source` to the power of an integer tile of the same shape."""

    name = "cuda_tile.fpowi"

    source = operand_def(interfaces.FLOAT_TILE)
    exponent = operand_def(interfaces.tile_of("i1", "i8", "i16", "i32"))
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_types_match("result", "source"),
        interfaces.all_shapes_match("source", "exponent"),
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
