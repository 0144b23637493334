"""Intrinsics on integers and floats that xDSL's `llvm` dialect lacks.

`ctlz`, `cttz` and `abs` have no custom form, as upstream, and print generically.
"""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    BoolAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"
_INTEGER = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)
_FLOAT = AnyFloatConstr | VectorType.constr(AnyFloatConstr)


class IntegerUnaryIntrinsicOp(IRDLOperation, abc.ABC):
    """An op from an integer to an integer of the same type."""

    T: ClassVar = VarConstraint("T", _INTEGER)
    operand = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT

    def __init__(self, operand: Operation | SSAValue):
        operand = SSAValue.get(operand)
        super().__init__(operands=[operand], result_types=[operand.type])


@irdl_op_definition
class CtPopOp(IntegerUnaryIntrinsicOp):
    """The number of one bits."""

    name = "llvm.intr.ctpop"


@irdl_op_definition
class BitReverseOp(IntegerUnaryIntrinsicOp):
    """The bits in reverse order."""

    name = "llvm.intr.bitreverse"


@irdl_op_definition
class ByteSwapOp(IntegerUnaryIntrinsicOp):
    """The bytes in reverse order."""

    name = "llvm.intr.bswap"


class CountZerosOp(IRDLOperation, abc.ABC):
    """Counts zero bits; for zero the result is the bit width, or poison if `is_zero_poison`."""

    T: ClassVar = VarConstraint("T", _INTEGER)
    operand = operand_def(T)
    is_zero_poison = prop_def(BoolAttr)
    res = result_def(T)
    traits = traits_def(Pure())

    def __init__(self, operand: Operation | SSAValue, is_zero_poison: bool = False):
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand],
            result_types=[operand.type],
            properties={"is_zero_poison": IntegerAttr.from_bool(is_zero_poison)},
        )


@irdl_op_definition
class CountLeadingZerosOp(CountZerosOp):
    """The number of leading zero bits."""

    name = "llvm.intr.ctlz"


@irdl_op_definition
class CountTrailingZerosOp(CountZerosOp):
    """The number of trailing zero bits."""

    name = "llvm.intr.cttz"


@irdl_op_definition
class AbsOp(IRDLOperation):
    """The absolute value; for the smallest integer the result is that integer, or poison."""

    name = "llvm.intr.abs"

    T: ClassVar = VarConstraint("T", _INTEGER)
    operand = operand_def(T)
    is_int_min_poison = prop_def(BoolAttr)
    res = result_def(T)
    traits = traits_def(Pure())

    def __init__(self, operand: Operation | SSAValue, is_int_min_poison: bool = False):
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand],
            result_types=[operand.type],
            properties={"is_int_min_poison": IntegerAttr.from_bool(is_int_min_poison)},
        )


class IntegerBinaryIntrinsicOp(IRDLOperation, abc.ABC):
    """An op from two integers to an integer of the same type."""

    T: ClassVar = VarConstraint("T", _INTEGER)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT

    def __init__(self, lhs: Operation | SSAValue, rhs: Operation | SSAValue):
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class SMaxOp(IntegerBinaryIntrinsicOp):
    """The larger of two signed integers."""

    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsicOp):
    """The smaller of two signed integers."""

    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsicOp):
    """The larger of two unsigned integers."""

    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsicOp):
    """The smaller of two unsigned integers."""

    name = "llvm.intr.umin"


class FunnelShiftOp(IRDLOperation, abc.ABC):
    """Shifts the double-width integer `high:low` by an amount modulo the bit width."""

    T: ClassVar = VarConstraint("T", _INTEGER)
    high = operand_def(T)
    low = operand_def(T)
    amount = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT

    def __init__(
        self, high: Operation | SSAValue, low: Operation | SSAValue, amount: Operation | SSAValue
    ):
        high = SSAValue.get(high)
        super().__init__(operands=[high, low, amount], result_types=[high.type])


@irdl_op_definition
class FShlOp(FunnelShiftOp):
    """The high half of `high:low` shifted left."""

    name = "llvm.intr.fshl"


@irdl_op_definition
class FShrOp(FunnelShiftOp):
    """The low half of `high:low` shifted right."""

    name = "llvm.intr.fshr"


def _fast_math(flags: FastMathAttr | FastMathFlag | None) -> FastMathAttr:
    return flags if isinstance(flags, FastMathAttr) else FastMathAttr(flags)


class FloatUnaryIntrinsicOp(IRDLOperation, abc.ABC):
    """An op from a float to a float of the same type."""

    T: ClassVar = VarConstraint("T", _FLOAT)
    operand = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT

    def __init__(
        self, operand: Operation | SSAValue, fast_math: FastMathAttr | FastMathFlag | None = None
    ):
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand],
            result_types=[operand.type],
            properties={"fastmathFlags": _fast_math(fast_math)},
        )


@irdl_op_definition
class TruncateOp(FloatUnaryIntrinsicOp):
    """Rounds towards zero to an integral value."""

    name = "llvm.intr.trunc"


@irdl_op_definition
class RintOp(FloatUnaryIntrinsicOp):
    """Rounds to the nearest integral value, ties to even."""

    name = "llvm.intr.rint"


@irdl_op_definition
class RoundEvenOp(FloatUnaryIntrinsicOp):
    """Rounds to the nearest integral value, ties to even."""

    name = "llvm.intr.roundeven"


@irdl_op_definition
class RoundOp(FloatUnaryIntrinsicOp):
    """Rounds to the nearest integral value, ties away from zero."""

    name = "llvm.intr.round"


@irdl_op_definition
class TanhOp(FloatUnaryIntrinsicOp):
    """The hyperbolic tangent."""

    name = "llvm.intr.tanh"


class FloatBinaryIntrinsicOp(IRDLOperation, abc.ABC):
    """An op from two floats to a float of the same type."""

    T: ClassVar = VarConstraint("T", _FLOAT)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT

    def __init__(
        self,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[lhs.type],
            properties={"fastmathFlags": _fast_math(fast_math)},
        )


@irdl_op_definition
class MaximumOp(FloatBinaryIntrinsicOp):
    """The larger float; NaN if either operand is NaN; +0.0 above -0.0."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryIntrinsicOp):
    """The smaller float; NaN if either operand is NaN; -0.0 below +0.0."""

    name = "llvm.intr.minimum"


@irdl_op_definition
class FMulAddOp(IRDLOperation):
    """`a * b + c`, rounded once or twice."""

    name = "llvm.intr.fmuladd"

    T: ClassVar = VarConstraint("T", _FLOAT)
    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT

    def __init__(
        self,
        a: Operation | SSAValue,
        b: Operation | SSAValue,
        c: Operation | SSAValue,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        a = SSAValue.get(a)
        super().__init__(
            operands=[a, b, c],
            result_types=[a.type],
            properties={"fastmathFlags": _fast_math(fast_math)},
        )


@irdl_op_definition
class TrapOp(IRDLOperation):
    """Stops the kernel with an error."""

    name = "llvm.intr.trap"

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()
