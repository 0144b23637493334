"""Conversions between element types: integers, floats of every format, pointers, bits."""

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerType,
    f32,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.mma.tf32_operands import is_read_by_mmas_alone
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode, Signedness
from tileir_xdsl.dialects.llvm import FPToSIOp, FPToUIOp, SMaxOp, SMinOp, UIToFPOp, UMinOp
from tileir_xdsl.dialects.nv_tileaa.types import PointerType
from tileir_xdsl.transforms.convert_tileas_to_llvm.arithmetic import float_formats

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import Emitter, call_intrinsic, element_of, float_constant, patterns_of
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type

# Between floats.


def _is_exact(source: Attribute, result: Attribute) -> bool:
    """Whether a larger format represents every number of a small format."""
    # All formats but f64 itself are subsets of f32.
    if isinstance(result, Float32Type | Float64Type):
        return not isinstance(source, Float64Type)
    if isinstance(result, FloatTF32Type):
        return not isinstance(source, Float32Type | Float64Type)
    return (
        isinstance(result, Float16Type | BFloat16Type)
        and type(source) in float_formats.SMALL_FORMATS
    )


def _check_rounding(
    op: Operation, source: Attribute, result: Attribute, mode: RoundingMode
) -> None:
    """Fails for rounding modes that Tile IR excludes for a pair of formats."""
    match result:
        case _ if _is_exact(source, result):
            return
        case Float8E8M0FNUType():
            # A power of two has no even or odd digit to round to.
            allowed = (RoundingMode.ZERO, RoundingMode.POSITIVE_INF)
        case _ if type(result) in float_formats.SMALL_FORMATS:
            allowed = (RoundingMode.NEAREST_EVEN,)
        case FloatTF32Type():
            allowed = (RoundingMode.NEAREST_EVEN, RoundingMode.ZERO, RoundingMode.NEAREST_AWAY)
        case Float32Type():
            return
        case _:
            if mode is not RoundingMode.NEAREST_AWAY:
                return
            allowed = ()
    if mode not in allowed:
        fail(op, f"'{op.name}' op does not support rounding {mode} from {source} to {result}")


class LowerFloatToFloat(LowerOp[Operation]):
    """Converts all registers of a tile together: some instructions convert two at once."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        source, result = element_of(op.operands[0]), element_of(op.results[0])
        rounding = op.properties.get("rounding_mode")
        nearest = not isinstance(rounding, nv_tileaa.RoundingModeAttr)
        mode = RoundingMode.NEAREST_EVEN if nearest else rounding.data
        _check_rounding(op, source, result, mode)
        builder, target = rewriter.builder, rewriter.function.target

        def convert(values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            is_rounded = isinstance(source, Float32Type) and isinstance(result, FloatTF32Type)
            if is_rounded and is_read_by_mmas_alone(op.results[0]):
                to_tf32 = float_formats.to_tf32
                return [to_tf32(builder, target, value, mode, clears=False) for value in values]
            return float_formats.convert_floats(builder, target, values, source, result, mode)

        _convert_registers(op, rewriter, convert)


class LowerUE5M3(LowerOp[nv_tileaa.FpToUE5M3Op | nv_tileaa.UE5M3ToFpOp]):
    """Converts from or to codes of `ue5m3`, for which `llvm` has no type."""

    def lower(
        self, op: nv_tileaa.FpToUE5M3Op | nv_tileaa.UE5M3ToFpOp, rewriter: ThreadRewriter
    ) -> None:
        builder, target = rewriter.builder, rewriter.function.target
        is_encoded = isinstance(op, nv_tileaa.FpToUE5M3Op)
        convert = float_formats.encode_ue5m3 if is_encoded else float_formats.decode_ue5m3
        type = element_of(op.source if is_encoded else op.result)
        _convert_registers(op, rewriter, lambda distinct: convert(builder, target, distinct, type))


def _convert_registers(
    op: Operation,
    rewriter: ThreadRewriter,
    convert: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
) -> None:
    """Replaces an op's result by the converted registers of its operand."""
    registers = rewriter.registers(op.operands[0])
    # Equal registers are converted once, before neighbours are paired.
    distinct = list(dict.fromkeys(registers))
    where = dict(zip(distinct, convert(distinct), strict=True))
    rewriter.replace(op.results[0], tuple(where[register] for register in registers))


# Between integers and floats.

INTEGER_ROUNDINGS = {
    (32, True): "llvm.nvvm.i2f.rz",
    (32, False): "llvm.nvvm.ui2f.rz",
    (64, True): "llvm.nvvm.ll2f.rz",
    (64, False): "llvm.nvvm.ull2f.rz",
}
"""Conversions of integers to f32 toward zero, by width and signedness."""


def _integer_to_odd(builder: LLVMBuilder, value: SSAValue, width: int, *, signed: bool) -> SSAValue:
    """Converts an integer to f32 and rounds to odd; integers of up to 16 bits are exact."""
    if width <= 16:
        return builder.insert((llvm.SIToFPOp if signed else UIToFPOp)(value, f32))
    # Toward zero and then to odd: the second rounding is as if it were the only one.
    single = call_intrinsic(builder, INTEGER_ROUNDINGS[width, signed], f32, value)
    back = builder.insert((FPToSIOp if signed else FPToUIOp)(single, value.type))
    return float_formats.set_last_bit(builder, single, builder.compare("ne", back, value))


def _from_integer(*, signed: bool) -> Emitter:
    """To nearest even."""

    def emitter(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
        builder, result = rewriter.builder, element_of(op.results[0])
        source = element_of(op.operands[0])
        assert isinstance(source, IntegerType)
        # Bytes have an instruction to f32 alone, where two become bf16 at once.
        is_byte_to_bf16 = isinstance(result, BFloat16Type) and source.width.data <= 8
        # One instruction, which rounds once; narrower formats have none from integers.
        halves = Float16Type | BFloat16Type
        if isinstance(result, halves | Float32Type | Float64Type) and not is_byte_to_bf16:
            return builder.insert((llvm.SIToFPOp if signed else UIToFPOp)(value, result))
        single = _integer_to_odd(builder, value, source.width.data, signed=signed)
        mode = RoundingMode.NEAREST_EVEN
        (code,) = float_formats.narrow(builder, rewriter.function.target, [single], result, mode)
        return code

    return emitter


TO_INTEGER = {
    (32, 32, True): "llvm.nvvm.f2i.rz",
    (32, 32, False): "llvm.nvvm.f2ui.rz",
    (32, 64, True): "llvm.nvvm.f2ll.rz",
    (32, 64, False): "llvm.nvvm.f2ull.rz",
    (64, 32, True): "llvm.nvvm.d2i.rz",
    (64, 32, False): "llvm.nvvm.d2ui.rz",
    (64, 64, True): "llvm.nvvm.d2ll.rz",
    (64, 64, False): "llvm.nvvm.d2ull.rz",
}
"""Saturating conversions of f32 or f64 to integers toward zero, by both widths and signedness."""


def _saturated(
    builder: LLVMBuilder, word: SSAValue, type: IntegerType, *, signed: bool
) -> SSAValue:
    """Clamps an i32 or i64 to a narrower integer type and truncates it."""
    width = type.width.data
    if signed:
        low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
        word = builder.insert(SMaxOp(word, builder.integer(low, i32)))
        word = builder.insert(SMinOp(word, builder.integer(high, i32)))
    else:
        word = builder.insert(UMinOp(word, builder.integer((1 << width) - 1, i32)))
    return builder.insert(llvm.TruncOp(word, type))


def float_to_integer(
    builder: LLVMBuilder, value: SSAValue, type: IntegerType, *, signed: bool
) -> SSAValue:
    """Rounds an f32 or f64 toward zero; saturates out-of-range values, and converts NaN to 0.

    PTX converts NaN to 0 only if source and result have at most 32 bits.
    """
    source_bits = 64 if isinstance(value.type, Float64Type) else 32
    held = i64 if type == i64 else i32
    intrinsic = TO_INTEGER[source_bits, held.width.data, signed]
    converted = call_intrinsic(builder, intrinsic, held, value)
    # See the docstring: PTX ISA, `cvt`, leaves NaN to other numbers there.
    if source_bits == 64 or held == i64:
        zero = builder.integer(0, held)
        converted = builder.select(float_formats.is_nan(builder, value), zero, converted)
    return converted if held == type else _saturated(builder, converted, type, signed=signed)


def _to_integer(*, signed: bool) -> Emitter:
    """Toward zero."""

    def emitter(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
        source, result = element_of(op.operands[0]), element_of(op.results[0])
        assert isinstance(result, IntegerType)
        if not isinstance(source, Float64Type):
            (value,) = float_formats.widen(
                rewriter.builder, rewriter.function.target, [value], source
            )
        return float_to_integer(rewriter.builder, value, result, signed=signed)

    return emitter


def _is_nonzero(rewriter: ThreadRewriter, value: SSAValue, source: Attribute) -> SSAValue:
    """Whether a float is not zero of either sign; true for NaN."""
    builder, type = rewriter.builder, f32
    if isinstance(source, Float16Type | BFloat16Type | Float64Type):
        type = source
    else:
        (value,) = float_formats.widen(builder, rewriter.function.target, [value], source)
    return float_formats.is_fcmp(builder, "une", value, float_constant(builder, 0.0, type))


def _to_integer_of_its_sign(
    op: nv_tileaa.FpToIntOp, rewriter: ThreadRewriter, value: SSAValue
) -> SSAValue:
    if element_of(op.result) == i1:
        return _is_nonzero(rewriter, value, element_of(op.source))
    return _to_integer(signed=op.signedness.data is Signedness.SIGNED)(op, rewriter, value)


# Bits and pointers.


def _bitcast(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
    """Reinterprets bits; pointers, and types with equal register types, stay unchanged."""
    result = register_type(op, element_of(op.results[0]))
    # fp8 is held as i8 and tf32 as f32: LLVM has no such types.
    if value.type == result:
        return value
    return rewriter.builder.insert(llvm.BitcastOp(value, result))


def _integer_to_pointer(
    op: nv_tileaa.IntToPtrOp, rewriter: ThreadRewriter, value: SSAValue
) -> SSAValue:
    type = register_type(op, element_of(op.result))
    cast = llvm.IntToPtrOp.create(operands=[value], result_types=[type])
    return rewriter.builder.insert(cast)


def _pointer_to_integer(
    _op: nv_tileaa.PtrToIntOp, rewriter: ThreadRewriter, value: SSAValue
) -> SSAValue:
    return rewriter.builder.insert(llvm.PtrToIntOp(value))


def _add_to_pointer(
    op: nv_tileaa.AddPtrOp, rewriter: ThreadRewriter, pointer: SSAValue, offset: SSAValue
) -> SSAValue:
    """Adds signed offsets, which count elements, as `llvm.getelementptr` does."""
    pointer_type, offset_type = element_of(op.pointer), offset.type
    assert isinstance(pointer_type, PointerType) and isinstance(offset_type, IntegerType)
    # `llvm.getelementptr` takes indices of 32 and 64 bits without a change of value.
    if offset_type.width.data < 32:
        offset = rewriter.builder.compute(llvm.SExtOp, offset, i32)
    element = register_type(op, pointer_type.pointee)
    return rewriter.builder.element_pointer(pointer, offset, element)


EMITTERS: dict[type[Operation], Emitter] = {
    arith.BitcastOp: _bitcast,
    arith.FPToSIOp: _to_integer(signed=True),
    arith.FPToUIOp: _to_integer(signed=False),
    arith.SIToFPOp: _from_integer(signed=True),
    arith.UIToFPOp: _from_integer(signed=False),
    nv_tileaa.AddPtrOp: _add_to_pointer,
    nv_tileaa.BitcastOp: _bitcast,
    nv_tileaa.FpToIntOp: _to_integer_of_its_sign,
    nv_tileaa.IntToPtrOp: _integer_to_pointer,
    nv_tileaa.PtrToIntOp: _pointer_to_integer,
}
"""The function that lowers each conversion of single elements."""

PATTERNS: Patterns = {
    **patterns_of(EMITTERS),
    arith.ExtFOp: LowerFloatToFloat,
    arith.TruncFOp: LowerFloatToFloat,
    nv_tileaa.FpToFpOp: LowerFloatToFloat,
    nv_tileaa.FpToUE5M3Op: LowerUE5M3,
    nv_tileaa.UE5M3ToFpOp: LowerUE5M3,
}
