"""Integer quotients and remainders, rounded toward zero, down and up.

The strategy of the op decides: the instruction that PTX has, shifts, or a multiplication by the
scaled reciprocal of the divisor. Sources: Granlund and Montgomery, "Division by Invariant Integers
using Multiplication"; Warren, "Hacker's Delight", chapter 10.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.nv_tileas.strategies import Strategy

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic


@dataclass(frozen=True)
class KnownDivisor:
    """A divisor that is a constant, and by which strategy it divides."""

    value: int
    strategy: Strategy

    def unsigned(self, width: int) -> "KnownDivisor":
        """The same bits as an unsigned integer: constants are stored as signed numbers."""
        return replace(self, value=self.value % (1 << width))

    @property
    def is_shifted(self) -> bool:
        """Whether shifts and masks divide by it."""
        return self.strategy is Strategy.SHIFT

    @property
    def exponent(self) -> int | None:
        """The exponent of a positive power of two that shifts divide by; None for others."""
        return self.value.bit_length() - 1 if self.is_shifted and self.value > 0 else None


Division = Callable[[LLVMBuilder, SSAValue, SSAValue, IntegerType, KnownDivisor | None], SSAValue]
"""A function of builder, dividend, divisor, their type, and the divisor as far as it is used."""

MULTIPLY_HIGH = {
    (32, True): "llvm.nvvm.mulhi.i",
    (32, False): "llvm.nvvm.mulhi.ui",
    (64, True): "llvm.nvvm.mulhi.ll",
    (64, False): "llvm.nvvm.mulhi.ull",
}
"""The high half of a product, by width and signedness."""


@dataclass(frozen=True)
class Reciprocal:
    """`n / d` as the high half of `n * multiplier`, shifted right.

    A multiplier one bit wider than the integers is given without its highest bit.
    """

    multiplier: int
    shift: int
    has_extra_bit: bool = False


def unsigned_reciprocal(divisor: int, width: int) -> Reciprocal:
    """The reciprocal of a divisor that is not a power of two, for dividends of `width` bits."""
    places = divisor.bit_length()
    for shift in range(places):
        multiplier = -(-(1 << (width + shift)) // divisor)
        error = multiplier * divisor - (1 << (width + shift))
        # Granlund and Montgomery, theorem 4.2: the smallest shift whose error no dividend shows.
        if multiplier < 1 << width and error <= 1 << shift:
            return Reciprocal(multiplier, shift)
    multiplier = -(-(1 << (width + places)) // divisor)
    return Reciprocal(multiplier - (1 << width), places, has_extra_bit=True)


def signed_reciprocal(divisor: int, width: int) -> Reciprocal:
    """The reciprocal of a positive divisor that is not a power of two."""
    half = 1 << (width - 1)
    largest = half - 1 - half % divisor
    power = width
    # Hacker's Delight, chapter 10: the smallest power for which all quotients are right.
    while 1 << power <= largest * (divisor - (1 << power) % divisor):
        power += 1
    multiplier = ((1 << power) + divisor - (1 << power) % divisor) // divisor
    return Reciprocal(multiplier % (1 << width), power - width, has_extra_bit=multiplier >= half)


class _Integers:
    """Arithmetic with known integers on the right."""

    def __init__(self, builder: LLVMBuilder, type: IntegerType):
        self.builder, self.type = builder, type

    def apply(self, op: type[Operation], lhs: SSAValue, rhs: int) -> SSAValue:
        return self.builder.compute(op, lhs, self.builder.integer(rhs, self.type))

    def multiply_high(self, lhs: SSAValue, rhs: int, *, signed: bool) -> SSAValue:
        intrinsic = MULTIPLY_HIGH[self.type.width.data, signed]
        factor = self.builder.integer(rhs, self.type)
        return call_intrinsic(self.builder, intrinsic, self.type, lhs, factor)


def _unsigned_by(
    builder: LLVMBuilder, value: SSAValue, divisor: KnownDivisor, type: IntegerType
) -> SSAValue:
    """The quotient of unsigned integers of 32 or 64 bits."""
    integers = _Integers(builder, type)
    if (exponent := divisor.exponent) is not None:
        return integers.apply(llvm.LShrOp, value, exponent) if exponent else value
    reciprocal = unsigned_reciprocal(divisor.value, type.width.data)
    high = integers.multiply_high(value, reciprocal.multiplier, signed=False)
    if not reciprocal.has_extra_bit:
        return integers.apply(llvm.LShrOp, high, reciprocal.shift) if reciprocal.shift else high
    # high + value may need one bit more: half of the difference is added instead.
    difference = builder.insert(llvm.SubOp(value, high))
    total = builder.insert(llvm.AddOp(integers.apply(llvm.LShrOp, difference, 1), high))
    return integers.apply(llvm.LShrOp, total, reciprocal.shift - 1)


def _signed_by(
    builder: LLVMBuilder, value: SSAValue, divisor: KnownDivisor, type: IntegerType
) -> SSAValue:
    """The quotient of signed integers of 32 or 64 bits toward zero."""
    integers, width = _Integers(builder, type), type.width.data
    magnitude = abs(divisor.value)
    if divisor.is_shifted and magnitude == 1:
        quotient = value
    elif divisor.is_shifted:
        exponent = magnitude.bit_length() - 1
        # A negative dividend is raised by all that a shift would round down.
        sign = integers.apply(llvm.AShrOp, value, width - 1)
        raised = builder.insert(
            llvm.AddOp(value, integers.apply(llvm.LShrOp, sign, width - exponent))
        )
        quotient = integers.apply(llvm.AShrOp, raised, exponent)
    else:
        reciprocal = signed_reciprocal(magnitude, width)
        quotient = integers.multiply_high(value, reciprocal.multiplier, signed=True)
        if reciprocal.has_extra_bit:
            quotient = builder.insert(llvm.AddOp(quotient, value))
        if reciprocal.shift:
            quotient = integers.apply(llvm.AShrOp, quotient, reciprocal.shift)
        is_negative = integers.apply(llvm.LShrOp, value, width - 1)
        quotient = builder.insert(llvm.AddOp(quotient, is_negative))
    if divisor.value < 0:
        return builder.insert(llvm.SubOp(builder.integer(0, type), quotient))
    return quotient


def _quotient(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
    *,
    signed: bool,
) -> SSAValue:
    """The quotient toward zero."""
    if known is None:
        return builder.insert((llvm.SDivOp if signed else llvm.UDivOp)(lhs, rhs))
    if not signed:
        known = known.unsigned(type.width.data)
    divide = _signed_by if signed else _unsigned_by
    # The high half of a product is an instruction for 32 and 64 bits alone (PTX ISA, "mul").
    if type.width.data >= 32:
        return divide(builder, lhs, known, type)
    wide = builder.compute(llvm.SExtOp if signed else llvm.ZExtOp, lhs, i32)
    return builder.insert(llvm.TruncOp(divide(builder, wide, known, i32), type))


def _rest(builder: LLVMBuilder, lhs: SSAValue, rhs: SSAValue, quotient: SSAValue) -> SSAValue:
    return builder.insert(llvm.SubOp(lhs, builder.insert(llvm.MulOp(quotient, rhs))))


def divide_signed(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """Toward zero."""
    return _quotient(builder, lhs, rhs, type, known, signed=True)


def divide_unsigned(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """Toward zero."""
    return _quotient(builder, lhs, rhs, type, known, signed=False)


def remainder_signed(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """With the sign of `lhs`."""
    if known is None:
        return builder.insert(llvm.SRemOp(lhs, rhs))
    # A negative dividend leaves a negative remainder, which no mask gives.
    return _rest(builder, lhs, rhs, divide_signed(builder, lhs, rhs, type, known))


def remainder_unsigned(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """The remainder of unsigned division."""
    if known is None:
        return builder.insert(llvm.URemOp(lhs, rhs))
    if known.is_shifted:
        mask = known.unsigned(type.width.data).value - 1
        return _Integers(builder, type).apply(llvm.AndOp, lhs, mask)
    return _rest(builder, lhs, rhs, divide_unsigned(builder, lhs, rhs, type, known))


# Rounded down or up: the quotient toward zero, and a correction.


def _is_nonzero(builder: LLVMBuilder, value: SSAValue, type: IntegerType) -> SSAValue:
    return builder.compare("ne", value, builder.integer(0, type))


def _is_rest(
    builder: LLVMBuilder, rest: SSAValue, rhs: SSAValue, predicate: str, type: IntegerType
) -> SSAValue:
    """Whether there is a rest; of another sign than the divisor (`slt`), or of its sign (`sge`)."""
    zero = builder.integer(0, type)
    signs = builder.compare(predicate, builder.insert(llvm.XOrOp(rest, rhs)), zero)
    return builder.insert(llvm.AndOp(_is_nonzero(builder, rest, type), signs))


def _raised(
    builder: LLVMBuilder, quotient: SSAValue, is_more: SSAValue, type: IntegerType
) -> SSAValue:
    return builder.insert(llvm.AddOp(quotient, builder.insert(llvm.ZExtOp(is_more, type))))


def floor_divide(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """Signed, rounded down."""
    if known is not None and (exponent := known.exponent) is not None:
        return builder.insert(llvm.AShrOp(lhs, builder.integer(exponent, type)))
    quotient = divide_signed(builder, lhs, rhs, type, known)
    rest = _rest(builder, lhs, rhs, quotient)
    # The rest has the sign of the dividend: where that differs, the quotient was rounded up.
    is_less = _is_rest(builder, rest, rhs, "slt", type)
    return builder.insert(llvm.AddOp(quotient, builder.insert(llvm.SExtOp(is_less, type))))


def ceil_divide(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """Signed, rounded up."""
    if known is not None and (exponent := known.exponent) is not None:
        quotient = builder.insert(llvm.AShrOp(lhs, builder.integer(exponent, type)))
        rest = _Integers(builder, type).apply(llvm.AndOp, lhs, (1 << exponent) - 1)
        return _raised(builder, quotient, _is_nonzero(builder, rest, type), type)
    quotient = divide_signed(builder, lhs, rhs, type, known)
    rest = _rest(builder, lhs, rhs, quotient)
    # Where the signs agree, the quotient is positive and was rounded down.
    return _raised(builder, quotient, _is_rest(builder, rest, rhs, "sge", type), type)


def ceil_divide_unsigned(
    builder: LLVMBuilder,
    lhs: SSAValue,
    rhs: SSAValue,
    type: IntegerType,
    known: KnownDivisor | None,
) -> SSAValue:
    """Unsigned, rounded up."""
    quotient = divide_unsigned(builder, lhs, rhs, type, known)
    if known is not None and known.is_shifted:
        mask = known.unsigned(type.width.data).value - 1
        rest = _Integers(builder, type).apply(llvm.AndOp, lhs, mask)
    else:
        rest = _rest(builder, lhs, rhs, quotient)
    return _raised(builder, quotient, _is_nonzero(builder, rest, type), type)
