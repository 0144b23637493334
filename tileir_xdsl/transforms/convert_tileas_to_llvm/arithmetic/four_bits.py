"""Two elements of four bits in a byte: apart, and together again.

A register holds an element of four bits as the low half of a byte, the high half zero. Conversions
of floats and `pack` have two in a byte; where both take the same two, the byte stays whole.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i8
from xdsl.ir import Operation, SSAValue

from ..thread.builder import LLVMBuilder

LOW_HALF = 0xF
"""The bits of the first of two elements."""

HALF_BITS = 4


def split_byte(builder: LLVMBuilder, byte: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The two elements of a byte, that of the low half first."""
    low = builder.compute(llvm.AndOp, byte, builder.integer(LOW_HALF, i8))
    return low, builder.compute(llvm.LShrOp, byte, builder.integer(HALF_BITS, i8))


def join_byte(builder: LLVMBuilder, low: SSAValue, high: SSAValue) -> SSAValue:
    """Two elements in a byte; the byte that both are the halves of, if there is one."""
    byte = _operand_of(low, llvm.AndOp, LOW_HALF)
    if byte is not None and byte is _operand_of(high, llvm.LShrOp, HALF_BITS):
        return byte
    if _constant(high) == 0:
        return low
    shifted = builder.compute(llvm.ShlOp, high, builder.integer(HALF_BITS, i8))
    return builder.compute(llvm.OrOp, low, shifted)


def low_half(builder: LLVMBuilder, byte: SSAValue) -> SSAValue:
    """The low half of a byte whose high half may be anything."""
    # A shift by four bits has filled the high half with zeros.
    if byte.type == i8 and _operand_of(byte, llvm.LShrOp, HALF_BITS) is not None:
        return byte
    return builder.compute(llvm.AndOp, byte, builder.integer(LOW_HALF, i8))


def _operand_of(value: SSAValue, op: type[Operation], known: int) -> SSAValue | None:
    """The left operand of the op that yields a value, if that is `op` with a known right one."""
    owner = value.owner
    if not isinstance(owner, op) or _constant(owner.operands[1]) != known:
        return None
    return owner.operands[0]


def _constant(value: SSAValue) -> int | None:
    """The number that a value always is, if it is a constant integer."""
    owner = value.owner
    if isinstance(owner, llvm.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None
