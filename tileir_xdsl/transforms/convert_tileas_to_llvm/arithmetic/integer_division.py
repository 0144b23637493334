"""Integer divisions and remainders, rounded toward zero, down and up.

The op's strategy selects the PTX instruction, shifts, or a multiplication by the scaled reciprocal
of the divisor. Sources: Granlund and Montgomery, "Division by Invariant Integers using
Multiplication"; Warren, "Hacker's Delight", chapter 10.
"""

from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.nv_tileas.strategies import Strategy

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic


@dataclass(frozen=True)
class KnownDivisor:
    """A constant divisor, and the strategy that divides by it."""

    value: int
    strategy: Strategy

    def unsigned(self, width: int) -> "KnownDivisor":
        """The divisor with the same bits as an unsigned integer; constants are stored as signed
        numbers.
        """
        return replace(self, value=self.value % (1 << width))

    @property
    def is_shifted(self) -> bool:
        """Whether the strategy uses shifts and masks."""
        return self.strategy is Strategy.SHIFT

    @property
    def exponent(self) -> int | None:
        """The exponent of a positive power of two that shifts divide by; None for any other
        divisor.
        """
        return self.value.bit_length() - 1 if self.is_shifted and self.value > 0 else None


MULTIPLY_HIGH = {
    (32, True): "llvm.nvvm.mulhi.i",
    (32, False): "llvm.nvvm.mulhi.ui",
    (64, True): "llvm.nvvm.mulhi.ll",
    (64, False): "llvm.nvvm.mulhi.ull",
}
"""The intrinsics for the high half of a product, by width and signedness."""


@dataclass(frozen=True)
class Reciprocal:
    """`n / d` as the high half of `n * multiplier`, shifted right.

    If the multiplier is one bit wider than the integers, its highest bit is omitted.
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
    """Emits integer arithmetic whose right operand is a constant."""

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
    """The quotient of unsigned 32-bit or 64-bit integers."""
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
    """The quotient of signed 32-bit or 64-bit integers, rounded toward zero."""
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


@dataclass(frozen=True)
class Division:
    """A division of integers of one type, with the divisor's value if its strategy needs it."""

    builder: LLVMBuilder
    lhs: SSAValue
    rhs: SSAValue
    type: IntegerType
    known: KnownDivisor | None

    # Rounded toward zero.

    def signed_quotient(self) -> SSAValue:
        """The quotient of signed integers toward zero."""
        if self.known is None:
            return self.builder.insert(llvm.SDivOp(self.lhs, self.rhs))
        return self._quotient_by(self.known, signed=True)

    def unsigned_quotient(self) -> SSAValue:
        """The quotient of unsigned integers toward zero."""
        if self.known is None:
            return self.builder.insert(llvm.UDivOp(self.lhs, self.rhs))
        return self._quotient_by(self.known.unsigned(self.type.width.data), signed=False)

    def signed_remainder(self) -> SSAValue:
        """The remainder with the sign of `lhs`."""
        if self.known is None:
            return self.builder.insert(llvm.SRemOp(self.lhs, self.rhs))
        # A negative dividend leaves a negative remainder, which no mask gives.
        return self._rest(self.signed_quotient())

    def unsigned_remainder(self) -> SSAValue:
        """The remainder of unsigned division."""
        if self.known is None:
            return self.builder.insert(llvm.URemOp(self.lhs, self.rhs))
        if self.known.is_shifted:
            return self._masked(self.known.unsigned(self.type.width.data).value - 1)
        return self._rest(self.unsigned_quotient())

    # Rounded down or up: the quotient toward zero, and a correction.

    def floor(self) -> SSAValue:
        """The quotient of signed integers, rounded down."""
        if self.known is not None and (exponent := self.known.exponent) is not None:
            return self._shifted(exponent)
        quotient = self.signed_quotient()
        # The rest has the sign of the dividend: where that differs, the quotient was rounded up.
        is_less = self._is_rest(self._rest(quotient), "slt")
        by = self.builder.insert(llvm.SExtOp(is_less, self.type))
        return self.builder.insert(llvm.AddOp(quotient, by))

    def signed_ceiling(self) -> SSAValue:
        """The quotient of signed integers, rounded up."""
        if self.known is not None and (exponent := self.known.exponent) is not None:
            quotient = self._shifted(exponent)
            return self._raised(quotient, self._is_nonzero(self._masked((1 << exponent) - 1)))
        quotient = self.signed_quotient()
        # Where the signs agree, the quotient is positive and was rounded down.
        return self._raised(quotient, self._is_rest(self._rest(quotient), "sge"))

    def unsigned_ceiling(self) -> SSAValue:
        """The quotient of unsigned integers, rounded up."""
        quotient = self.unsigned_quotient()
        if self.known is not None and self.known.is_shifted:
            rest = self._masked(self.known.unsigned(self.type.width.data).value - 1)
        else:
            rest = self._rest(quotient)
        return self._raised(quotient, self._is_nonzero(rest))

    def _quotient_by(self, divisor: KnownDivisor, *, signed: bool) -> SSAValue:
        builder, divide = self.builder, _signed_by if signed else _unsigned_by
        # The high half of a product is an instruction for 32 and 64 bits alone (PTX ISA, "mul").
        if self.type.width.data >= 32:
            return divide(builder, self.lhs, divisor, self.type)
        wide = builder.compute(llvm.SExtOp if signed else llvm.ZExtOp, self.lhs, i32)
        return builder.insert(llvm.TruncOp(divide(builder, wide, divisor, i32), self.type))

    def _rest(self, quotient: SSAValue) -> SSAValue:
        product = self.builder.insert(llvm.MulOp(quotient, self.rhs))
        return self.builder.insert(llvm.SubOp(self.lhs, product))

    def _masked(self, mask: int) -> SSAValue:
        return _Integers(self.builder, self.type).apply(llvm.AndOp, self.lhs, mask)

    def _shifted(self, exponent: int) -> SSAValue:
        return self.builder.insert(llvm.AShrOp(self.lhs, self.builder.integer(exponent, self.type)))

    def _is_nonzero(self, value: SSAValue) -> SSAValue:
        return self.builder.compare("ne", value, self.builder.integer(0, self.type))

    def _is_rest(self, rest: SSAValue, predicate: str) -> SSAValue:
        """Whether the remainder is not zero and its sign differs from the divisor's (`slt`) or
        equals it (`sge`).
        """
        zero = self.builder.integer(0, self.type)
        signs = self.builder.compare(
            predicate, self.builder.insert(llvm.XOrOp(rest, self.rhs)), zero
        )
        return self.builder.insert(llvm.AndOp(self._is_nonzero(rest), signs))

    def _raised(self, quotient: SSAValue, is_more: SSAValue) -> SSAValue:
        by = self.builder.insert(llvm.ZExtOp(is_more, self.type))
        return self.builder.insert(llvm.AddOp(quotient, by))
