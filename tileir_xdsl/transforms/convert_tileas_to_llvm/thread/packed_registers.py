"""Register packing: elements in 32-bit registers, which shuffles and matrix copies move."""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, VectorType, i1, i8, i32, i64
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.llvm.values import ExtractElementOp

from .builder import LLVMBuilder
from .constants import known_integer

REGISTER_BITS = 32


def element_bits(type: Attribute) -> int:
    """The bits that an element takes in packed registers; an i1 takes a byte."""
    match type:
        case IntegerType():
            return max(8, type.width.data)
        case llvm.LLVMPointerType():
            return 64
        case _:
            width = getattr(type, "bitwidth", None)
            assert isinstance(width, int)
            return width


def moved_type(type: Attribute) -> Attribute:
    """The type in which shuffles and copies move an element, of `element_bits` bits."""
    if isinstance(type, llvm.LLVMPointerType):
        return i64
    # Shuffles and memory have no predicates.
    return i8 if type == i1 else type


def to_moved(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    """Converts an element to its `moved_type`."""
    if isinstance(value.type, llvm.LLVMPointerType):
        return builder.insert(llvm.PtrToIntOp(value, i64))
    return builder.insert(llvm.ZExtOp(value, i8)) if value.type == i1 else value


def from_moved(builder: LLVMBuilder, value: SSAValue, type: Attribute) -> SSAValue:
    """The inverse of `to_moved`."""
    if isinstance(type, llvm.LLVMPointerType):
        return builder.insert(llvm.IntToPtrOp.build(operands=[value], result_types=[type]))
    if type == i1:
        return builder.insert(llvm.ICmpOp(value, builder.integer(0, i8), builder.predicate("ne")))
    return value


def pack(builder: LLVMBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Packs neighbouring elements of a moved type into 32-bit registers: one, or two for a 64-bit
    element.

    Several elements together have at most 32 bits.
    """
    bits = element_bits(values[0].type) * len(values)
    bundle = values[0] if len(values) == 1 else whole_vector(values) or builder.vector(values)
    if bits == 2 * REGISTER_BITS:
        halves = builder.insert(llvm.BitcastOp(bundle, VectorType(i32, (2,))))
        return builder.elements(halves, 2)
    integer = IntegerType(bits)
    if isinstance(bundle.owner, llvm.BitcastOp) and bundle.owner.arg.type == integer:
        bundle = bundle.owner.arg
    if bundle.type != integer:
        bundle = builder.insert(llvm.BitcastOp(bundle, integer))
    return [bundle if bits == REGISTER_BITS else builder.insert(llvm.ZExtOp(bundle, i32))]


def whole_vector(values: Sequence[SSAValue]) -> SSAValue | None:
    """The vector whose elements, all in order, are the values; None if there is none."""
    first = values[0].owner
    if not isinstance(first, ExtractElementOp):
        return None
    vector = first.vector
    assert isinstance(vector.type, VectorType)
    if vector.type.get_shape() != (len(values),):
        return None
    for number, value in enumerate(values):
        op = value.owner
        if not isinstance(op, ExtractElementOp) or op.vector is not vector:
            return None
        if known_integer(op.position) != number:
            return None
    return vector


def unpack(
    builder: LLVMBuilder, packed: Sequence[SSAValue], type: Attribute, count: int
) -> list[SSAValue]:
    """The inverse of `pack`: extracts `count` elements of a moved type."""
    bits = element_bits(type) * count
    bundle = type if count == 1 else VectorType(type, (count,))
    if bits == 2 * REGISTER_BITS:
        return [builder.insert(llvm.BitcastOp(builder.vector(packed), bundle))]
    (register,) = packed
    if bits < REGISTER_BITS:
        register = builder.insert(llvm.TruncOp(register, IntegerType(bits)))
    if register.type != bundle:
        register = builder.insert(llvm.BitcastOp(register, bundle))
    return [register] if count == 1 else builder.elements(register, count)


def split_in_half(builder: LLVMBuilder, value: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The low and the high half of an element of a moved type, as integers of half its bits."""
    bits = element_bits(value.type)
    whole, half = IntegerType(bits), IntegerType(bits // 2)
    if value.type != whole:
        value = builder.insert(llvm.BitcastOp(value, whole))
    high = builder.insert(llvm.LShrOp(value, builder.integer(bits // 2, whole)))
    low, high = (builder.insert(llvm.TruncOp(part, half)) for part in (value, high))
    return low, high


def join_halves(builder: LLVMBuilder, low: SSAValue, high: SSAValue, type: Attribute) -> SSAValue:
    """The inverse of `split_in_half`: an element of a moved type."""
    bits = element_bits(type)
    whole = IntegerType(bits)
    wide = [builder.insert(llvm.ZExtOp(part, whole)) for part in (low, high)]
    shifted = builder.insert(llvm.ShlOp(wide[1], builder.integer(bits // 2, whole)))
    value = builder.insert(llvm.OrOp(wide[0], shifted))
    return value if type == whole else builder.insert(llvm.BitcastOp(value, type))
