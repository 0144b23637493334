"""Calls of LLVM's intrinsics, and choices between values, on scalars and vectors."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, BFloat16Type, IntegerType
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, lanes_of
from tileir_xdsl.dialects.llvm import SelectOp


def suffix(value_type: Attribute) -> str:
    """The end of the name of an LLVM intrinsic on a type: `f32`, `v16f32`."""
    element, lanes = element_of(value_type), lanes_of(value_type)
    match element:
        case IntegerType():
            name = f"i{element.width.data}"
        case BFloat16Type():
            name = "bf16"
        case llvm.LLVMPointerType():
            name = "p0"
        case _ if isinstance(element, AnyFloat):
            name = f"f{element.bitwidth}"
        case _:
            raise ValueError(f"no LLVM intrinsic is known for type {element}")
    return name if lanes is None else f"v{lanes}{name}"


def intrinsic(code: LLVMCode, name: str, *operands: SSAValue) -> SSAValue:
    """Calls an LLVM intrinsic whose result has the type of its first operand."""
    kind = operands[0].type
    result = code.call_intrinsic(f"llvm.{name}.{suffix(kind)}", operands, kind)
    assert result is not None
    return result


def select(code: LLVMCode, condition: SSAValue, yes: SSAValue, no: SSAValue) -> SSAValue:
    return code.add(SelectOp(condition, yes, no))
