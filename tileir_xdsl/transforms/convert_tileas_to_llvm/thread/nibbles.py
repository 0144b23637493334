"""Elements of four bits: registers hold each in a byte, operands of MMAs pack eight in a word."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8
from xdsl.ir import SSAValue

from .builder import LLVMBuilder
from .constants import known_integer
from .packed_registers import pack

NIBBLE_BITS = 4


def pack_nibbles(builder: LLVMBuilder, values: Sequence[SSAValue]) -> SSAValue:
    """Eight elements, each in the low bits of a byte, as one 32-bit register."""
    pairs = zip(values[::2], values[1::2], strict=True)
    return pack(builder, [_byte(builder, low, high) for low, high in pairs])[0]


def _byte(builder: LLVMBuilder, low: SSAValue, high: SSAValue) -> SSAValue:
    """Two elements in one byte: if both were extracted from one byte, that byte."""
    whole = _masked(low)
    if whole is not None and _upper_half_of(_masked(high)) is whole:
        return whole
    shifted = builder.insert(llvm.ShlOp(high, builder.integer(NIBBLE_BITS, i8)))
    return builder.insert(llvm.OrOp(low, shifted))


def _masked(value: SSAValue) -> SSAValue | None:
    """The byte of which a value is the low half, if there is one."""
    op = value.owner
    if isinstance(op, llvm.AndOp) and known_integer(op.rhs) == (1 << NIBBLE_BITS) - 1:
        return op.lhs
    return None


def _upper_half_of(value: SSAValue | None) -> SSAValue | None:
    """The byte of which a value is the high half, if there is one."""
    op = None if value is None else value.owner
    if isinstance(op, llvm.LShrOp) and known_integer(op.rhs) == NIBBLE_BITS:
        return op.lhs
    return None
