"""Floating-point operations.

Source: Tile IR specification, section 8.7 (floating point). `flush_to_zero` (f32 only) turns
subnormal inputs and results into zeros of the same sign.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces
from tileir_xdsl.dialects.cuda_tile.enums import RoundingModeAttr
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
from tileir_xdsl.dialects.enumerations import RoundingMode

IEEE_ROUNDING = (
    RoundingMode.NEAREST_EVEN,
    RoundingMode.ZERO,
    RoundingMode.NEGATIVE_INF,
    RoundingMode.POSITIVE_INF,
)
"""The rounding modes of IEEE 754, in the order in which diagnostics list them."""

APPROXIMATION = (RoundingMode.APPROX, RoundingMode.FULL)
"""The modes of approximate functions, which do not round as IEEE 754 does."""

_DIVISION_ROUNDING = (*IEEE_ROUNDING, *APPROXIMATION)


def ieee_rounding(name: str = "rounding_mode") -> Rounding:
    """`rounding<..>` of an operation that rounds as IEEE 754 does."""
    return Rounding(name, IEEE_ROUNDING, RoundingMode.NEAREST_EVEN, strict=True)


def unit_or_none(flag: bool) -> UnitAttr | None:
    """The unit attribute if `flag`, otherwise None."""
    return UnitAttr() if flag else None


class UnaryFloatOperation(interfaces.CudaTileOperation):
    """`result = OP(source)`, element by element."""

    source = operand_def(interfaces.FLOAT_TILE)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"),)
    SYNTAX: ClassVar = (Operand("source"), ATTRIBUTES, COLON, Type("source", "result"))

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[source.type])


class BinaryFloatOperation(interfaces.CudaTileOperation):
    """`result = lhs OP rhs`, element by element, rounded as `rounding_mode` says."""

    lhs = operand_def(interfaces.FLOAT_TILE)
    rhs = operand_def(interfaces.FLOAT_TILE)
    rounding_mode = prop_def(interfaces.ROUNDING)
    flush_to_zero = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
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
                "flush_to_zero": unit_or_none(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_rounding(self, self.rounding_mode, IEEE_ROUNDING)
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


class ExtremumOperation(interfaces.CudaTileOperation):
    """The larger or smaller of two numbers; -0.0 counts as less than +0.0.

    If one operand is NaN, the result is the other operand (IEEE 754-2019 maximumNumber,
    minimumNumber). With `propagate_nan` the result is NaN (maximum, minimum).
    """

    lhs = operand_def(interfaces.FLOAT_TILE)
    rhs = operand_def(interfaces.FLOAT_TILE)
    propagate_nan = opt_prop_def(interfaces.UNIT)
    flush_to_zero = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
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
                "propagate_nan": unit_or_none(propagate_nan),
                "flush_to_zero": unit_or_none(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


@interfaces.cuda_tile_operation
class AbsFOp(UnaryFloatOperation):
    """Absolute value. Section 8.7.3."""

    name = "cuda_tile.absf"

    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"), interfaces.SAME_SHAPE)


@interfaces.cuda_tile_operation
class NegFOp(UnaryFloatOperation):
    """Negation. Section 8.7.19."""

    name = "cuda_tile.negf"


@interfaces.cuda_tile_operation
class CeilOp(UnaryFloatOperation):
    """Smallest integer not less than the source. Section 8.7.6."""

    name = "cuda_tile.ceil"


@interfaces.cuda_tile_operation
class FloorOp(UnaryFloatOperation):
    """Largest integer not greater than the source. Section 8.7.12."""

    name = "cuda_tile.floor"


@interfaces.cuda_tile_operation
class AddFOp(BinaryFloatOperation):
    """Sum. Section 8.7.4."""

    name = "cuda_tile.addf"


@interfaces.cuda_tile_operation
class SubFOp(BinaryFloatOperation):
    """Difference. Section 8.7.26."""

    name = "cuda_tile.subf"


@interfaces.cuda_tile_operation
class MulFOp(BinaryFloatOperation):
    """Product. Section 8.7.18."""

    name = "cuda_tile.mulf"


@interfaces.cuda_tile_operation
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
        interfaces.verify_rounding(self, self.rounding_mode, _DIVISION_ROUNDING)
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)
        for mode in APPROXIMATION:
            interfaces.verify_f32_modifier(self, mode.value, self.rounding_mode.data is mode)


@interfaces.cuda_tile_operation
class FmaOp(interfaces.CudaTileOperation):
    """`lhs * rhs + acc`, rounded once. Section 8.7.13."""

    name = "cuda_tile.fma"

    lhs = operand_def(interfaces.FLOAT_TILE)
    rhs = operand_def(interfaces.FLOAT_TILE)
    acc = operand_def(interfaces.FLOAT_TILE)
    rounding_mode = prop_def(interfaces.ROUNDING)
    flush_to_zero = opt_prop_def(interfaces.UNIT)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "acc", "result"),)
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
                "flush_to_zero": unit_or_none(flush_to_zero),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_rounding(self, self.rounding_mode, IEEE_ROUNDING)
        interfaces.verify_f32_modifier(self, "flush_to_zero", self.flush_to_zero is not None)


@interfaces.cuda_tile_operation
class MaxFOp(ExtremumOperation):
    """The larger operand. Section 8.7.16."""

    name = "cuda_tile.maxf"


@interfaces.cuda_tile_operation
class MinFOp(ExtremumOperation):
    """The smaller operand. Section 8.7.17."""

    name = "cuda_tile.minf"


@interfaces.cuda_tile_operation
class RemFOp(interfaces.CudaTileOperation):
    """Remainder of the division rounded towards zero; has the sign of `lhs`. Section 8.7.21."""

    name = "cuda_tile.remf"

    lhs = operand_def(interfaces.FLOAT_TILE)
    rhs = operand_def(interfaces.FLOAT_TILE)
    result = result_def(interfaces.FLOAT_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
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
