"""`fpowi`: integer powers by multiplication, or by squaring in a loop.

Formats up to f32 are computed in f64, whose additional digits absorb the error of 2**31
multiplications. An f64 power is computed on pairs of f64, in which the second is the error of the
first (Dekker).
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float64Type,
    IntegerType,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, strategy_of

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import element_of, float_constant, patterns_of
from ..thread.patterns import Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from .float_formats import is_fcmp

Number = Sequence[SSAValue]
"""A float, or a float and its error."""


def _is_finite(builder: LLVMBuilder, value: SSAValue) -> SSAValue:
    magnitude = builder.insert(llvm.FAbsOp(value, f64))
    return is_fcmp(builder, "olt", magnitude, float_constant(builder, float("inf"), f64))


def multiply_pairs(builder: LLVMBuilder, lhs: Number, rhs: Number) -> Number:
    """The product of two numbers, each an f64 and its error; an infinite product has error zero."""
    insert = builder.insert
    product = insert(llvm.FMulOp(lhs[0], rhs[0]))
    error = insert(llvm.FMAOp(lhs[0], rhs[0], insert(llvm.FNegOp(product))))
    error = insert(llvm.FMAOp(lhs[1], rhs[0], error))
    error = insert(llvm.FMAOp(lhs[0], rhs[1], error))
    total = insert(llvm.FAddOp(product, error))
    rest = insert(llvm.FSubOp(error, insert(llvm.FSubOp(total, product))))
    # Infinity less infinity would make a NaN of the error.
    is_finite = _is_finite(builder, product)
    zero = float_constant(builder, 0.0, f64)
    return (
        builder.select(is_finite, total, product),
        builder.select(is_finite, rest, zero),
    )


def reciprocal_pair(builder: LLVMBuilder, value: SSAValue) -> Number:
    """`1 / value` and its error; the error of a zero or infinite inverse is zero."""
    insert, one = builder.insert, float_constant(builder, 1.0, f64)
    quotient = insert(llvm.FDivOp(one, value))
    rest = insert(llvm.FMAOp(insert(llvm.FNegOp(value)), quotient, one))
    error = insert(llvm.FMulOp(rest, quotient))
    # An inverse of zero or infinity has no rest that is a number.
    is_number = _is_finite(builder, rest)
    return quotient, builder.select(is_number, error, float_constant(builder, 0.0, f64))


def _multiply(builder: LLVMBuilder, lhs: Number, rhs: Number) -> Number:
    if len(lhs) == 2:
        return multiply_pairs(builder, lhs, rhs)
    return (builder.insert(llvm.FMulOp(lhs[0], rhs[0])),)


def _power(builder: LLVMBuilder, base: Number, count: SSAValue) -> Number:
    """The `count`-th power."""
    type, size = count.type, len(base)
    assert isinstance(type, IntegerType)
    zero, one = builder.integer(0, type), builder.integer(1, type)
    unit = float_constant(builder, 1.0, f64), float_constant(builder, 0.0, f64)

    def is_unfinished(state: State) -> SSAValue:
        return builder.compare("ne", state[0], zero)

    def square(state: State) -> State:
        left, total, factor = state[0], state[1 : 1 + size], state[1 + size :]
        is_odd = builder.insert(llvm.TruncOp(left, i1))
        product = _multiply(builder, total, factor)
        return (
            builder.insert(llvm.LShrOp(left, one)),
            *(builder.select(is_odd, new, old) for new, old in zip(product, total, strict=True)),
            *_multiply(builder, factor, factor),
        )

    state = repeat_while(builder, (count, *unit[:size], *base), is_unfinished, square)
    return state[1 : 1 + size]


def _integer_power(
    op: nv_tileaa.FPowIOp, rewriter: ThreadRewriter, base: SSAValue, exponent: SSAValue
) -> SSAValue:
    builder, element = rewriter.builder, element_of(op.result)
    if strategy_of(op) is Strategy.PRODUCTS:
        known = uniform_integer(op.exponent)
        assert known is not None
        if not isinstance(element, Float16Type | BFloat16Type):
            return _inline_power(builder, base, known)
        single = _inline_power(builder, builder.compute(llvm.FPExtOp, base, f32), known)
        return builder.insert(llvm.FPTruncOp(single, element))
    type = exponent.type
    assert isinstance(type, IntegerType)
    # PTX has no 8-bit registers, and the loop counts in one.
    if type.width.data < 32:
        exponent, type = builder.compute(llvm.SExtOp, exponent, i32), i32
    zero = builder.integer(0, type)
    is_negative = builder.compare("slt", exponent, zero)
    count = builder.select(is_negative, builder.compute(llvm.SubOp, zero, exponent), exponent)
    if isinstance(element, Float64Type):
        inverse = reciprocal_pair(builder, base)
        factor = (
            builder.select(is_negative, inverse[0], base),
            builder.select(is_negative, inverse[1], float_constant(builder, 0.0, f64)),
        )
        return _power(builder, factor, count)[0]
    wide = builder.compute(llvm.FPExtOp, base, f64)
    (power,) = _power(builder, (wide,), count)
    # After the power: one rounding in f64 instead of one for each factor.
    inverse = builder.insert(llvm.FDivOp(float_constant(builder, 1.0, f64), power))
    result = builder.select(is_negative, inverse, power)
    return builder.insert(llvm.FPTruncOp(result, element))


def _inline_power(builder: LLVMBuilder, base: SSAValue, exponent: int) -> SSAValue:
    """A small constant power, by squaring if that saves multiplications."""
    if exponent == 1:
        return base
    square = builder.compute(llvm.FMulOp, base, base)
    if exponent == 2:
        return square
    return builder.compute(llvm.FMulOp, square, square if exponent == 4 else base)


PATTERNS: Patterns = patterns_of({nv_tileaa.FPowIOp: _integer_power})
