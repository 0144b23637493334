"""Quotients of f32 to 2 units in the last place, as `rounding<full>` and `rounding<approx>` ask.

`div.full.f32` scales both operands if the divisor is so small or so large that it has no normal
inverse, and multiplies by the inverse. Where divisors are known to be in between, as a converted
integer is, the inverse is enough (strategy `inverse`). Where several elements share one, its scale
is computed once (`scaled_inverse`).
"""

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.division_bounds import LARGEST, SMALLEST

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic, float_constant
from ..thread.program import ThreadRewriter
from .float_formats import is_fcmp

SMALL_SCALE, LARGE_SCALE = 2.0**24, 0.25
"""Scales that bring divisors smaller than `SMALLEST` and larger than `LARGEST` between them."""

Quotient = Callable[[SSAValue], SSAValue]
"""From a dividend to its quotient by some divisor."""


def divide_by(
    by: Callable[[LLVMBuilder, SSAValue], Quotient], op: Operation, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """The quotients, register by register; the work for equal divisors is done once."""
    dividends, divisors = (rewriter.registers(operand) for operand in op.operands)
    quotients = {divisor: by(rewriter.builder, divisor) for divisor in dict.fromkeys(divisors)}
    pairs = zip(dividends, divisors, strict=True)
    return tuple(quotients[divisor](dividend) for dividend, divisor in pairs)


def by_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Quotient:
    """A product with the inverse of a divisor."""
    # Divisor and inverse are normal numbers here, so flushing changes neither.
    inverse = call_intrinsic(builder, "llvm.nvvm.rcp.approx.ftz.f", f32, divisor)
    return lambda dividend: builder.compute(llvm.FMulOp, dividend, inverse)


def by_scaled_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Quotient:
    """The same for any divisor: it is scaled so that it has a normal inverse."""
    one, smallest, largest, small_scale, large_scale = (
        float_constant(builder, value)
        for value in (1.0, SMALLEST, LARGEST, SMALL_SCALE, LARGE_SCALE)
    )
    magnitude = builder.compute(llvm.FAbsOp, divisor, f32)
    is_large = is_fcmp(builder, "ogt", magnitude, largest)
    is_small = is_fcmp(builder, "olt", magnitude, smallest)
    scale = builder.select(is_small, small_scale, builder.select(is_large, large_scale, one))
    by_scaled = by_inverse(builder, builder.compute(llvm.FMulOp, divisor, scale))
    return lambda dividend: by_scaled(builder.compute(llvm.FMulOp, dividend, scale))
