"""Integer operations.

Source: Tile IR specification, section 8.8 (integer). Arithmetic wraps around unless `overflow`
promises that it does not.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.traits import NoMemoryEffect, Pure

from tileir_xdsl.dialects.cuda_tile import interfaces
from tileir_xdsl.dialects.cuda_tile.enums import (
    IntegerOverflow,
    IntegerOverflowAttr,
    RoundingModeAttr,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    OVERFLOW,
    SIGNEDNESS_KEYWORD,
    Operand,
    Rounding,
    Type,
)
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness

_INTEGER_DIVISION_ROUNDING = (
    RoundingMode.ZERO,
    RoundingMode.NEGATIVE_INF,
    RoundingMode.POSITIVE_INF,
)


class BinaryIntegerOperation(interfaces.CudaTileOperation):
    """`result = lhs OP rhs`, element by element."""

    lhs = operand_def(interfaces.INTEGER_TILE)
    rhs = operand_def(interfaces.INTEGER_TILE)
    result = result_def(interfaces.INTEGER_TILE)

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


class OverflowOperation(interfaces.CudaTileOperation):
    """`result = lhs OP rhs`; wrap-around that `overflow` excludes is undefined behaviour."""

    lhs = operand_def(interfaces.INTEGER_TILE)
    rhs = operand_def(interfaces.INTEGER_TILE)
    overflow = prop_def(interfaces.OVERFLOW_FLAGS)
    result = result_def(interfaces.INTEGER_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        OVERFLOW,
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, overflow: IntegerOverflow = IntegerOverflow.NONE
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={"overflow": IntegerOverflowAttr(overflow)},
            result_types=[lhs.type],
        )


class SignednessOperation(interfaces.CudaTileOperation):
    """`result = lhs OP rhs`, whose meaning depends on the signedness of the operands."""

    lhs = operand_def(interfaces.INTEGER_TILE)
    rhs = operand_def(interfaces.INTEGER_TILE)
    signedness = prop_def(interfaces.SIGNEDNESS)
    result = result_def(interfaces.INTEGER_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        SIGNEDNESS_KEYWORD,
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, signedness: Signedness):
        super().__init__(
            operands=[lhs, rhs],
            properties={"signedness": SignednessAttr(signedness)},
            result_types=[lhs.type],
        )


@interfaces.cuda_tile_operation
class AddIOp(OverflowOperation):
    """Sum. Section 8.8.3."""

    name = "cuda_tile.addi"


@interfaces.cuda_tile_operation
class SubIOp(OverflowOperation):
    """Difference. Section 8.8.14."""

    name = "cuda_tile.subi"


@interfaces.cuda_tile_operation
class MulIOp(OverflowOperation):
    """Low half of the product. Section 8.8.7."""

    name = "cuda_tile.muli"


@interfaces.cuda_tile_operation
class ShLIOp(OverflowOperation):
    """`lhs` shifted left by `rhs` bits, read as unsigned. Section 8.8.12."""

    name = "cuda_tile.shli"


@interfaces.cuda_tile_operation
class ShRIOp(SignednessOperation):
    """`lhs` shifted right by `rhs` bits: arithmetic if signed, else logical. Section 8.8.13."""

    name = "cuda_tile.shri"


@interfaces.cuda_tile_operation
class MaxIOp(SignednessOperation):
    """The larger operand. Section 8.8.5."""

    name = "cuda_tile.maxi"


@interfaces.cuda_tile_operation
class MinIOp(SignednessOperation):
    """The smaller operand. Section 8.8.6."""

    name = "cuda_tile.mini"


@interfaces.cuda_tile_operation
class RemIOp(SignednessOperation):
    """Remainder of the division towards zero; has the sign of `lhs`. Section 8.8.11."""

    name = "cuda_tile.remi"

    RELATIONS: ClassVar = (interfaces.all_types_match("result", "lhs", "rhs"),)


@interfaces.cuda_tile_operation
class MulHiIOp(interfaces.CudaTileOperation):
    """High half of the unsigned product. Section 8.8.8."""

    name = "cuda_tile.mulhii"

    x = operand_def(interfaces.INTEGER_TILE)
    y = operand_def(interfaces.INTEGER_TILE)
    result = result_def(interfaces.INTEGER_TILE)

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

    def __init__(self, x: SSAValue, y: SSAValue):
        super().__init__(operands=[x, y], result_types=[x.type])


@interfaces.cuda_tile_operation
class DivIOp(interfaces.CudaTileOperation):
    """Quotient rounded towards zero, down or up; division by zero is undefined. Section 8.8.4."""

    name = "cuda_tile.divi"

    lhs = operand_def(interfaces.INTEGER_TILE)
    rhs = operand_def(interfaces.INTEGER_TILE)
    signedness = prop_def(interfaces.SIGNEDNESS)
    rounding = prop_def(interfaces.ROUNDING)
    result = result_def(interfaces.INTEGER_TILE)

    traits = traits_def(NoMemoryEffect())
    RELATIONS: ClassVar = (interfaces.all_types_match("lhs", "rhs", "result"),)
    SYNTAX: ClassVar = (
        Operand("lhs"),
        COMMA,
        Operand("rhs"),
        SIGNEDNESS_KEYWORD,
        Rounding(
            "rounding",
            _INTEGER_DIVISION_ROUNDING,
            RoundingMode.ZERO,
            strict=False,
            otherwise="",
        ),
        ATTRIBUTES,
        COLON,
        Type("lhs", "rhs", "result"),
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        signedness: Signedness,
        rounding: RoundingMode = RoundingMode.ZERO,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "signedness": SignednessAttr(signedness),
                "rounding": RoundingModeAttr(rounding),
            },
            result_types=[lhs.type],
        )

    def verify_operation(self) -> None:
        interfaces.verify_rounding(self, self.rounding, _INTEGER_DIVISION_ROUNDING)
        mode = self.rounding.data
        if mode is RoundingMode.NEGATIVE_INF and self.signedness.data is Signedness.UNSIGNED:
            self.fail("rounding mode 'negative_inf' is not allowed with 'unsigned' flag")


@interfaces.cuda_tile_operation
class AbsIOp(interfaces.CudaTileOperation):
    """Absolute value of a signed integer, as an unsigned one. Section 8.8.2."""

    name = "cuda_tile.absi"

    source = operand_def(interfaces.INTEGER_TILE)
    result = result_def(interfaces.INTEGER_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"), interfaces.SAME_SHAPE)
    SYNTAX: ClassVar = (Operand("source"), ATTRIBUTES, COLON, Type("source", "result"))

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[source.type])


@interfaces.cuda_tile_operation
class NegIOp(interfaces.CudaTileOperation):
    """Negation of a signed integer. Section 8.8.9. `overflow` since 13.2."""

    name = "cuda_tile.negi"

    source = operand_def(interfaces.INTEGER_TILE)
    overflow = prop_def(interfaces.OVERFLOW_FLAGS)
    result = result_def(interfaces.INTEGER_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (interfaces.all_types_match("source", "result"), interfaces.SAME_SHAPE)
    SYNTAX: ClassVar = (Operand("source"), OVERFLOW, ATTRIBUTES, COLON, Type("source", "result"))

    def __init__(self, source: SSAValue, overflow: IntegerOverflow = IntegerOverflow.NONE):
        super().__init__(
            operands=[source],
            properties={"overflow": IntegerOverflowAttr(overflow)},
            result_types=[source.type],
        )

    def verify_operation(self) -> None:
        # `no_wrap` is taken, as by tileiras.
        if self.overflow.data is IntegerOverflow.NO_UNSIGNED_WRAP:
            self.fail("'no_unsigned_wrap' overflow flag is not supported")
