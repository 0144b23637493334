"""Which integers are known not to be negative."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntAttr, IntegerAttr
from xdsl.ir import OpResult, SSAValue

from tileir_xdsl.dialects import nv_tileaa


def is_non_negative(value: SSAValue) -> bool:
    """Whether a scalar integer is provably at least 0 when read as signed."""
    while isinstance(value, OpResult):
        match value.op:
            case nv_tileaa.GetProgramIdOp() | nv_tileaa.GetNumProgramsOp() | arith.ExtUIOp():
                return True
            case arith.ConstantOp(value=IntegerAttr() as constant):
                return constant.value.data >= 0
            case nv_tileaa.AssumeOp(predicate=nv_tileaa.BoundedAttr(lower=IntAttr() as lower)) if (
                lower.data >= 0
            ):
                return True
            case nv_tileaa.AssumeOp():
                value = value.op.value
            case arith.ExtSIOp():
                value = value.op.input
            case _:
                return False
    return False
