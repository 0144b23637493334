"""Floating-point ops with rounding modes and flush-to-zero, which `arith` and `math` lack.

Operands and results are tensors of one shape, or scalars. `flush_to_zero` replaces subnormals by
zeros of the same sign. Source: Tile IR specification, section "Floating Point".
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr, f32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.element_interfaces import ElementwiseOpInterface
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

from .attributes import RoundingModeAttr
from .constraints import FLOATS, INTEGERS, element_type, verify_same_shape
from .syntax import Accuracy, Rounding

IEEE_ROUNDING = (
    RoundingMode.NEAREST_EVEN,
    RoundingMode.ZERO,
    RoundingMode.NEGATIVE_INF,
    RoundingMode.POSITIVE_INF,
)
ACCURACY = (RoundingMode.APPROX, RoundingMode.FULL)
ROUNDING_AND_FLUSH = "custom<Rounding>($rounding_mode) (`flush_to_zero` $flush_to_zero^)? "


def unit(flag: bool) -> UnitAttr | None:
    """The unit attribute if `flag`, otherwise None."""
    return UnitAttr() if flag else None


def verify_f32_modifier(modifier: str, op: IRDLOperation) -> None:
    """Raises `VerifyException` unless `op` computes in f32."""
    element = element_type(op.results[0])
    if element != f32:
        raise VerifyException(
            f"{modifier} modifier only supported for f32 data type, but got: '{element}'"
        )


def verify_rounding(op: IRDLOperation, allowed: Sequence[RoundingMode]) -> None:
    """Raises `VerifyException` unless the rounding mode is allowed for the op and its type."""
    mode = op.properties["rounding_mode"]
    assert isinstance(mode, RoundingModeAttr)
    if mode.data not in allowed:
        raise VerifyException(
            f"expects one of the rounding modes {', '.join(allowed)}, but got {mode.data}"
        )
    if mode.data == RoundingMode.APPROX:
        verify_f32_modifier(mode.data, op)


class FloatOp(IRDLOperation, ElementwiseOpInterface):
    """Base of the ops on floats of one type; `ROUNDING` lists the rounding modes, if any."""

    ROUNDING: ClassVar[Sequence[RoundingMode]] = IEEE_ROUNDING

    T: ClassVar = VarConstraint("T", FLOATS)

    result = result_def(T)

    custom_directives = (Rounding, Accuracy)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        if "rounding_mode" in self.properties:
            verify_rounding(self, self.ROUNDING)
        if "flush_to_zero" in self.properties:
            verify_f32_modifier("flush_to_zero", self)


class BinaryFloatOp(FloatOp):
    """Base of the rounding ops on two floats."""

    lhs = operand_def(FloatOp.T)
    rhs = operand_def(FloatOp.T)
    rounding_mode = prop_def(RoundingModeAttr)
    flush_to_zero = opt_prop_def(UnitAttr)

    assembly_format = "$lhs `,` $rhs " + ROUNDING_AND_FLUSH + "attr-dict `:` type($result)"

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
                "flush_to_zero": unit(flush_to_zero),
            },
            result_types=[lhs.type],
        )


@irdl_op_definition
class AddFOp(BinaryFloatOp):
    """`lhs + rhs`."""

    name = "nv_tileaa.addf"

    traits = traits_def(Commutative())


@irdl_op_definition
class SubFOp(BinaryFloatOp):
    """`lhs - rhs`."""

    name = "nv_tileaa.subf"


@irdl_op_definition
class MulFOp(BinaryFloatOp):
    """`lhs * rhs`."""

    name = "nv_tileaa.mulf"

    traits = traits_def(Commutative())


@irdl_op_definition
class DivFOp(BinaryFloatOp):
    """`lhs / rhs`; `approx` and `full` are faster and less exact, for f32 only."""

    name = "nv_tileaa.divf"

    ROUNDING: ClassVar[Sequence[RoundingMode]] = (*IEEE_ROUNDING, *ACCURACY)

    def verify_(self) -> None:
        super().verify_()
        if self.rounding_mode.data == RoundingMode.FULL:
            verify_f32_modifier("full", self)


@irdl_op_definition
class FmaOp(FloatOp):
    """`a * b + c`, rounded once."""

    name = "nv_tileaa.fma"

    a = operand_def(FloatOp.T)
    b = operand_def(FloatOp.T)
    c = operand_def(FloatOp.T)
    rounding_mode = prop_def(RoundingModeAttr)
    flush_to_zero = opt_prop_def(UnitAttr)

    assembly_format = "$a `,` $b `,` $c " + ROUNDING_AND_FLUSH + "attr-dict `:` type($result)"

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[a, b, c],
            properties={
                "rounding_mode": RoundingModeAttr(rounding_mode),
                "flush_to_zero": unit(flush_to_zero),
            },
            result_types=[a.type],
        )


@irdl_op_definition
class SqrtOp(FloatOp):
    """The square root; `approx` for f32 only."""

    name = "nv_tileaa.sqrt"

    ROUNDING: ClassVar[Sequence[RoundingMode]] = (*IEEE_ROUNDING, RoundingMode.APPROX)

    x = operand_def(FloatOp.T)
    rounding_mode = prop_def(RoundingModeAttr)
    flush_to_zero = opt_prop_def(UnitAttr)

    assembly_format = "$x " + ROUNDING_AND_FLUSH + "attr-dict `:` type($result)"

    def __init__(
        self,
        x: SSAValue,
        rounding_mode: RoundingMode = RoundingMode.NEAREST_EVEN,
        flush_to_zero: bool = False,
    ):
        super().__init__(
            operands=[x],
            properties={
                "rounding_mode": RoundingModeAttr(rounding_mode),
                "flush_to_zero": unit(flush_to_zero),
            },
            result_types=[x.type],
        )


class FlushableOp(FloatOp):
    """Base of the functions of one float with `flush_to_zero`."""

    x = operand_def(FloatOp.T)
    flush_to_zero = opt_prop_def(UnitAttr)

    assembly_format = "$x (`flush_to_zero` $flush_to_zero^)? attr-dict `:` type($result)"

    def __init__(self, x: SSAValue, flush_to_zero: bool = False):
        super().__init__(
            operands=[x],
            properties={"flush_to_zero": unit(flush_to_zero)},
            result_types=[x.type],
        )


@irdl_op_definition
class RsqrtOp(FlushableOp):
    """The reciprocal of the square root."""

    name = "nv_tileaa.rsqrt"


@irdl_op_definition
class Exp2Op(FlushableOp):
    """2 to the power of `x`."""

    name = "nv_tileaa.exp2"


class TranscendentalOp(FloatOp):
    """Base of the functions of one float; `approx`, for f32 only, uses the hardware instruction."""

    ROUNDING: ClassVar[Sequence[RoundingMode]] = ACCURACY

    x = operand_def(FloatOp.T)
    rounding_mode = prop_def(RoundingModeAttr)

    assembly_format = "$x custom<Accuracy>($rounding_mode) attr-dict `:` type($result)"

    def __init__(self, x: SSAValue, rounding_mode: RoundingMode = RoundingMode.FULL):
        super().__init__(
            operands=[x],
            properties={"rounding_mode": RoundingModeAttr(rounding_mode)},
            result_types=[x.type],
        )


@irdl_op_definition
class ExpOp(TranscendentalOp):
    """The exponential function."""

    name = "nv_tileaa.exp"


@irdl_op_definition
class Log2Op(TranscendentalOp):
    """The logarithm to base 2."""

    name = "nv_tileaa.log2"


@irdl_op_definition
class SinOp(TranscendentalOp):
    """The sine of an angle in radians."""

    name = "nv_tileaa.sin"


@irdl_op_definition
class CosOp(TranscendentalOp):
    """The cosine of an angle in radians."""

    name = "nv_tileaa.cos"


@irdl_op_definition
class TanhOp(TranscendentalOp):
    """The hyperbolic tangent."""

    name = "nv_tileaa.tanh"


class ExtremumOp(FloatOp):
    """Base of minimum and maximum; of a number and NaN the result is the number, or NaN with
    `propagate_nan`.
    """

    lhs = operand_def(FloatOp.T)
    rhs = operand_def(FloatOp.T)
    propagate_nan = opt_prop_def(UnitAttr)
    flush_to_zero = opt_prop_def(UnitAttr)

    traits = traits_def(Commutative())
    assembly_format = (
        "$lhs `,` $rhs (`propagate_nan` $propagate_nan^)? "
        "(`flush_to_zero` $flush_to_zero^)? attr-dict `:` type($result)"
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
                "propagate_nan": unit(propagate_nan),
                "flush_to_zero": unit(flush_to_zero),
            },
            result_types=[lhs.type],
        )


@irdl_op_definition
class MaxFOp(ExtremumOp):
    """The larger operand."""

    name = "nv_tileaa.maxf"


@irdl_op_definition
class MinFOp(ExtremumOp):
    """The smaller operand."""

    name = "nv_tileaa.minf"


@irdl_op_definition
class ClampFOp(FloatOp):
    """`min(max(x, min), max)`; for NaN in `x` the result is `min`, or NaN with `propagate_nan`."""

    name = "nv_tileaa.clampf"

    x = operand_def(FloatOp.T)
    min = operand_def(FloatOp.T)
    max = operand_def(FloatOp.T)
    propagate_nan = opt_prop_def(UnitAttr)

    assembly_format = (
        "$x `,` $min `,` $max (`propagate_nan` $propagate_nan^)? attr-dict `:` type($result)"
    )

    def __init__(self, x: SSAValue, min: SSAValue, max: SSAValue, propagate_nan: bool = False):
        super().__init__(
            operands=[x, min, max],
            properties={"propagate_nan": unit(propagate_nan)},
            result_types=[x.type],
        )


@irdl_op_definition
class RemFOp(FloatOp):
    """The remainder of the division rounded toward zero; it has the sign of `lhs`."""

    name = "nv_tileaa.remf"

    lhs = operand_def(FloatOp.T)
    rhs = operand_def(FloatOp.T)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class FPowIOp(FloatOp):
    """`base` to the power of a signed integer."""

    name = "nv_tileaa.fpowi"

    base = operand_def(FloatOp.T)
    exponent = operand_def(INTEGERS)

    assembly_format = "$base `,` $exponent attr-dict `:` type($base) `,` type($exponent)"

    def __init__(self, base: SSAValue, exponent: SSAValue):
        super().__init__(operands=[base, exponent], result_types=[base.type])

    def verify_(self) -> None:
        verify_same_shape([self.base, self.exponent])
