"""`fpowi`: integer powers by squaring, one bit of the exponent after the other.

Formats up to f32 are computed in f64, whose extra digits cover the error of up to 2**31
multiplications. The power of an f64 is computed in pairs of f64: a value and its rounding error
(Dekker).
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, like
from tileir_xdsl.dialects.llvm import FCmpOp

from .intrinsics import intrinsic, select

Number = Sequence[SSAValue]
"""A float, or a pair of a float and its rounding error."""


def integer_power(
    code: LLVMCode, base: SSAValue, exponent: SSAValue, *, in_pairs: bool
) -> SSAValue:
    """An f64 to the power of a signed integer; without `in_pairs`, each multiplication rounds."""
    zero = code.constant(0, exponent.type)
    is_negative = code.compare("slt", exponent, zero)
    count = select(code, is_negative, code.add(llvm.SubOp(zero, exponent)), exponent)
    if in_pairs:
        inverse, error = _reciprocal(code, base)
        factor = select(code, is_negative, inverse, base)
        rest = select(code, is_negative, error, code.constant(0.0, base.type))
        return _power(code, (factor, rest), count)[0]
    (power,) = _power(code, (base,), count)
    # After the power: one rounding instead of one for each factor.
    inverse = code.add(llvm.FDivOp(code.constant(1.0, base.type), power))
    return select(code, is_negative, inverse, power)


def _power(code: LLVMCode, base: Number, count: SSAValue) -> Number:
    """The product of `count` factors."""
    size, width = len(base), element_of(count.type)
    assert isinstance(width, IntegerType)
    kind = base[0].type
    unit = (code.constant(1.0, kind), code.constant(0.0, kind))
    one = code.constant(1, count.type)

    def square(_index: SSAValue, state: Sequence[SSAValue]) -> list[SSAValue]:
        left, total, factor = state[0], state[1 : 1 + size], state[1 + size :]
        is_odd = code.add(llvm.TruncOp(left, like(left.type, i1)))
        product = _multiply(code, total, factor)
        pairs = zip(product, total, strict=True)
        return [
            code.add(llvm.LShrOp(left, one)),
            *(select(code, is_odd, new, old) for new, old in pairs),
            *_multiply(code, factor, factor),
        ]

    end = code.integer(width.width.data)
    state = [count, *unit[:size], *base]
    state = code.loop(code.integer(0), end, code.integer(1), state, square, runs=True)
    return state[1 : 1 + size]


def _multiply(code: LLVMCode, lhs: Number, rhs: Number) -> Number:
    """A product; two pairs multiply to a pair, and the error of an infinite product is 0."""
    product = code.add(llvm.FMulOp(lhs[0], rhs[0]))
    if len(lhs) == 1:
        return (product,)
    error = intrinsic(code, "fma", lhs[0], rhs[0], code.add(llvm.FNegOp(product)))
    error = intrinsic(code, "fma", lhs[1], rhs[0], error)
    error = intrinsic(code, "fma", lhs[0], rhs[1], error)
    total = code.add(llvm.FAddOp(product, error))
    rest = code.add(llvm.FSubOp(error, code.add(llvm.FSubOp(total, product))))
    # Infinity less infinity would make a NaN of the error.
    is_finite = _is_finite(code, product)
    zero = code.constant(0.0, product.type)
    return select(code, is_finite, total, product), select(code, is_finite, rest, zero)


def _reciprocal(code: LLVMCode, value: SSAValue) -> Number:
    """`1 / value` and its rounding error; the error of a zero or infinite inverse is 0."""
    one, zero = (code.constant(number, value.type) for number in (1.0, 0.0))
    quotient = code.add(llvm.FDivOp(one, value))
    rest = intrinsic(code, "fma", code.add(llvm.FNegOp(value)), quotient, one)
    error = code.add(llvm.FMulOp(rest, quotient))
    # An inverse of zero or infinity has no rest that is a number.
    return quotient, select(code, _is_finite(code, rest), error, zero)


def _is_finite(code: LLVMCode, value: SSAValue) -> SSAValue:
    infinity = code.constant(float("inf"), value.type)
    return code.add(FCmpOp(intrinsic(code, "fabs", value), infinity, "olt"))
