"""Casts between floats and integers and between address spaces, and `llvm.freeze`."""

import abc
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

FLOAT = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGER = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)


class FloatToIntegerOp(IRDLOperation, abc.ABC):
    """Rounds towards zero; a value outside the result type is poison."""

    arg = operand_def(FLOAT)
    res = result_def(INTEGER)

    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: Operation | SSAValue, result_type: Attribute):
        super().__init__(operands=[arg], result_types=[result_type])


@irdl_op_definition
class FPToSIOp(FloatToIntegerOp):
    """`llvm.fptosi %a : f32 to i32`: float to signed integer."""

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(FloatToIntegerOp):
    """`llvm.fptoui %a : f32 to i32`: float to unsigned integer."""

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(IRDLOperation):
    """`llvm.uitofp nneg %a : i32 to f32`: unsigned integer to float, rounded to nearest even.

    `nneg` promises that the operand, read as signed, is not negative.
    """

    name = "llvm.uitofp"

    arg = operand_def(INTEGER)
    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")
    res = result_def(FLOAT)

    traits = traits_def(Pure())
    assembly_format = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: Operation | SSAValue, result_type: Attribute, *, non_neg: bool = False):
        super().__init__(
            operands=[arg],
            result_types=[result_type],
            properties={"nonNeg": UnitAttr() if non_neg else None},
        )


@irdl_op_definition
class AddrSpaceCastOp(IRDLOperation):
    """`llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr`: converts to another address space."""

    name = "llvm.addrspacecast"

    arg = operand_def(LLVMPointerType)
    res = result_def(LLVMPointerType)

    traits = traits_def(Pure())
    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: Operation | SSAValue, result_type: LLVMPointerType):
        super().__init__(operands=[arg], result_types=[result_type])


@irdl_op_definition
class FreezeOp(IRDLOperation):
    """`llvm.freeze %a : i32`: the operand, or some fixed value where it is undef or poison."""

    name = "llvm.freeze"

    T: ClassVar = VarConstraint("T", AnyAttr())

    val = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$val attr-dict `:` type($val)"

    def __init__(self, val: Operation | SSAValue):
        val = SSAValue.get(val)
        super().__init__(operands=[val], result_types=[val.type])
