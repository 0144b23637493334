"""Elementwise arithmetic that `arith` cannot carry: rounding modes, flush-to-zero, tensor forms.

Operands and results are tensors of one shape, or scalars.
"""

from typing import ClassVar

from xdsl.dialects.arith import IntegerOverflowAttr, floatingPointLike
from xdsl.dialects.builtin import IntegerType, TensorType, UnitAttr, f32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from .attributes import (
    RoundingMode,
    RoundingModeAttr,
)
from .syntax import Rounding
from .types import tile_shape

INTEGER_TILE = AnyOf(
    (
        base(IntegerType),
        ParamAttrConstraint(TensorType, (AnyAttr(), base(IntegerType), AnyAttr())),
    )
)
"""A scalar integer, or a tensor of integers with any shape and encoding."""


@irdl_op_definition
class AddFOp(IRDLOperation):
    """Floating-point addition with a rounding mode; flush-to-zero keeps the sign of a subnormal."""

    name = "nv_tileaa.addf"

    T: ClassVar = VarConstraint("T", floatingPointLike)

    lhs = operand_def(T)
    rhs = operand_def(T)
    rounding_mode = prop_def(RoundingModeAttr)
    flush_to_zero = opt_prop_def(UnitAttr)
    result = result_def(T)

    custom_directives = (Rounding,)
    traits = traits_def(Pure(), Commutative())
    assembly_format = (
        "$lhs `,` $rhs custom<Rounding>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? "
        "attr-dict `:` type($result)"
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
                "flush_to_zero": UnitAttr() if flush_to_zero else None,
            },
            result_types=[lhs.type],
        )

    def verify_(self) -> None:
        element = tile_shape(self.result.type).element
        if self.flush_to_zero is not None and element != f32:
            raise VerifyException(
                f"flush_to_zero modifier only supported for f32 data type, but got: '{element}'"
            )


@irdl_op_definition
class AddIOp(IRDLOperation):
    """Integer addition; the overflow flags promise that it does not wrap."""

    name = "nv_tileaa.addi"

    T: ClassVar = VarConstraint("T", INTEGER_TILE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    overflow_flags = opt_prop_def(IntegerOverflowAttr, prop_name="overflowFlags")
    result = result_def(T)

    traits = traits_def(Pure(), Commutative())
    assembly_format = "$lhs `,` $rhs (`overflow` `` $overflowFlags^)? attr-dict `:` type($result)"

    def __init__(
        self, lhs: SSAValue, rhs: SSAValue, overflow_flags: IntegerOverflowAttr | None = None
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={"overflowFlags": overflow_flags},
            result_types=[lhs.type],
        )
