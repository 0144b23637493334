"""Splits a byte of two four-bit elements, and joins two elements.

A register holds a four-bit element in the low half of a byte, whose high half is zero. Float
conversions and `pack` use bytes of two elements; a byte that is split and joined again stays whole.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i8
from xdsl.ir import Operation, SSAValue

from ..thread.builder import LLVMBuilder

LOW_HALF = 0xF
"""A mask for the first of two elements."""

HALF_BITS = 4


def split_byte(builder: LLVMBuilder, byte: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The two elements of a byte, the low half first."""
    low = builder.compute(llvm.AndOp, byte, builder.integer(LOW_HALF, i8))
    return low, builder.compute(llvm.LShrOp, byte, builder.integer(HALF_BITS, i8))


def join_byte(builder: LLVMBuilder, low: SSAValue, high: SSAValue) -> SSAValue:
    """Joins two elements; returns the original byte if both are its halves."""
    byte = _operand_of(low, llvm.AndOp, LOW_HALF)
    if byte is not None and byte is _operand_of(high, llvm.LShrOp, HALF_BITS):
        return byte
    if _constant(high) == 0:
        return low
    shifted = builder.compute(llvm.ShlOp, high, builder.integer(HALF_BITS, i8))
    return builder.compute(llvm.OrOp, low, shifted)


def low_half(builder: LLVMBuilder, byte: SSAValue) -> SSAValue:
    """Clears the high half of a byte."""
    # A shift by four bits has filled the high half with zeros.
    if byte.type == i8 and _operand_of(byte, llvm.LShrOp, HALF_BITS) is not None:
        return byte
    return builder.compute(llvm.AndOp, byte, builder.integer(LOW_HALF, i8))


def _operand_of(value: SSAValue, op: type[Operation], known: int) -> SSAValue | None:
    """The left operand of `op` if `op` computes the value and its right operand is `known`;
    otherwise None.
    """
    owner = value.owner
    if not isinstance(owner, op) or _constant(owner.operands[1]) != known:
        return None
    return owner.operands[0]


def _constant(value: SSAValue) -> int | None:
    """The value of an integer constant, otherwise None."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
