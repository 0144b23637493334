"""Divisions of f32 with 2 ulp of error, for `rounding<full>` and `rounding<approx>`.

`div.full.f32` multiplies by the divisor's inverse; it first scales both operands if the divisor is
too small or too large for a normal inverse. For divisors known to be in between, such as converted
integers, the inverse suffices (strategy `inverse`). For several elements with one divisor, the
divisor is scaled once (`scaled_inverse`).
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
"""Factors that scale divisors below `SMALLEST` or above `LARGEST` into the range between them."""

Quotient = Callable[[SSAValue], SSAValue]
"""Maps a dividend to its quotient by a fixed divisor."""


def divide_by(
    by: Callable[[LLVMBuilder, SSAValue], Quotient], op: Operation, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """The quotients, register by register; equal divisors are processed once."""
    dividends, divisors = (rewriter.registers(operand) for operand in op.operands)
    quotients = {divisor: by(rewriter.builder, divisor) for divisor in dict.fromkeys(divisors)}
    pairs = zip(dividends, divisors, strict=True)
    return tuple(quotients[divisor](dividend) for dividend, divisor in pairs)


def by_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Quotient:
    """Division as multiplication by the divisor's inverse."""
    # Divisor and inverse are normal numbers here, so flushing changes neither.
    inverse = call_intrinsic(builder, "llvm.nvvm.rcp.approx.ftz.f", f32, divisor)
    return lambda dividend: builder.compute(llvm.FMulOp, dividend, inverse)


def by_scaled_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Quotient:
    """Division by any divisor, which is scaled so that it has a normal inverse."""
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
