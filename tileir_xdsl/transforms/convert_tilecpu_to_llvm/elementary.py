"""Elementary functions on scalars and vectors, by the algorithms for GPUs in each lane.

Without hardware approximations, `exp`, `exp2`, `tanh` and `rsqrt` of f32 have separate algorithms,
short enough for bodies of loops. All other functions are in `convert_tileas_to_llvm/math`.
Additions, multiplications, fused multiply-adds, divisions and square roots are rounded as IEEE
requires. So results have the same bits on every processor. f16 and bf16 are computed in f32 and
rounded once.
"""

from collections.abc import Callable
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float64Type,
    IntegerType,
    VectorType,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders.llvm_code import LLVMCode, element_of, lanes_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import FCmpOp, SelectOp
from tileir_xdsl.dialects.llvm.values import ExtractElementOp

from ..convert_tileas_to_llvm.math import (
    arc_tangent,
    coefficients,
    exponential,
    logarithm,
    power,
    trigonometry,
)
from ..convert_tileas_to_llvm.math.numbers import F32, Real, Word, select
from ..convert_tileas_to_llvm.thread.builder import KnownValues, LLVMBuilder
from .element_conversions import narrow_float, widen_float

Function: TypeAlias = Callable[..., Real]
"""Maps numbers of one float format to the function value."""

Emit: TypeAlias = Callable[..., SSAValue]
"""Emits an op: takes the code, the op and a scalar or vector for each operand; returns the
result.
"""


class LaneBuilder(LLVMBuilder):
    """Builds ops on vectors at the end of the code, with a separate cache of values for each op."""

    def __init__(self, code: LLVMCode):
        rewriter = Builder(InsertPoint.at_end(code.block))
        super().__init__(rewriter, KnownValues(code.block), code.location)

    def compute(self, op: type[Operation], *arguments: object) -> SSAValue:
        return super().compute(FCmpOp if op is llvm.FCmpOp else op, *arguments)

    def select(self, condition: SSAValue, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.insert(SelectOp(condition, lhs, rhs))


def _bounded(x: Real, low: float, high: float) -> Real:
    """The number clamped to bounds; NaN stays NaN."""
    raised = select(x.compare("olt", low), x.of(low), x)
    return select(raised.compare("ogt", high), raised.of(high), raised)


LOG_2 = exponential.LOG_2[F32]


def _power(rest: Real) -> Real:
    """`e**r` of an f32 for |r| <= log(2) / 2."""
    tail = rest.polynomial(coefficients.EXPONENTIAL[F32.type])
    return (rest * rest).times_plus(rest.times_plus(tail, 0.5), rest) + 1.0


def _nearest(x: Real, scale: float) -> tuple[Real, Word]:
    """The integer n nearest to `x * scale`, and a word whose last nine bits are `n + 2 * bias`."""
    # 2 * bias rather than bias, so that half of it is the exponent of a factor.
    rounder = x.format.rounder + 2 * x.format.bias
    shifted = x.times_plus(scale, rounder)
    return shifted - rounder, shifted.bits


def _scaled(number: Real, word: Word) -> Real:
    """`number * 2**n` as two multiplications, rounded once; `word` holds n."""
    bits = number.format.fraction_bits
    half = word >> 1
    first, second = half << bits, (word - half) << bits
    return number * number.from_bits(first) * number.from_bits(second)


def exp_single(x: Real) -> Real:
    """`e**x` of an f32."""
    x = _bounded(x, *exponential.RANGE[F32])
    n, word = _nearest(x, exponential.LOG2_E)
    rest = n.times_plus(-LOG_2[1], n.times_plus(-LOG_2[0], x))
    return _scaled(_power(rest), word)


def exp2_single(x: Real) -> Real:
    """`2**x` of an f32."""
    x = _bounded(x, *exponential.EXPONENTS[F32])
    n, word = _nearest(x, 1.0)
    return _scaled(_power((x - n) * LOG_2[0]), word)


TANH_IS_ONE = 9.5
"""A number from which on the hyperbolic tangent rounds to 1 in f32."""


def tanh_single(x: Real) -> Real:
    """The hyperbolic tangent of an f32: a polynomial, or `1 - 2 / (e**(2 x) + 1)`."""
    magnitude, square = abs(x), x * x
    polynomial = square.polynomial(coefficients.HYPERBOLIC_TANGENT[F32.type])
    small = magnitude.times_plus(square * polynomial, magnitude)
    bounded = select(magnitude.compare("ogt", TANH_IS_ONE), x.of(TANH_IS_ONE), magnitude)
    # `2 x / log(2) = n + ..`; within the bounds `2**n` is a normal number.
    rounder = x.format.rounder + x.format.bias
    shifted = bounded.times_plus(2 * exponential.LOG2_E, rounder)
    n = shifted - rounder
    rest = n.times_plus(-LOG_2[1], n.times_plus(-LOG_2[0], bounded * 2.0))
    scale = x.from_bits(shifted.bits << x.format.fraction_bits)
    divisor = _power(rest).times_plus(scale, 1.0)
    large = 1.0 - 2.0 / divisor
    is_small = magnitude.compare("olt", exponential.SMALL_TANH[F32])
    return select(is_small, small, large).with_sign_of(x)


def rsqrt_single(x: Real) -> Real:
    """`1 / sqrt(x)` of an f32, rounded twice."""
    return 1.0 / x.square_root()


def _by_format(single: Function, double: Function) -> Function:
    def function(x: Real) -> Real:
        return (single if x.format is F32 else double)(x)

    return function


def _table() -> trigonometry.Table:
    """`TWO_OVER_PI` as a constant vector, read for large angles only."""

    def open() -> trigonometry.ReadWord:
        words = trigonometry.signed_words()
        words += [0] * (32 - len(words))
        vector = VectorType(i64, (len(words),))

        def read(first: Word, position: int) -> Word:
            builder = first.builder
            elements = DenseIntOrFPElementsAttr.from_list(vector, words)
            table = builder.constant(elements, vector)
            index = (first + position).value
            return Word(builder, builder.insert(ExtractElementOp(table, index)))

        return read

    return trigonometry.Table(open, _high_product)


def _high_product(a: Word, b: Word) -> Word:
    builder, wide = a.builder, IntegerType(128)
    first, second = (builder.compute(llvm.ZExtOp, word.value, wide) for word in (a, b))
    product = Word(builder, builder.compute(llvm.MulOp, first, second))
    upper = product.shift_right_logical(64)
    return Word(builder, builder.compute(llvm.TruncOp, upper.value, i64))


def _of_angle(function: Function) -> Function:
    def with_table(x: Real) -> Real:
        return function(x, _table())

    return with_table


def on_lanes(code: LLVMCode, function: Function, *values: SSAValue) -> SSAValue:
    """Emits a function of scalars, or of each lane of vectors, of one float type."""
    element = element_of(values[0].type)
    is_scalar = lanes_of(values[0].type) is None
    wide = list[SSAValue]()
    for value in values:
        value = value if isinstance(element, Float64Type) else widen_float(code, value)
        wide.append(code.splat(value, 1) if is_scalar else value)
    builder = LaneBuilder(code)
    result = function(*(Real(builder, value) for value in wide)).value
    code.block = builder.block
    if is_scalar:
        result = code.extract(result, 0)
    return result if isinstance(element, Float64Type) else narrow_float(code, result, element)


def _flushed(x: Real) -> Real:
    """The number; a subnormal one is replaced by a zero of the same sign."""
    is_tiny = abs(x).compare("olt", x.format.smallest_normal)
    return select(is_tiny, x.of(0.0).with_sign_of(x), x)


def _emitter(function: Function) -> Emit:
    def emit(code: LLVMCode, op: Operation, *values: SSAValue) -> SSAValue:
        if "flush_to_zero" not in op.properties and "flush_to_zero" not in op.attributes:
            return on_lanes(code, function, *values)
        return on_lanes(code, lambda *x: _flushed(function(*map(_flushed, x))), *values)

    return emit


exp = _by_format(exp_single, exponential.exp)
exp2 = _by_format(exp2_single, exponential.exp2)
tanh = _by_format(tanh_single, exponential.tanh)
rsqrt = _by_format(rsqrt_single, logarithm.rsqrt)
cos, sin, tan = map(_of_angle, (trigonometry.cos, trigonometry.sin, trigonometry.tan))

ELEMENTARY: dict[type[Operation], Emit] = {
    op: _emitter(function)
    for function, ops in (
        (exp, (math.ExpOp, nv_tileaa.ExpOp)),
        (exp2, (math.Exp2Op, nv_tileaa.Exp2Op)),
        (logarithm.log, (math.LogOp,)),
        (logarithm.log2, (math.Log2Op, nv_tileaa.Log2Op)),
        (rsqrt, (math.RsqrtOp, nv_tileaa.RsqrtOp)),
        (tanh, (math.TanhOp, nv_tileaa.TanhOp)),
        (exponential.sinh, (math.SinhOp,)),
        (exponential.cosh, (math.CoshOp,)),
        (sin, (math.SinOp, nv_tileaa.SinOp)),
        (cos, (math.CosOp, nv_tileaa.CosOp)),
        (tan, (math.TanOp,)),
        (power.pow, (math.PowFOp,)),
        (arc_tangent.atan2, (math.Atan2Op,)),
        (arc_tangent.atan, (math.AtanOp,)),
    )
    for op in ops
}
"""The emitter of each elementary function."""
