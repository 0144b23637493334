"""`llvm.extractelement` and `llvm.mlir.poison`."""

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, SignlessIntegerConstraint, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    RangeOf,
    VarConstraint,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """`llvm.extractelement %vector[%position : i32] : vector<4xf32>`: one element of a vector.

    For an index outside the vector the result is poison.
    """

    name = "llvm.extractelement"

    ELEMENT: ClassVar = VarConstraint("ELEMENT", AnyAttr())

    vector = operand_def(
        VectorType.constr(ELEMENT, shape=ArrayAttr.constr(RangeOf(IntAttr).of_length(1)))
    )
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(ELEMENT)

    traits = traits_def(Pure())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: Operation | SSAValue, position: Operation | SSAValue):
        vector = SSAValue.get(vector)
        assert isa(vector.type, VectorType)
        super().__init__(operands=[vector, position], result_types=[vector.type.element_type])


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """`llvm.mlir.poison : i32`: the poison value of a type."""

    name = "llvm.mlir.poison"

    res = result_def()

    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])
