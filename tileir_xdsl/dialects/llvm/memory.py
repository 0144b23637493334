"""Masked vector accesses.

`llvm.intr.masked.load` is missing in xDSL; its `llvm.intr.masked.store` takes floats only, so a
subclass with the upstream operand types stands in for it.
"""

from dataclasses import replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import I1, IntegerAttr, UnitAttr, VectorType, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    OpDef,
    OperandDef,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa


def _verify_mask(mask: Attribute, value: Attribute) -> None:
    assert isa(mask, VectorType[I1])
    if not isa(value, VectorType) or value.get_shape() != mask.get_shape():
        raise VerifyException(f"expected mask {mask} and value {value} of the same shape")


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """A vector load of the elements whose mask bit is set; the others come from the pass-through.

    `%v = llvm.intr.masked.load %p, %mask, %other {alignment = 16 : i32}
    : (!llvm.ptr<1>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>`.
    Memory of an element that is masked off is not accessed. Without a pass-through such elements
    are poison. `alignment` is in bytes.
    """

    name = "llvm.intr.masked.load"

    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    pass_thru = var_operand_def(base(VectorType))
    alignment = prop_def(IntegerAttr[i32])
    nontemporal = opt_prop_def(UnitAttr)
    res = result_def(base(VectorType))

    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        data: Operation | SSAValue,
        mask: Operation | SSAValue,
        pass_thru: Operation | SSAValue | None,
        result_type: Attribute,
        alignment: int,
    ):
        super().__init__(
            operands=[data, mask, [] if pass_thru is None else [pass_thru]],
            result_types=[result_type],
            properties={"alignment": IntegerAttr(alignment, 32)},
        )

    def verify_(self) -> None:
        if len(self.pass_thru) > 1:
            raise VerifyException("expected at most one pass-through value")
        _verify_mask(self.mask.type, self.res.type)
        if any(value.type != self.res.type for value in self.pass_thru):
            raise VerifyException("expected the pass-through value to have the result type")


class MaskedStoreOp(llvm.MaskedStoreOp):
    """A vector store of the elements whose mask bit is set, of any element type.

    `llvm.intr.masked.store %v, %p, %mask {alignment = 16 : i32}
    : vector<4xf32>, vector<4xi1> into !llvm.ptr<1>`.
    Memory of an element that is masked off is not accessed. `alignment` is in bytes.
    """

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _MASKED_STORE_DEFINITION

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_mask(self.mask.type, self.value.type)


def _widen_value(definition: OpDef) -> OpDef:
    operands = [
        (name, OperandDef(base(VectorType)) if name == "value" else operand)
        for name, operand in definition.operands
    ]
    return replace(definition, operands=operands)


_MASKED_STORE_DEFINITION = _widen_value(llvm.MaskedStoreOp.get_irdl_definition())
