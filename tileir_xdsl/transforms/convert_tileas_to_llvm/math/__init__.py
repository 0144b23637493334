"""Elementary functions, such as `exp`, `log` and `sin`, to nearly the precision of a format.

f32 and f64 share every algorithm, each with its own coefficients; f16 and bf16 are computed in f32
and rounded once. An op's strategy decides whether it uses the hardware's approximation;
docs/numerics.md has the measured errors.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.external import ElementwiseCallOp
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, decided_strategy

from ..thread.elementwise import Emitter, apply, element_of, patterns_of
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from . import arc_tangent, exponential, logarithm, power, trigonometry
from .numbers import Real
from .tested_powers import tested_powers

Function: TypeAlias = Callable[..., Real]
"""Maps numbers of one format to the function's value."""


def emitter_of(function: Function, half: Function | None = None) -> Emitter:
    """Emits a function of f32 and f64; for 16-bit floats, `half` replaces it if given."""

    def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        builder, element = rewriter.builder, element_of(op.results[0])
        if not isinstance(element, Float16Type | BFloat16Type):
            return function(*(Real(builder, value) for value in values)).value
        wide = [Real(builder, builder.compute(llvm.FPExtOp, value, f32)) for value in values]
        # f32 has more than twice the digits, so that the second rounding hardly ever differs.
        return builder.insert(llvm.FPTruncOp((half or function)(*wide).value, element))

    return emitter


def _is_approximated(op: Operation) -> bool:
    """Whether an op uses its approximation; a call of an external function never does."""
    return not isinstance(op, ElementwiseCallOp) and decided_strategy(op) is Strategy.APPROXIMATION


def _by_strategy(polynomial: Function, approximation: Function) -> Emitter:
    """Emits a function of f32 and f64, or its f32 approximation, which may flush subnormals."""

    def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        if not _is_approximated(op):
            return emitter_of(polynomial)(op, rewriter, *values)
        flushes = "flush_to_zero" in op.properties
        chosen = partial(approximation, flush=True) if flushes else approximation
        return emitter_of(chosen)(op, rewriter, *values)

    return emitter


def _of_angle(function: Function, approximation: Function | None = None) -> Emitter:
    """Emits a function that needs the bits of 2 / pi, or its f32 approximation."""

    def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        if approximation is not None and _is_approximated(op):
            return emitter_of(approximation)(op, rewriter, *values)
        full = partial(function, table=trigonometry.table_of(rewriter))
        return emitter_of(full)(op, rewriter, *values)

    return emitter


EMITTERS: dict[type[Operation], Emitter] = {
    math.CoshOp: emitter_of(exponential.cosh),
    math.Exp2Op: _by_strategy(exponential.exp2, exponential.exp2_approx),
    math.ExpOp: _by_strategy(exponential.exp, exponential.exp_approx),
    math.Log2Op: _by_strategy(logarithm.log2, logarithm.log2_approx),
    math.LogOp: emitter_of(logarithm.log),
    math.PowFOp: emitter_of(power.pow, power.pow_for_halves),
    math.RsqrtOp: _by_strategy(logarithm.rsqrt, logarithm.rsqrt_approx),
    math.SinhOp: emitter_of(exponential.sinh),
    math.Atan2Op: emitter_of(arc_tangent.atan2),
    math.AtanOp: emitter_of(arc_tangent.atan),
    math.CosOp: _of_angle(trigonometry.cos, trigonometry.cos_approx),
    math.SinOp: _of_angle(trigonometry.sin, trigonometry.sin_approx),
    math.TanOp: _of_angle(trigonometry.tan),
    math.TanhOp: _by_strategy(exponential.tanh, exponential.tanh_approx),
    nv_tileaa.CosOp: _of_angle(trigonometry.cos, trigonometry.cos_approx),
    nv_tileaa.Exp2Op: _by_strategy(exponential.exp2, exponential.exp2_approx),
    nv_tileaa.ExpOp: _by_strategy(exponential.exp, exponential.exp_approx),
    nv_tileaa.Log2Op: _by_strategy(logarithm.log2, logarithm.log2_approx),
    nv_tileaa.RsqrtOp: _by_strategy(logarithm.rsqrt, logarithm.rsqrt_approx),
    nv_tileaa.SinOp: _of_angle(trigonometry.sin, trigonometry.sin_approx),
    nv_tileaa.TanhOp: _by_strategy(exponential.tanh, exponential.tanh_approx),
}
"""The function that lowers each op."""


class LowerPowerOfTwo(LowerOp[Operation]):
    """Lowers `2**x`, by the strategy of the op."""

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        if decided_strategy(op) is Strategy.TESTED_APPROXIMATION:
            rewriter.replace(op.results[0], tested_powers(op, rewriter))
        else:
            apply(op, rewriter, EMITTERS[type(op)])


PATTERNS: Patterns = {
    **patterns_of(EMITTERS),
    math.Exp2Op: LowerPowerOfTwo,
    nv_tileaa.Exp2Op: LowerPowerOfTwo,
}
