"""Numbers of a thread's program, with Python operators that emit arithmetic.

A `Real` is a register of f32 or f64, a `Word` a register of i32 or i64. An operator appends the
llvm op, rounded to nearest even; an operand may be a Python number, which becomes a constant. On a
CPU, a `Real` or `Word` may be a vector, and every operator works lane by lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    VectorType,
    f32,
    i32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.llvm import FPToSIOp, MaximumOp, MinimumOp

from ..arithmetic.float_formats import is_fcmp
from ..thread.builder import LLVMBuilder, build_op, vector_type
from ..thread.elementwise import call_intrinsic, float_constant

APPROXIMATE = llvm.FastMathAttr([FastMathFlag.APPROX_FUNC])
"""The flag that allows the hardware's approximation for an op."""

FloatType: TypeAlias = Float32Type | Float64Type


@dataclass(frozen=True)
class Format:
    """The parameters of f32 or f64, and the integer type of its bits."""

    type: FloatType
    word: IntegerType
    fraction_bits: int
    bias: int

    @property
    def rounder(self) -> float:
        """A constant whose sum with a small number has the nearest integer in its low bits."""
        # 1.5 rather than 1, so that negative numbers do not borrow from the exponent.
        return 1.5 * 2.0**self.fraction_bits

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)


F32 = Format(f32, i32, 23, 127)
F64 = Format(Float64Type(), i64, 52, 1023)
FORMATS: dict[type[FloatType], Format] = {Float32Type: F32, Float64Type: F64}


def lanes_of(value: SSAValue) -> int | None:
    """The lanes of a vector; None for a scalar."""
    return value.type.get_shape()[0] if isinstance(value.type, VectorType) else None


def _like(value: SSAValue, element: Attribute) -> Attribute:
    """The type with the same number of lanes of another element type."""
    lanes = lanes_of(value)
    return element if lanes is None else vector_type(element, lanes)


def _element_of(value: SSAValue) -> Attribute:
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


@dataclass(frozen=True)
class Word:
    """An integer with the bit width of a float."""

    builder: LLVMBuilder
    value: SSAValue

    def _insert(self, op: type[Operation], other: Word | int) -> Word:
        made = build_op(op, self.value, self._operand(other))
        return Word(self.builder, self.builder.insert(made))

    def _operand(self, other: Word | int) -> SSAValue:
        if isinstance(other, Word):
            return other.value
        type = _element_of(self.value)
        assert isinstance(type, IntegerType)
        if isinstance(self.value.type, VectorType):
            splat = DenseIntOrFPElementsAttr.from_list(self.value.type, [other])
            return self.builder.constant(splat, self.value.type)
        return self.builder.integer(other, type)

    def __add__(self, other: Word | int) -> Word:
        return self._insert(llvm.AddOp, other)

    def __sub__(self, other: Word | int) -> Word:
        return self._insert(llvm.SubOp, other)

    def __and__(self, other: Word | int) -> Word:
        return self._insert(llvm.AndOp, other)

    def __mul__(self, other: Word | int) -> Word:
        return self._insert(llvm.MulOp, other)

    def __or__(self, other: Word | int) -> Word:
        return self._insert(llvm.OrOp, other)

    def __xor__(self, other: Word | int) -> Word:
        return self._insert(llvm.XOrOp, other)

    def __lshift__(self, other: Word | int) -> Word:
        return self._insert(llvm.ShlOp, other)

    def __rshift__(self, other: Word | int) -> Word:
        """Arithmetic."""
        return self._insert(llvm.AShrOp, other)

    def shift_right_logical(self, other: Word | int) -> Word:
        return self._insert(llvm.LShrOp, other)

    def high_product(self, other: Word) -> Word:
        """The upper half of the unsigned product of two i64."""
        name = "llvm.nvvm.mulhi.ull"
        return Word(self.builder, call_intrinsic(self.builder, name, i64, self.value, other.value))

    def is_below(self, other: Word) -> SSAValue:
        """Unsigned."""
        return self.builder.compare("ult", self.value, other.value)

    def is_negative(self) -> SSAValue:
        """Signed."""
        return self.builder.compare("slt", self.value, self._operand(0))

    def equals(self, other: int) -> SSAValue:
        return self.builder.compare("eq", self.value, self._operand(other))


@dataclass(frozen=True)
class Real:
    """A float."""

    builder: LLVMBuilder
    value: SSAValue

    @cached_property
    def format(self) -> Format:
        type = _element_of(self.value)
        assert isinstance(type, Float32Type | Float64Type)
        return FORMATS[type.__class__]

    def of(self, other: Real | float) -> Real:
        """A constant of the same format; a register is returned unchanged."""
        if isinstance(other, Real):
            return other
        if isinstance(self.value.type, VectorType):
            splat = DenseIntOrFPElementsAttr.from_list(self.value.type, [other])
            return Real(self.builder, self.builder.constant(splat, self.value.type))
        return Real(self.builder, float_constant(self.builder, other, self.format.type))

    def _insert(self, op: type[Operation], *others: Real | float) -> Real:
        operands = [self.value, *(self.of(other).value for other in others)]
        return Real(self.builder, self.builder.insert(build_op(op, *operands)))

    def _intrinsic(self, name: str, *others: Real | float) -> Real:
        """Calls an f32 intrinsic of NVVM."""
        operands = [self.value, *(self.of(other).value for other in others)]
        result = call_intrinsic(self.builder, f"llvm.nvvm.{name}", f32, *operands)
        return Real(self.builder, result)

    def __add__(self, other: Real | float) -> Real:
        return self._insert(llvm.FAddOp, other)

    def __sub__(self, other: Real | float) -> Real:
        return self._insert(llvm.FSubOp, other)

    def __rsub__(self, other: float) -> Real:
        return self.of(other) - self

    def __mul__(self, other: Real | float) -> Real:
        return self._insert(llvm.FMulOp, other)

    def __truediv__(self, other: Real | float) -> Real:
        return self._insert(llvm.FDivOp, other)

    def __rtruediv__(self, other: float) -> Real:
        return self.of(other) / self

    def __neg__(self) -> Real:
        return Real(self.builder, self.builder.compute(llvm.FNegOp, self.value))

    def __abs__(self) -> Real:
        return Real(self.builder, self.builder.compute(llvm.FAbsOp, self.value, self.value.type))

    def times_plus(self, factor: Real | float, addend: Real | float) -> Real:
        """`self * factor + addend`, rounded once."""
        return self._insert(llvm.FMAOp, factor, addend)

    def share_of_one(self, factor: float, addend: float) -> Real:
        """`self * factor + addend` of an f32, clamped to 0 through 1; NaN becomes 0."""
        return self._intrinsic("fma.rn.sat.f", factor, addend)

    def times_plus_down(self, factor: float, addend: float) -> Real:
        """`self * factor + addend` of an f32, rounded down."""
        return self._intrinsic("fma.rm.f", factor, addend)

    def square_root(self) -> Real:
        return self._insert(llvm.FSqrtOp)

    def with_sign_of(self, other: Real) -> Real:
        return self._insert(llvm.FCopySignOp, other)

    def clamped(self, low: float, high: float) -> Real:
        """NaN stays NaN."""
        # `maximum` and `minimum` propagate NaN, where `maxnum` and `minnum` would drop it.
        return self._insert(MaximumOp, low)._insert(MinimumOp, high)

    def fast_division(self, divisor: Real) -> Real:
        """A quotient of ordinary numbers, to 2 ulp in f32 and correctly rounded in f64."""
        # PTX has no approximate division of f64, and a CPU none of f32.
        if self.format is F64 or lanes_of(self.value) is not None:
            return self / divisor
        return self._intrinsic("div.approx.f", divisor)

    def fast_inverse(self) -> Real:
        """1 / x of an ordinary number to 1 unit in the last place."""
        is_vector = lanes_of(self.value) is not None
        return 1.0 / self if self.format is F64 or is_vector else self.reciprocal_approx()

    def reciprocal_approx(self) -> Real:
        """1 / x of an f32 to 1 ulp, without subnormal numbers."""
        return self._intrinsic("rcp.approx.ftz.f")

    def compare(self, predicate: str, other: Real | float) -> SSAValue:
        """A comparison, by the predicate of `llvm.fcmp`."""
        return is_fcmp(self.builder, predicate, self.value, self.of(other).value)

    def to_integer(self) -> Word:
        """Converts an integral number to a word of the same width."""
        return Word(
            self.builder,
            self.builder.insert(FPToSIOp(self.value, _like(self.value, self.format.word))),
        )

    def in_format(self, format: Format) -> Real:
        """Converts the number to another format."""
        if format is self.format:
            return self
        op = llvm.FPExtOp if format is F64 else llvm.FPTruncOp
        return Real(
            self.builder, self.builder.insert(op(self.value, _like(self.value, format.type)))
        )

    @property
    def bits(self) -> Word:
        type = _like(self.value, self.format.word)
        word = self.builder.insert(llvm.BitcastOp(self.value, type))
        return Word(self.builder, word)

    def from_bits(self, bits: Word) -> Real:
        """The number of this format with the given bits."""
        type = _like(bits.value, self.format.type)
        return Real(self.builder, self.builder.insert(llvm.BitcastOp(bits.value, type)))

    def from_integer(self, word: Word) -> Real:
        """Converts a small integer to this format."""
        type = _like(word.value, self.format.type)
        return Real(self.builder, self.builder.insert(llvm.SIToFPOp(word.value, type)))

    def polynomial(self, coefficients: Sequence[float]) -> Real:
        """Evaluates a polynomial by Horner's rule; coefficients are lowest power first."""
        *lower, last = coefficients
        result = self.of(last)
        for coefficient in reversed(lower):
            # Fused: one rounding for each step of Horner's rule, and half the instructions.
            result = result.times_plus(self, coefficient)
        return result

    def power_of_two(self, exponent: Word) -> Real:
        """2**exponent in this format, for exponents of normal numbers."""
        return self.from_bits((exponent + self.format.bias) << self.format.fraction_bits)


def select(condition: SSAValue, chosen: Real, other: Real | float) -> Real:
    """`chosen` where the condition holds, otherwise `other`."""
    builder, rest = chosen.builder, chosen.of(other)
    return Real(builder, builder.select(condition, chosen.value, rest.value))


@dataclass(frozen=True)
class Pair:
    """A number as the sum of its nearest float and the error of that float."""

    high: Real
    low: Real


def sum_of(larger: Real, smaller: Real | float) -> Pair:
    """The exact sum, if the first number has the larger magnitude or is zero (Dekker)."""
    total = larger + smaller
    # Exact only in this order of operands, which the caller knows.
    return Pair(total, larger.of(smaller) - (total - larger))


def product_of(factor: Real, other: Real | float) -> Pair:
    """The exact product."""
    product = factor * other
    # The fused operation rounds once, so the error of the product comes out exact.
    return Pair(product, factor.times_plus(other, -product))


def nearest_integer(factor: Real, scale: float) -> tuple[Real, Word]:
    """The integer nearest to `factor * scale`: as a float, and in the low bits of a word."""
    rounder = factor.format.rounder
    # By an addition, as conversions run at a fraction of its rate.
    shifted = factor.times_plus(scale, rounder)
    return shifted - rounder, shifted.bits
