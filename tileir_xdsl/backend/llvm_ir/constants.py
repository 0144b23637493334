"""Constants of LLVM IR: numbers, vectors and arrays of them, strings."""

import struct
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.backend.llvm_ir.types import type_text
from tileir_xdsl.backend.llvm_ir.words import escaped
from tileir_xdsl.diagnostics import fail


def constant_text(op: Operation, value: Attribute, type: Attribute) -> str:
    """A constant of a type, without the type."""
    match value:
        case IntegerAttr():
            return _number(op, value.value.data, type)
        case FloatAttr():
            return _number(op, value.value.data, type)
        case StringAttr() if isinstance(type, LLVMArrayType):
            return f'c"{escaped(value.data.encode())}"'
        case DenseIntOrFPElementsAttr():
            return _elements(op, list(value.get_values()), type)
        case _:
            fail(op, f"constant '{value}' cannot be written as LLVM IR")


def _elements(op: Operation, values: Sequence[object], type: Attribute) -> str:
    match type:
        case VectorType():
            count, element = type.element_count(), type.element_type
        case LLVMArrayType():
            count, element = type.size.data, type.type
        case _:
            fail(
                op,
                "expected a constant of several values to have a vector or array "
                f"type, got '{type}'",
            )
    spelled = type_text(op, element)
    listed = [f"{spelled} {_number(op, value, element)}" for value in values]
    if isinstance(type, VectorType) and len(set(listed)) == 1:
        return f"splat ({listed[0]})"
    if len(listed) == 1:
        listed *= count
    joined = ", ".join(listed)
    return f"<{joined}>" if isinstance(type, VectorType) else f"[{joined}]"


def _number(op: Operation, value: object, type: Attribute) -> str:
    match type:
        case IntegerType() if isinstance(value, int):
            if type.width.data == 1:
                return "true" if value & 1 else "false"
            return str(value)
        case Float64Type() | Float32Type() if isinstance(value, int | float):
            return f"0x{_bits_of_double(_rounded(float(value), type)):016X}"
        case Float16Type() if isinstance(value, int | float):
            return f"0xH{_half_bits(float(value)):04X}"
        case BFloat16Type() if isinstance(value, int | float):
            return f"0xR{_bfloat_bits(float(value)):04X}"
        case _:
            fail(op, f"constant {value} of type '{type}' cannot be written as LLVM IR")


def _bits_of_double(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def _rounded(value: float, type: Attribute) -> float:
    """The value rounded to its type, because LLVM accepts only exact constants."""
    if isinstance(type, Float64Type):
        return value
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _half_bits(value: float) -> int:
    try:
        return int.from_bytes(struct.pack("<e", value), "little")
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def _bfloat_bits(value: float) -> int:
    """The upper half of the bits of the f32, rounded to the nearest, ties to even."""
    bits = int.from_bytes(struct.pack("<f", _rounded(value, Float32Type())), "little")
    if value != value:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
