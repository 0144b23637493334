"""Maximum and minimum of f32 by integers, for reductions that ignore NaN.

Each f32 has a key, an integer of 32 bits, and keys are ordered as floats are. The key of a positive
float is its bits; for a negative float all bits but the sign are flipped. So minus zero is less
than zero. The key of NaN loses against all others, and as bits is a NaN. A maximum of floats takes
a chain of six instructions on x86, a maximum of keys one. Keys may be combined in any order.
"""

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import Float32Type, f32, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, like
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import FCmpOp

from .intrinsics import intrinsic, select

_GREATEST = (nv_tileaa.MaxFOp, arith.MaxnumfOp)
_LEAST = (nv_tileaa.MinFOp, arith.MinnumfOp)

_MOST = 0x7FFFFFFF


def has_keys(op: Operation) -> bool:
    """Whether the op of a reduction is a maximum or minimum of f32 that ignores NaN."""
    plain = not {"propagate_nan", "flush_to_zero"} & op.properties.keys()
    is_extremum = isinstance(op, (*_GREATEST, *_LEAST))
    return is_extremum and plain and isinstance(op.results[0].type, Float32Type)


def losing_key(op: Operation) -> int:
    """The key of NaN, which loses against all others."""
    return ~_MOST if isinstance(op, _GREATEST) else _MOST


def key_of(code: LLVMCode, op: Operation, value: SSAValue) -> SSAValue:
    """The key of a float, or of each float of a vector."""
    key = _flipped(code, code.add(llvm.BitcastOp(value, like(value.type, i32))))
    is_number = code.add(FCmpOp(value, value, "ord"))
    return select(code, is_number, key, code.constant(losing_key(op), key.type))


def combined_keys(code: LLVMCode, op: Operation, earlier: SSAValue, later: SSAValue) -> SSAValue:
    """The maximum or minimum of two keys."""
    return intrinsic(code, "smax" if isinstance(op, _GREATEST) else "smin", earlier, later)


def float_of(code: LLVMCode, key: SSAValue) -> SSAValue:
    """The float with a given key."""
    return code.add(llvm.BitcastOp(_flipped(code, key), like(key.type, f32)))


def _flipped(code: LLVMCode, bits: SSAValue) -> SSAValue:
    sign = code.add(llvm.AShrOp(bits, code.constant(31, bits.type)))
    below = code.add(llvm.AndOp(sign, code.constant(_MOST, bits.type)))
    return code.add(llvm.XOrOp(bits, below))
