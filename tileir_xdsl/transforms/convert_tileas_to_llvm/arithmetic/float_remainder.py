"""`remf`: exact remainders of floats, by long division of their significands."""

from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, Float64Type, IntegerType, f32, f64, i32, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import CountLeadingZerosOp, UMaxOp, UMinOp

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import element_of, patterns_of
from ..thread.patterns import Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while


@dataclass(frozen=True)
class Encoding:
    """An IEEE 754 binary interchange format: its integer type, and its number of fraction bits."""

    type: AnyFloat
    integer: IntegerType
    fraction_bits: int

    @property
    def width(self) -> int:
        """Bits in all."""
        return self.integer.width.data

    @property
    def leading_bit(self) -> int:
        """The implicit leading bit of a normal number's significand."""
        return 1 << self.fraction_bits

    @property
    def infinity(self) -> int:
        """The bits of infinity."""
        return ((1 << (self.width - 1 - self.fraction_bits)) - 1) << self.fraction_bits

    @property
    def spare_bits(self) -> int:
        """The largest left shift of a significand that fits the integer."""
        return self.width - 1 - self.fraction_bits


SINGLE, DOUBLE = Encoding(f32, i32, 23), Encoding(f64, i64, 52)


class _Integers:
    """Arithmetic on integers of one encoding."""

    def __init__(self, builder: LLVMBuilder, encoding: Encoding):
        self.builder, self.encoding = builder, encoding

    def known(self, value: int) -> SSAValue:
        return self.builder.integer(value, self.encoding.integer)

    def binary(self, op: type[Operation], lhs: SSAValue, rhs: SSAValue | int) -> SSAValue:
        rhs = self.known(rhs) if isinstance(rhs, int) else rhs
        return self.builder.compute(op, lhs, rhs)

    def compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue | int) -> SSAValue:
        rhs = self.known(rhs) if isinstance(rhs, int) else rhs
        return self.builder.compare(predicate, lhs, rhs)

    def decoded(self, bits: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The exponent and significand of a magnitude; subnormal numbers have the least
        exponent.
        """
        biased = self.binary(llvm.LShrOp, bits, self.encoding.fraction_bits)
        fraction = self.binary(llvm.AndOp, bits, self.encoding.leading_bit - 1)
        normal = self.binary(llvm.OrOp, fraction, self.encoding.leading_bit)
        is_normal = self.compare("ne", biased, 0)
        significand = self.builder.select(is_normal, normal, fraction)
        # Exponent 0 encodes the same scale as 1, without the leading digit.
        return self.binary(UMaxOp, biased, 1), significand

    def encoded(self, exponent: SSAValue, significand: SSAValue) -> SSAValue:
        """The magnitude with this exponent and significand, whose leading bits may be zero."""
        encoding = self.encoding
        zeros = self.builder.insert(CountLeadingZerosOp(significand))
        zeros = self.binary(llvm.SubOp, zeros, encoding.spare_bits)
        shift = self.binary(UMinOp, zeros, self.binary(llvm.SubOp, exponent, 1))
        digits = self.binary(llvm.ShlOp, significand, shift)
        # The leading bit of a normal number adds one to the exponent.
        below = self.binary(llvm.SubOp, self.binary(llvm.SubOp, exponent, shift), 1)
        placed = self.binary(llvm.ShlOp, below, encoding.fraction_bits)
        is_zero = self.compare("eq", significand, 0)
        return self.builder.select(is_zero, digits, self.binary(llvm.AddOp, placed, digits))


def remainder(builder: LLVMBuilder, lhs: SSAValue, rhs: SSAValue, encoding: Encoding) -> SSAValue:
    """The remainder of truncated division, with the sign of `lhs`, of f32 or f64.

    Shifts the dividend's significand to the divisor's exponent a few bits at a time, and reduces it
    by the divisor each time.
    """
    integers = _Integers(builder, encoding)
    sign_bit = 1 << (encoding.width - 1)
    dividend_bits, divisor_bits = (
        builder.insert(llvm.BitcastOp(value, encoding.integer)) for value in (lhs, rhs)
    )
    sign = integers.binary(llvm.AndOp, dividend_bits, sign_bit)
    dividend = integers.binary(llvm.AndOp, dividend_bits, sign_bit - 1)
    divisor = integers.binary(llvm.AndOp, divisor_bits, sign_bit - 1)
    dividend_exponent, dividend_digits = integers.decoded(dividend)
    divisor_exponent, divisor_digits = integers.decoded(divisor)
    # An integer remainder by zero is undefined in LLVM; NaN is selected below.
    modulus = integers.binary(UMaxOp, divisor_digits, 1)

    def is_unfinished(state: State) -> SSAValue:
        return integers.compare("sgt", state[1], 0)

    def reduce_further(state: State) -> State:
        rest, distance = state
        shift = integers.binary(UMinOp, distance, integers.known(encoding.spare_bits))
        shifted = integers.binary(llvm.ShlOp, rest, shift)
        return (
            integers.binary(llvm.URemOp, shifted, modulus),
            integers.binary(llvm.SubOp, distance, shift),
        )

    # Reduced once before the loop, which then shifts something smaller than the divisor.
    first = integers.binary(llvm.URemOp, dividend_digits, modulus)
    distance = integers.binary(llvm.SubOp, dividend_exponent, divisor_exponent)
    rest, _ = repeat_while(builder, (first, distance), is_unfinished, reduce_further)
    reduced = integers.encoded(divisor_exponent, rest)
    # Magnitudes compare like their bits; the distance would be negative there.
    is_less = integers.compare("ult", dividend, divisor)
    bits = integers.binary(llvm.OrOp, builder.select(is_less, dividend, reduced), sign)
    invalid = [
        integers.compare("uge", dividend, encoding.infinity),
        integers.compare("ugt", divisor, encoding.infinity),
        integers.compare("eq", divisor, 0),
    ]
    is_invalid = builder.insert(
        llvm.OrOp(builder.insert(llvm.OrOp(invalid[0], invalid[1])), invalid[2])
    )
    nan = integers.known(sign_bit - 1)
    return builder.insert(llvm.BitcastOp(builder.select(is_invalid, nan, bits), encoding.type))


def _remainder(
    op: nv_tileaa.RemFOp, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue
) -> SSAValue:
    """Converts 16-bit floats to f32 and back, which is exact, as the remainder fits 16 bits."""
    builder, element = rewriter.builder, element_of(op.result)
    if isinstance(element, Float64Type):
        return remainder(builder, lhs, rhs, DOUBLE)
    if element == f32:
        return remainder(builder, lhs, rhs, SINGLE)
    wide = [builder.compute(llvm.FPExtOp, value, f32) for value in (lhs, rhs)]
    return builder.insert(llvm.FPTruncOp(remainder(builder, wide[0], wide[1], SINGLE), element))


PATTERNS: Patterns = patterns_of({nv_tileaa.RemFOp: _remainder})
