"""Conversions between float formats on the registers of one thread.

Every format except f64 is converted through f32, which represents all its values. An f64 is first
"rounded to odd" to f32: its last bit is set if the f64 is not exact. A second rounding of the
result is then correct (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
Instructions convert formats of at most 8 bits in pairs if the target has them. The PTX ISA must
also specify all results of these instructions. Otherwise integer arithmetic converts these formats.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatTF32Type,
    IntegerAttr,
    VectorType,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.dialects.llvm import FCmpPredicateFlag
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.llvm import ExtractElementOp, UMinOp
from tileir_xdsl.dialects.nvvm import conversions
from tileir_xdsl.dialects.nvvm.attributes import FPRoundingMode
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.targets import Feature, Target

from ..thread.builder import LLVMBuilder, build_op
from ..thread.elementwise import call_intrinsic, float_constant

FP8_CONVERSION = Requirement(feature=Feature.FP8_CONVERSION)
NARROW_CONVERSION = Requirement(feature=Feature.NARROW_FLOAT_CONVERSION)
UE5M3_CONVERSION = Requirement(feature=Feature.UE5M3_CONVERSION)
# From sm_90 and PTX 7.8 on (PTX ISA, `cvt`); `cvt.rna.tf32` is older.
TF32_ROUNDING = Requirement(90, (7, 8))
"""`cvt.rn.tf32.f32` and `cvt.rz.tf32.f32`."""

NAN_BITS = 0x7FFFFFFF
"""The canonical NaN of f32."""

TF32_MASK = -0x2000
"""The bits of an f32 that belong to a tf32."""


def is_fcmp(builder: LLVMBuilder, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Compares floats by the name of a predicate."""
    number = FCmpPredicateFlag(predicate).to_int()
    return builder.compute(llvm.FCmpOp, lhs, rhs, IntegerAttr(number, i64))


def is_nan(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    """Whether a float is NaN."""
    return is_fcmp(builder, "uno", value, value)


def bits_of(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    """The bits of an f32."""
    return builder.compute(llvm.BitcastOp, value, i32)


def float_of(builder: LLVMBuilder, bits: SSAValue) -> SSAValue:
    """The f32 with these bits."""
    return builder.compute(llvm.BitcastOp, bits, f32)


def _word(builder: LLVMBuilder, value: int) -> SSAValue:
    return builder.integer(value, i32)


# 16-bit floats.


def narrow_directed(
    builder: LLVMBuilder, value: SSAValue, type: Attribute, mode: RoundingMode
) -> SSAValue:
    """Converts an f32 to a 16-bit float, rounded toward zero, down or up.

    Rounds to nearest, and moves to the neighbour if the result is on the wrong side. The bit
    patterns of neighbours differ by one.
    """
    nearest = builder.insert(llvm.FPTruncOp(value, type))
    back = builder.insert(llvm.FPExtOp(nearest, f32))
    bits = builder.insert(llvm.BitcastOp(nearest, i16))
    one, minus_one = builder.integer(1, i16), builder.integer(-1, i16)
    if mode is RoundingMode.ZERO:
        magnitudes = (builder.compute(llvm.FAbsOp, number, f32) for number in (back, value))
        is_wrong, step = is_fcmp(builder, "ogt", *magnitudes), minus_one
    else:
        up = mode is RoundingMode.POSITIVE_INF
        is_wrong = is_fcmp(builder, "olt" if up else "ogt", back, value)
        is_negative = builder.compare("slt", bits, builder.integer(0, i16))
        towards = (minus_one, one) if up else (one, minus_one)
        step = builder.select(is_negative, *towards)
    step = builder.select(is_wrong, step, builder.integer(0, i16))
    stepped = builder.insert(llvm.AddOp(bits, step))
    return builder.insert(llvm.BitcastOp(stepped, type))


def _to_half(
    builder: LLVMBuilder, value: SSAValue, type: Attribute, mode: RoundingMode
) -> SSAValue:
    """Converts an f32 to a 16-bit float."""
    if mode is RoundingMode.NEAREST_EVEN:
        return builder.insert(build_op(llvm.FPTruncOp, value, type))
    if mode is not RoundingMode.ZERO:
        return narrow_directed(builder, value, type, mode)
    if isinstance(type, BFloat16Type):
        return call_intrinsic(builder, "llvm.nvvm.f2bf16.rz", type, value)
    zero = float_constant(builder, 0.0)
    pair = call_intrinsic(builder, "llvm.nvvm.ff2f16x2.rz", VectorType(f16, [2]), zero, value)
    return builder.insert(ExtractElementOp(pair, _word(builder, 0)))


# tf32.

TF32_ROUNDINGS = {
    RoundingMode.NEAREST_EVEN: FPRoundingMode.RN,
    RoundingMode.NEAREST_AWAY: FPRoundingMode.RNA,
    RoundingMode.ZERO: FPRoundingMode.RZ,
}


def to_tf32(
    builder: LLVMBuilder, target: Target, value: SSAValue, mode: RoundingMode, *, clears: bool
) -> SSAValue:
    """Rounds an f32 to tf32; its last 13 bits are unspecified unless it `clears` them."""
    if mode is RoundingMode.NEAREST_AWAY or TF32_ROUNDING.is_met_by(target):
        rounding = TF32_ROUNDINGS[mode]
        converted = builder.insert(conversions.ConvertFloatToTF32Op(value, rounding))
        # PTX leaves the bits beyond those of a tf32 open.
        return float_of(builder, _without_last_bits(builder, converted) if clears else converted)
    rounded = bits_of(builder, value)
    if mode is RoundingMode.NEAREST_EVEN:
        last = _field(builder, rounded, 13, 1)
        half = builder.insert(llvm.AddOp(last, _word(builder, 0xFFF)))
        rounded = builder.insert(llvm.AddOp(rounded, half))
    if clears:
        rounded = _without_last_bits(builder, rounded)
    nan = _word(builder, NAN_BITS & TF32_MASK)
    return float_of(builder, builder.select(is_nan(builder, value), nan, rounded))


def _without_last_bits(builder: LLVMBuilder, bits: SSAValue) -> SSAValue:
    return builder.insert(llvm.AndOp(bits, _word(builder, TF32_MASK)))


def _field(builder: LLVMBuilder, bits: SSAValue, first: int, count: int) -> SSAValue:
    """Extracts `count` bits of a word, from bit `first` on."""
    shifted = builder.insert(llvm.LShrOp(bits, _word(builder, first)))
    return builder.insert(llvm.AndOp(shifted, _word(builder, (1 << count) - 1)))


# Formats of a byte and less.


@dataclass(frozen=True)
class SmallFormat:
    """The number of bits, of fraction bits, the exponent bias, and whether there is a sign bit.

    `nan` is the code of NaN, or the result of converting NaN if there is no such code.
    """

    bits: int
    fraction_bits: int
    bias: int
    largest: float
    nan: int
    signed: bool = True

    @property
    def digits(self) -> int:
        """A mask for the bits of the magnitude."""
        return (1 << (self.bits - int(self.signed))) - 1

    @property
    def smallest_normal(self) -> float:
        """The smallest normal number."""
        return 2.0 ** (1 - self.bias)


SMALL_FORMATS: dict[type[Attribute], SmallFormat] = {
    Float4E2M1FNType: SmallFormat(4, 1, 1, 6.0, 0x7),
    Float8E4M3FNType: SmallFormat(8, 3, 7, 448.0, 0x7F),
    Float8E5M2Type: SmallFormat(8, 2, 15, 57344.0, 0x7F),
}
"""Formats of at most 8 bits except f8E8M0FNU (OCP Microscaling Formats, section 5.3)."""

UE5M3 = SmallFormat(8, 3, 15, 114688.0, 0xFF, signed=False)
"""The `ue5m3` format, whose numbers registers hold as codes (PTX ISA, "Alternate Floating-Point
Data Formats").
"""


def _to_small(builder: LLVMBuilder, value: SSAValue, format: SmallFormat) -> SSAValue:
    """Converts an f32 to the code of a small float, to nearest even; too large values become
    `largest`.
    """
    dropped = 23 - format.fraction_bits
    largest = float_constant(builder, format.largest)
    magnitude = builder.insert(llvm.FAbsOp(value, f32))
    # Before rounding, so that the sum of digits cannot carry past the largest number.
    magnitude = builder.insert(llvm.VectorFMinOp(magnitude, largest))
    bits = bits_of(builder, magnitude)
    # Normal numbers: round off the last digits, then change the bias.
    half = builder.insert(
        llvm.AddOp(_field(builder, bits, dropped, 1), _word(builder, (1 << (dropped - 1)) - 1))
    )
    rounded = builder.insert(llvm.AddOp(bits, half))
    rounded = builder.insert(llvm.LShrOp(rounded, _word(builder, dropped)))
    rebias = (127 - format.bias) << format.fraction_bits
    normal = builder.insert(llvm.SubOp(rounded, _word(builder, rebias)))
    # Subnormal numbers: a sum whose last digit is the smallest number of the format.
    anchor = format.smallest_normal * 2.0**dropped
    anchored = builder.insert(llvm.FAddOp(magnitude, float_constant(builder, anchor)))
    anchor_bits = bits_of(builder, float_constant(builder, anchor))
    subnormal = builder.insert(llvm.SubOp(bits_of(builder, anchored), anchor_bits))
    smallest = float_constant(builder, format.smallest_normal)
    is_subnormal = is_fcmp(builder, "olt", magnitude, smallest)
    code = builder.select(is_subnormal, subnormal, normal)
    if format.signed:
        # From the bits and not by a comparison: -0.0 keeps its sign.
        sign = bits_of(builder, value)
        sign = builder.insert(llvm.LShrOp(sign, _word(builder, 32 - format.bits)))
        sign = builder.insert(llvm.AndOp(sign, _word(builder, 1 << (format.bits - 1))))
        code = builder.insert(llvm.OrOp(code, sign))
    # Last, since the minimum above has made a number of a NaN.
    code = builder.select(is_nan(builder, value), _word(builder, format.nan), code)
    return builder.insert(llvm.TruncOp(code, i8))


def _from_small(builder: LLVMBuilder, code: SSAValue, format: SmallFormat) -> SSAValue:
    """Converts the code of a small float to f32: shifts its bits and rescales for the bias.

    Subnormal numbers become subnormal f32 numbers, which the multiplication normalizes.
    """
    word = builder.insert(llvm.ZExtOp(code, i32))
    magnitude = builder.insert(llvm.AndOp(word, _word(builder, format.digits)))
    position = _word(builder, 23 - format.fraction_bits)
    bits = builder.insert(llvm.ShlOp(magnitude, position))
    if format.signed:
        sign = builder.insert(llvm.LShrOp(word, _word(builder, format.bits - 1)))
        sign = builder.insert(llvm.ShlOp(sign, _word(builder, 31)))
        bits = builder.insert(llvm.OrOp(bits, sign))
    scale = float_constant(builder, 2.0 ** (127 - format.bias))
    result = builder.insert(llvm.FMulOp(float_of(builder, bits), scale))
    # f8E5M2 has NaN like f16, and f4E2M1FN has none (OCP Microscaling Formats, section 5.3).
    if format.nan != format.digits or format.bits < 8:
        return result
    is_nan_code = builder.compare("eq", magnitude, _word(builder, format.nan))
    return builder.select(is_nan_code, float_of(builder, _word(builder, NAN_BITS)), result)


def _from_e5m2(builder: LLVMBuilder, code: SSAValue) -> SSAValue:
    """Converts the code of an f8E5M2, which is the upper half of an f16, to this f16."""
    bits = builder.insert(llvm.ZExtOp(code, i16))
    bits = builder.insert(llvm.ShlOp(bits, builder.integer(8, i16)))
    return builder.insert(llvm.BitcastOp(bits, f16))


# f8E8M0FNU: the exponent of an f32 alone.


def _to_scale(builder: LLVMBuilder, value: SSAValue, mode: RoundingMode) -> SSAValue:
    """The f8E8M0FNU code of an f32, its magnitude rounded down or up to a power of two."""
    magnitude = builder.insert(llvm.AndOp(bits_of(builder, value), _word(builder, 0x7FFFFFFF)))
    raised = magnitude
    if mode is RoundingMode.POSITIVE_INF:
        raised = builder.insert(llvm.AddOp(magnitude, _word(builder, 0x7FFFFF)))
    exponent = builder.insert(llvm.LShrOp(raised, _word(builder, 23)))
    if mode is RoundingMode.POSITIVE_INF:
        # 2**-127 is a subnormal f32.
        is_smallest = builder.compare("ule", magnitude, _word(builder, 0x400000))
        exponent = builder.select(is_smallest, _word(builder, 0), exponent)
    # Code 255 is NaN, and there is no infinity: what is larger becomes the largest power.
    exponent = builder.insert(UMinOp(exponent, _word(builder, 254)))
    exponent = builder.select(is_nan(builder, value), _word(builder, 255), exponent)
    return builder.insert(llvm.TruncOp(exponent, i8))


def _from_scale(builder: LLVMBuilder, code: SSAValue) -> SSAValue:
    """Converts the code of a power of two to f32; code 255 is NaN."""
    word = builder.insert(llvm.ZExtOp(code, i32))
    bits = builder.insert(llvm.ShlOp(word, _word(builder, 23)))
    is_smallest = builder.compare("eq", word, _word(builder, 0))
    bits = builder.select(is_smallest, _word(builder, 0x400000), bits)
    is_nan_code = builder.compare("eq", word, _word(builder, 255))
    return float_of(builder, builder.select(is_nan_code, _word(builder, NAN_BITS), bits))


def _scales_as_bf16(builder: LLVMBuilder, codes: Sequence[SSAValue]) -> list[SSAValue]:
    """Converts f8E8M0FNU to bf16, which is exact; 2**-127 becomes subnormal."""
    pairs = [conversions.ConvertF8x2ToBF16x2Op(builder.vector(pair)) for pair in _pairs(codes)]
    return _both_of(builder, pairs)[: len(codes)]


# f64.


def _to_odd(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    """Rounds an f64 to odd as f32."""
    single = call_intrinsic(builder, "llvm.nvvm.d2f.rz", f32, value)
    back = builder.insert(llvm.FPExtOp(single, f64))
    is_inexact = is_fcmp(builder, "one", back, value)
    return set_last_bit(builder, single, is_inexact)


def set_last_bit(builder: LLVMBuilder, single: SSAValue, is_inexact: SSAValue) -> SSAValue:
    """Sets the last bit of an inexact f32, which changes rounding toward zero to rounding to
    odd.
    """
    last = builder.insert(llvm.ZExtOp(is_inexact, i32))
    return float_of(builder, builder.insert(llvm.OrOp(bits_of(builder, single), last)))


DOUBLE_ROUNDINGS = {
    RoundingMode.ZERO: "llvm.nvvm.d2f.rz",
    RoundingMode.NEGATIVE_INF: "llvm.nvvm.d2f.rm",
    RoundingMode.POSITIVE_INF: "llvm.nvvm.d2f.rp",
}


def _double_to_single(builder: LLVMBuilder, value: SSAValue, mode: RoundingMode) -> SSAValue:
    """Rounds an f64 to f32."""
    if (intrinsic := DOUBLE_ROUNDINGS.get(mode)) is not None:
        return call_intrinsic(builder, intrinsic, f32, value)
    nearest = builder.insert(llvm.FPTruncOp(value, f32))
    if mode is not RoundingMode.NEAREST_AWAY:
        return nearest
    # Half way between its nearest number and the next one away from zero it takes the latter.
    bits = bits_of(builder, nearest)
    following = builder.insert(llvm.AddOp(bits, _word(builder, 1)))
    near, far = (
        builder.insert(llvm.FPExtOp(number, f64))
        for number in (nearest, float_of(builder, following))
    )
    above = builder.insert(llvm.FSubOp(value, near))
    below = builder.insert(llvm.FSubOp(far, value))
    is_half_way = is_fcmp(builder, "oeq", above, below)
    return float_of(builder, builder.select(is_half_way, following, bits))


# Whole lists of registers.


def _pairs(values: Sequence[SSAValue]) -> list[tuple[SSAValue, SSAValue]]:
    """Pairs of neighbours; the last one of an odd number is paired with itself."""
    # The instruction takes two; the second result of the last pair is dropped.
    padded = [*values, values[-1]]
    return [(padded[position], padded[position + 1]) for position in range(0, len(values), 2)]


def _both_of(builder: LLVMBuilder, pairs: Sequence[Operation]) -> list[SSAValue]:
    """The elements of two-element vectors, which some ops return."""
    return [element for pair in pairs for element in builder.elements(builder.insert(pair), 2)]


def _from_four_bits(builder: LLVMBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """f4E2M1FN as f16."""
    # Few kernels have floats of four bits.
    from .four_bits import join_byte  # noqa: PLC0415

    padded = [*values, builder.integer(0, i8)] if len(values) % 2 else values
    bytes_ = (join_byte(builder, *pair) for pair in zip(padded[::2], padded[1::2], strict=True))
    return _both_of(builder, [conversions.ConvertF4x2ToF16x2Op(byte) for byte in bytes_])[
        : len(values)
    ]


def _to_four_bits(builder: LLVMBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Converts f32 to f4E2M1FN: the instruction rounds to nearest even and converts NaN to 6.0."""
    from .four_bits import split_byte  # noqa: PLC0415

    pairs = zip(values[::2], values[1::2], strict=False)
    bytes_ = [
        builder.insert(conversions.ConvertF32x2ToF4x2Op(upper, lower)) for lower, upper in pairs
    ]
    codes = [code for byte in bytes_ for code in split_byte(builder, byte)]
    if len(values) % 2:
        # With a high half of zeros the byte is the code.
        codes.append(
            builder.insert(
                conversions.ConvertF32x2ToF4x2Op(float_constant(builder, 0.0), values[-1])
            )
        )
    return codes


def _as_halves(
    builder: LLVMBuilder, target: Target, values: Sequence[SSAValue], source: Attribute
) -> list[SSAValue] | None:
    """Converts floats of at most 8 bits exactly to f16; None without such an instruction."""
    match source:
        case Float8E5M2Type():
            return [_from_e5m2(builder, value) for value in values]
        case Float8E4M3FNType() if FP8_CONVERSION.is_met_by(target):
            pairs = [
                conversions.ConvertF8x2ToF16x2Op(builder.vector(pair), source)
                for pair in _pairs(values)
            ]
            return _both_of(builder, pairs)[: len(values)]
        case Float4E2M1FNType() if NARROW_CONVERSION.is_met_by(target):
            return _from_four_bits(builder, values)
        case _:
            return None


def widen(
    builder: LLVMBuilder, target: Target, values: Sequence[SSAValue], source: Attribute
) -> list[SSAValue]:
    """Converts floats of any format except f64 exactly to f32."""
    halves = _as_halves(builder, target, values, source)
    match source:
        case _ if halves is not None:
            return [builder.insert(llvm.FPExtOp(half, f32)) for half in halves]
        case Float32Type() | FloatTF32Type():
            return list(values)
        case Float16Type() | BFloat16Type():
            return [builder.compute(llvm.FPExtOp, value, f32) for value in values]
        case Float8E8M0FNUType() if NARROW_CONVERSION.is_met_by(target):
            scales = _scales_as_bf16(builder, values)
            return [builder.insert(llvm.FPExtOp(scale, f32)) for scale in scales]
        case Float8E8M0FNUType():
            return [_from_scale(builder, value) for value in values]
        case _:
            return [_from_small(builder, value, SMALL_FORMATS[type(source)]) for value in values]


def narrow(
    builder: LLVMBuilder,
    target: Target,
    values: Sequence[SSAValue],
    result: Attribute,
    mode: RoundingMode,
) -> list[SSAValue]:
    """Rounds f32 values to any format except f64."""
    match result:
        case Float32Type():
            return list(values)
        case FloatTF32Type():
            return [to_tf32(builder, target, value, mode, clears=True) for value in values]
        case Float16Type() | BFloat16Type():
            return [_to_half(builder, value, result, mode) for value in values]
        case Float8E8M0FNUType():
            return [_to_scale(builder, value, mode) for value in values]
        case Float8E4M3FNType() | Float8E5M2Type() if FP8_CONVERSION.is_met_by(target):
            pairs = [
                conversions.ConvertF32x2ToF8x2Op(upper, lower, result, VectorType(i8, [2]))
                for lower, upper in _pairs(values)
            ]
            return _both_of(builder, pairs)[: len(values)]
        case Float4E2M1FNType() if NARROW_CONVERSION.is_met_by(target):
            return _to_four_bits(builder, values)
        case _:
            return [_to_small(builder, value, SMALL_FORMATS[type(result)]) for value in values]


def _converted_directly(
    builder: LLVMBuilder,
    target: Target,
    values: Sequence[SSAValue],
    source: Attribute,
    result: Attribute,
    mode: RoundingMode,
) -> list[SSAValue] | None:
    """Converts by instructions that need no f32 in between; None if there are none."""
    match source, result:
        case Float64Type(), Float32Type():
            return [_double_to_single(builder, value, mode) for value in values]
        # LLVM rounds a truncation from f64 once; by way of f32 it would be twice.
        case Float64Type(), Float16Type() | BFloat16Type() if mode is RoundingMode.NEAREST_EVEN:
            return [builder.insert(llvm.FPTruncOp(value, result)) for value in values]
        case Float16Type() | BFloat16Type(), Float64Type():
            return [builder.insert(llvm.FPExtOp(value, f64)) for value in values]
        case Float8E8M0FNUType(), BFloat16Type() if NARROW_CONVERSION.is_met_by(target):
            return _scales_as_bf16(builder, values)
        case _, Float16Type():
            return _as_halves(builder, target, values, source)
        case Float16Type(), Float8E4M3FNType() | Float8E5M2Type() if FP8_CONVERSION.is_met_by(
            target
        ):
            pairs = [
                conversions.ConvertF16x2ToF8x2Op(builder.vector(pair), result, VectorType(i8, [2]))
                for pair in _pairs(values)
            ]
            return _both_of(builder, pairs)[: len(values)]
        case _:
            return None


def convert_floats(
    builder: LLVMBuilder,
    target: Target,
    values: Sequence[SSAValue],
    source: Attribute,
    result: Attribute,
    mode: RoundingMode,
) -> list[SSAValue]:
    """Converts floats to another format with one rounding; formats of at most 8 bits saturate."""
    if source == result:
        return list(values)
    converted = _converted_directly(builder, target, values, source, result, mode)
    if converted is not None:
        return converted
    if isinstance(source, Float64Type):
        # Two roundings to nearest would err where the first one lands on a tie of the second.
        singles = [_to_odd(builder, value) for value in values]
    else:
        singles = widen(builder, target, values, source)
        if isinstance(result, Float64Type):
            return [builder.insert(llvm.FPExtOp(value, f64)) for value in singles]
        # A register of a tf32 is an f32, and all other formats have fewer digits.
        if isinstance(result, FloatTF32Type) and not isinstance(source, Float32Type):
            return singles
    return narrow(builder, target, singles, result, mode)


def encode_ue5m3(
    builder: LLVMBuilder, target: Target, values: Sequence[SSAValue], source: Attribute
) -> list[SSAValue]:
    """Encodes magnitudes of floats as `ue5m3` codes, rounded once to nearest even."""
    if isinstance(source, Float64Type):
        singles = [_to_odd(builder, value) for value in values]
    else:
        singles = widen(builder, target, values, source)
    if not UE5M3_CONVERSION.is_met_by(target):
        return [_to_small(builder, value, UE5M3) for value in singles]
    pairs = [conversions.ConvertF32x2ToUE5M3x2Op(upper, lower) for lower, upper in _pairs(singles)]
    return _both_of(builder, pairs)[: len(values)]


def decode_ue5m3(
    builder: LLVMBuilder, target: Target, codes: Sequence[SSAValue], result: Attribute
) -> list[SSAValue]:
    """Decodes `ue5m3` codes to f32 or bf16."""
    if not UE5M3_CONVERSION.is_met_by(target):
        singles = [_from_small(builder, code, UE5M3) for code in codes]
        return narrow(builder, target, singles, result, RoundingMode.NEAREST_EVEN)
    pairs = [conversions.ConvertUE5M3x2ToBF16x2Op(builder.vector(pair)) for pair in _pairs(codes)]
    numbers = _both_of(builder, pairs)[: len(codes)]
    if isinstance(result, BFloat16Type):
        return numbers
    return [builder.insert(llvm.FPExtOp(number, f32)) for number in numbers]
