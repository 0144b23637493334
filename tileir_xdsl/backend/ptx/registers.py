"""PTX register classes, constants, and how a type of the `llvm` dialect is held in registers.

A value is a tuple of components, each a register or a constant. A scalar is one component. A vector
of elements of 32 or 64 bits has one component per element. Elements of 16 and 8 bits are packed
into 32-bit registers, the element with the lower index in the low bits. Structs and arrays are the
components of their parts in order. An i8 is held in a 16-bit register, zero-extended. PTX has no
arithmetic on 8-bit registers, and uses them only in conversions of two floats of four bits.
"""

import struct
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType, LLVMStructType
from xdsl.ir import Attribute


class RegisterClass(Enum):
    """A class of virtual registers: name prefix, type of the declaration, width in bits."""

    PREDICATE = ("p", "pred", 1)
    B8 = ("b", "b8", 8)
    B16 = ("h", "b16", 16)
    B32 = ("r", "b32", 32)
    B64 = ("rd", "b64", 64)
    B128 = ("q", "b128", 128)
    F32 = ("f", "f32", 32)
    F64 = ("fd", "f64", 64)

    def __init__(self, prefix: str, declaration: str, bits: int):
        self.prefix = prefix
        self.declaration = declaration
        self.bits = bits


PREDICATE, B16, B32, B64, B128 = (
    RegisterClass.PREDICATE,
    RegisterClass.B16,
    RegisterClass.B32,
    RegisterClass.B64,
    RegisterClass.B128,
)
F32, F64 = RegisterClass.F32, RegisterClass.F64

INTEGER_CLASSES: dict[int, RegisterClass] = {1: PREDICATE, 8: B16, 16: B16, 32: B32, 64: B64}
FLOAT_CLASSES: dict[type[Attribute], RegisterClass] = {
    Float16Type: B16,
    BFloat16Type: B16,
    Float32Type: F32,
    Float64Type: F64,
}
FLOAT_BITS: dict[type[Attribute], int] = {
    Float16Type: 16,
    BFloat16Type: 16,
    Float32Type: 32,
    Float64Type: 64,
}


class AddressSpace(NamedTuple):
    """A PTX state space: the suffix of `ld` and `st`, and the width of its addresses in bits."""

    suffix: str
    bits: int


ADDRESS_SPACES: dict[int, AddressSpace] = {
    0: AddressSpace("", 64),
    1: AddressSpace(".global", 64),
    3: AddressSpace(".shared", 32),
    4: AddressSpace(".const", 64),
    5: AddressSpace(".local", 64),
    6: AddressSpace(".tensor", 32),
    7: AddressSpace(".shared::cluster", 32),
    101: AddressSpace(".param", 64),
}
"""The PTX state space of each LLVM address space. Shared and tensor memory have 32-bit addresses;
they fit one register.
"""


class Constant(NamedTuple):
    """A component known at compile time: its bits as an unsigned integer, and its class."""

    bits: int
    register_class: RegisterClass


Component = int | Constant
"""A virtual register (its number) or a constant."""


class UnsupportedTypeError(ValueError):
    """PTX has no registers for a type."""


def address_space(type: LLVMPointerType) -> int:
    """The LLVM address space of a pointer type, 0 where none is written."""
    return type.addr_space.data if isinstance(type.addr_space, IntAttr) else 0


def bit_width(type: Attribute) -> int:
    """The width of a scalar in bits.

    Raises `UnsupportedTypeError` for a type that is not a scalar.
    """
    kind = type.__class__
    if kind is IntegerType:
        return cast(IntegerType, type).width.data
    if (bits := FLOAT_BITS.get(kind)) is not None:
        return bits
    if kind is LLVMPointerType:
        space = address_space(cast(LLVMPointerType, type))
        if space in ADDRESS_SPACES:
            return ADDRESS_SPACES[space].bits
    raise UnsupportedTypeError(f"type {type} cannot be held in PTX registers")


def size_in_bytes(type: Attribute) -> int:
    """The bytes that a type takes in memory, structs laid out with natural alignment.

    Raises `UnsupportedTypeError` for a type PTX cannot hold.
    """
    if type.__class__ in _SCALARS:
        return (bit_width(type) + 7) // 8
    match type:
        case LLVMArrayType():
            return type.size.data * size_in_bytes(type.type)
        case LLVMStructType():
            end = 0
            for part in type.types:
                end = _align(end, alignment_in_bytes(part)) + size_in_bytes(part)
            return _align(end, alignment_in_bytes(type))
        case VectorType():
            return (type.get_shape()[0] * bit_width(type.element_type) + 7) // 8
        case _:
            raise UnsupportedTypeError(f"type {type} cannot be held in PTX registers")


_SCALARS = frozenset((IntegerType, LLVMPointerType, *FLOAT_BITS))
"""The classes of scalar types, because `isinstance` on attributes is slow."""


def alignment_in_bytes(type: Attribute) -> int:
    """The natural alignment of a type in bytes."""
    if type.__class__ in _SCALARS:
        return size_in_bytes(type)
    match type:
        case LLVMArrayType():
            return alignment_in_bytes(type.type)
        case LLVMStructType():
            return max((alignment_in_bytes(part) for part in type.types), default=1)
        case _:
            return size_in_bytes(type)


def field_offset(type: LLVMStructType, index: int) -> int:
    """The byte offset of field `index` of a struct."""
    end = 0
    for part in type.types.data[:index]:
        end = _align(end, alignment_in_bytes(part)) + size_in_bytes(part)
    return _align(end, alignment_in_bytes(type.types.data[index]))


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def component_classes(type: Attribute) -> tuple[RegisterClass, ...]:
    """The register class of each component of a value of `type`.

    Raises `UnsupportedTypeError` for a type PTX cannot hold.
    """
    kind = type.__class__
    if (single := _FLOAT_COMPONENTS.get(kind)) is not None:
        return single
    if kind is IntegerType:
        width = cast(IntegerType, type).width.data
        if (single := _INTEGER_COMPONENTS.get(width)) is not None:
            return single
    elif kind is LLVMPointerType:
        return (B64 if bit_width(type) == 64 else B32,)
    elif isinstance(type, VectorType):
        if type.get_num_dims() == 1:
            return _vector_classes(type.get_shape()[0], type.element_type)
    elif isinstance(type, LLVMStructType):
        return tuple(c for part in type.types for c in component_classes(part))
    elif isinstance(type, LLVMArrayType):
        return component_classes(type.type) * type.size.data
    raise UnsupportedTypeError(f"type {type} cannot be held in PTX registers")


_FLOAT_COMPONENTS = {kind: (register_class,) for kind, register_class in FLOAT_CLASSES.items()}
_INTEGER_COMPONENTS = {
    width: (register_class,) for width, register_class in (INTEGER_CLASSES | {128: B128}).items()
}
"""The integers held in one register; a register of 128 bits is only loaded and stored."""


def elements_per_component(count: int, element_type: Attribute) -> int:
    """How many elements of a vector of `count` share a register: 1 where they do not pack."""
    packed = 32 // bit_width(element_type)
    if bit_width(element_type) in (8, 16) and count % packed == 0:
        return packed
    return 1


def _vector_classes(count: int, element_type: Attribute) -> tuple[RegisterClass, ...]:
    packed = elements_per_component(count, element_type)
    if packed > 1:
        return (B32,) * (count // packed)
    return component_classes(element_type) * count


def constant_text(constant: Constant) -> str:
    """A constant as a PTX operand: a signed decimal integer, or the bits of a float.

    Raises `UnsupportedTypeError` for more than 64 bits, because no operand has so many.
    """
    bits, register_class = constant
    match register_class:
        case RegisterClass.F32:
            return f"0f{bits:08X}"
        case RegisterClass.F64:
            return f"0d{bits:016X}"
        case RegisterClass.PREDICATE:
            return str(bits)
        case RegisterClass.B128:
            raise UnsupportedTypeError("PTX has no constants of 128 bits")
        case _:
            return str(signed(bits, register_class.bits))


def signed(bits: int, width: int) -> int:
    """The integer whose two's complement in `width` bits is `bits`."""
    return bits - (1 << width) if bits >> (width - 1) & 1 else bits


def attribute_bits(value: Attribute, type: Attribute) -> Iterator[int]:
    """The bits of each element of a constant with element type `type`.

    Raises `UnsupportedTypeError` for an attribute that is not a number.
    """
    match value:
        case IntegerAttr():
            yield value.value.data & (1 << bit_width(type)) - 1
        case FloatAttr():
            yield float_bits(value.value.data, type)
        case DenseIntOrFPElementsAttr():
            for element in value.get_values():
                if isinstance(element, float):
                    yield float_bits(element, type)
                elif isinstance(element, int):
                    yield element & (1 << bit_width(type)) - 1
        case _:
            raise UnsupportedTypeError(f"constant {value} cannot be expressed in PTX")


def float_bits(value: float, type: Attribute) -> int:
    """The bits of `value` rounded to nearest even to the float type `type`.

    Raises `UnsupportedTypeError` for a float type PTX cannot hold.
    """
    match type:
        case Float64Type():
            return struct.unpack("<Q", struct.pack("<d", value))[0]
        case Float32Type():
            return struct.unpack("<I", struct.pack("<f", value))[0]
        case Float16Type():
            return struct.unpack("<H", struct.pack("<e", value))[0]
        case BFloat16Type():
            return struct.unpack("<H", type.pack([value]))[0]
        case _:
            raise UnsupportedTypeError(f"type {type} cannot be held in PTX registers")
