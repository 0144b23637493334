"""Elementary functions: `exp`, `log`, `sin` and their kin, computed to the precision of a format.

f32 and f64 share every algorithm, each with its own coefficients. f16 and bf16 are computed in f32
and rounded once. The hardware's approximations serve where the op asks for them, or where they are
as precise as the specification wants. docs/numerics.md has the measured errors.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode

from ..arithmetic.floating_point import fast_math
from ..thread.elementwise import Emitter, element_of, patterns_of
from ..thread.patterns import Patterns
from ..thread.program import ThreadProgram
from . import arc_tangent, exponential, logarithm, power, trigonometry
from .numbers import Real

Function: TypeAlias = Callable[..., Real]
"""Numbers of one format to their function value."""


def _emitter(function: Function, half: Function | None = None) -> Emitter:
    """A function of f32 and f64, and the one of f32 that halves use where it is another."""

    def emitter(op: Operation, program: ThreadProgram, *values: SSAValue) -> SSAValue:
        builder, element = program.builder, element_of(op.results[0])
        if not isinstance(element, Float16Type | BFloat16Type):
            return function(*(Real(builder, value) for value in values)).value
        wide = [Real(builder, builder.compute(llvm.FPExtOp, value, f32)) for value in values]
        # f32 has more than twice the digits, so that the second rounding hardly ever differs.
        return builder.insert(llvm.FPTruncOp((half or function)(*wide).value, element))

    return emitter


def _by_accuracy(function: Function, approximate: Function, half: Function) -> Emitter:
    """A function of f32 and f64, and its approximation in f32."""
    full, approx = _emitter(function, half), _emitter(approximate)

    def emitter(op: Operation, program: ThreadProgram, *values: SSAValue) -> SSAValue:
        return (approx if _may_approximate(op) else full)(op, program, *values)

    return emitter


def _may_approximate(op: Operation) -> bool:
    """Whether an op asks for an approximation: by its rounding, or by fast math up to f32."""
    rounding = op.properties.get("rounding_mode")
    if isinstance(rounding, nv_tileaa.RoundingModeAttr) and rounding.data is RoundingMode.APPROX:
        return True
    # The hardware has no approximations of f64 functions (PTX ISA, "Floating Point Instructions").
    is_double = isinstance(element_of(op.results[0]), Float64Type)
    return not is_double and FastMathFlag.APPROX_FUNC in fast_math(op).data


def _by_hardware(approximate: Function, double: Function) -> Emitter:
    """A function whose f32 form is one instruction, which may flush."""

    def function(op: Operation) -> Function:
        flush = "flush_to_zero" in op.properties

        def chosen(x: Real) -> Real:
            is_single = isinstance(x.format.type, Float32Type)
            return approximate(x, flush) if is_single else double(x)

        return chosen

    def emitter(op: Operation, program: ThreadProgram, *values: SSAValue) -> SSAValue:
        return _emitter(function(op))(op, program, *values)

    return emitter


def _of_angle(function: Function, approximate: Function | None = None) -> Emitter:
    """A function of f32 and f64 that needs the bits of 2 / pi, and its approximation in f32."""

    def emitter(op: Operation, program: ThreadProgram, *values: SSAValue) -> SSAValue:
        if approximate is not None and _may_approximate(op):
            return _emitter(approximate)(op, program, *values)
        full = partial(function, table=trigonometry.table_of(program))
        return _emitter(full)(op, program, *values)

    return emitter


EMITTERS: dict[type[Operation], Emitter] = {
    math.CoshOp: _emitter(exponential.cosh),
    math.Exp2Op: _by_hardware(exponential.exp2_approx, exponential.exp2),
    math.ExpOp: _by_accuracy(exponential.exp, exponential.exp_approx, exponential.exp_approx),
    math.Log2Op: _by_accuracy(logarithm.log2, logarithm.log2_approx, logarithm.log2),
    math.LogOp: _emitter(logarithm.log),
    math.PowFOp: _emitter(power.pow, power.pow_for_halves),
    math.RsqrtOp: _by_hardware(logarithm.rsqrt_approx, logarithm.rsqrt),
    math.SinhOp: _emitter(exponential.sinh),
    math.Atan2Op: _emitter(arc_tangent.atan2),
    math.AtanOp: _emitter(arc_tangent.atan),
    math.CosOp: _of_angle(trigonometry.cos, trigonometry.cos_approx),
    math.SinOp: _of_angle(trigonometry.sin, trigonometry.sin_approx),
    math.TanOp: _of_angle(trigonometry.tan),
    math.TanhOp: _by_accuracy(exponential.tanh, exponential.tanh_approx, exponential.tanh),
    nv_tileaa.CosOp: _of_angle(trigonometry.cos, trigonometry.cos_approx),
    nv_tileaa.Exp2Op: _by_hardware(exponential.exp2_approx, exponential.exp2),
    nv_tileaa.ExpOp: _by_accuracy(exponential.exp, exponential.exp_approx, exponential.exp_approx),
    nv_tileaa.Log2Op: _by_accuracy(logarithm.log2, logarithm.log2_approx, logarithm.log2),
    nv_tileaa.RsqrtOp: _by_hardware(logarithm.rsqrt_approx, logarithm.rsqrt),
    nv_tileaa.SinOp: _of_angle(trigonometry.sin, trigonometry.sin_approx),
    nv_tileaa.TanhOp: _by_accuracy(exponential.tanh, exponential.tanh_approx, exponential.tanh),
}
"""How each function is computed."""

PATTERNS: Patterns = patterns_of(EMITTERS)
