"""Conversions between f32 and f16 or bf16, on scalars and vectors.

The hardware converts f16. Conversions of bf16 are emitted as integer arithmetic, since some targets
have no instructions for them.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, IntegerType, f32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, like
from tileir_xdsl.dialects.llvm import FCmpOp, SelectOp

_I16, _I32 = IntegerType(16), IntegerType(32)


def widen_float(code: LLVMCode, value: SSAValue) -> SSAValue:
    """An f16 or bf16 as f32, exactly; an f32 as it is."""
    element = element_of(value.type)
    if isinstance(element, Float32Type):
        return value
    wide = like(value.type, f32)
    if isinstance(element, Float16Type):
        return code.add(llvm.FPExtOp(value, wide))
    assert isinstance(element, BFloat16Type)
    bits = code.add(llvm.BitcastOp(value, like(value.type, _I16)))
    extended = code.add(llvm.ZExtOp(bits, like(value.type, _I32)))
    sixteen = code.constant(16, extended.type)
    return code.add(llvm.BitcastOp(code.add(llvm.ShlOp(extended, sixteen)), wide))


def narrow_float(code: LLVMCode, value: SSAValue, element: Attribute) -> SSAValue:
    """An f32 as f16 or bf16, rounded to nearest even; an f32 as it is."""
    if element == element_of(value.type):
        return value
    if isinstance(element, Float16Type):
        return code.add(llvm.FPTruncOp(value, like(value.type, element)))
    assert isinstance(element, BFloat16Type)
    word = like(value.type, _I32)
    bits = code.add(llvm.BitcastOp(value, word))
    # Half a unit less one, and one more where the last bit that stays is odd: ties go to even.
    last = code.add(llvm.LShrOp(bits, code.constant(16, word)))
    odd = code.add(llvm.AndOp(last, code.constant(1, word)))
    rounded = code.plus(bits, code.plus(odd, code.constant(0x7FFF, word)))
    # A NaN whose upper bits are all set would be rounded to a number.
    is_nan = code.add(FCmpOp(value, value, "uno"))
    quiet = code.constant(0x7FC00000, word)
    kept = code.add(SelectOp(is_nan, quiet, rounded))
    upper = code.add(llvm.LShrOp(kept, code.constant(16, word)))
    half = code.add(llvm.TruncOp(upper, like(value.type, _I16)))
    return code.add(llvm.BitcastOp(half, like(value.type, element)))
