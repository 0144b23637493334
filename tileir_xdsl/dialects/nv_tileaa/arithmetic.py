"""Elementwise arithmetic that `arith` cannot carry: rounding modes, flush-to-zero, tensor forms.

Operands and results are tensors of one shape, or scalars.
"""

from abc import ABC
from typing import ClassVar

from xdsl.dialects.arith import IntegerOverflowAttr, floatingPointLike
from xdsl.dialects.builtin import IntegerType, TensorType, UnitAttr, f32, i1
from xdsl.ir import Attribute, SSAValue
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
    ComparisonPredicate,
    ComparisonPredicateAttr,
    RoundingMode,
    RoundingModeAttr,
)
from .syntax import Predicate, Rounding
from .types import tile_shape, tile_type

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


@irdl_op_definition
class CmpIOp(IRDLOperation):
    """Integer comparison, element by element; predicates as in `arith.cmpi`."""

    name = "nv_tileaa.cmpi"

    T: ClassVar = VarConstraint("T", INTEGER_TILE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    predicate = prop_def(ComparisonPredicateAttr)
    result = result_def(INTEGER_TILE)

    custom_directives = (Predicate,)
    traits = traits_def(Pure())
    assembly_format = (
        "custom<Predicate>($predicate) $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"
    )

    def __init__(self, predicate: ComparisonPredicate, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            properties={"predicate": ComparisonPredicateAttr(predicate)},
            result_types=[tile_type(tile_shape(lhs.type).shape, i1)],
        )

    def verify_(self) -> None:
        operand, result = tile_shape(self.lhs.type), tile_shape(self.result.type)
        if result.element != i1 or result.shape != operand.shape:
            raise VerifyException("Result type has i1 element type and same shape as operands")


class ExtensionOp(IRDLOperation, ABC):
    """Base of the integer extensions, of scalars and of tensors."""

    source = operand_def(INTEGER_TILE)
    result = result_def(INTEGER_TILE)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = tile_shape(self.source.type), tile_shape(self.result.type)
        assert isinstance(source.element, IntegerType) and isinstance(result.element, IntegerType)
        if source.shape != result.shape:
            raise VerifyException("requires the same shape for source and result")
        if result.element.width.data <= source.element.width.data:
            raise VerifyException("extending to smaller or identical integer")


@irdl_op_definition
class ExtSIOp(ExtensionOp):
    """Sign extension."""

    name = "nv_tileaa.extsi"


@irdl_op_definition
class ExtUIOp(ExtensionOp):
    """Zero extension."""

    name = "nv_tileaa.extui"
