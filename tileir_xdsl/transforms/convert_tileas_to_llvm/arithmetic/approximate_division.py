"""Quotients of f32 to 2 units in the last place, as `rounding<full>` and `rounding<approx>` ask.

`div.full.f32` scales both operands where the divisor is so small or so large that it has no
ordinary inverse, and multiplies with the inverse. Where divisors are known to be in between, as a
converted integer is, the inverse is enough; where several elements share one, its scale is worked
out once.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.transforms.convert_tileas_to_llvm.arithmetic.float_ranges import FloatRanges

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic, float_constant
from ..thread.program import ThreadProgram
from .float_formats import is_fcmp

SMALLEST, LARGEST = 2.0**-126, 2.0**126
"""The magnitudes between which an inverse is a normal number."""
SMALL_SCALE, LARGE_SCALE = 2.0**24, 0.25
"""What brings smaller and larger divisors there."""
# One quotient takes the instructions of `div.full.f32` either way; the second saves a product.
LEAST_SHARED = 2
"""Elements per divisor from which a scale for all of them pays."""

Division = Callable[[SSAValue], SSAValue]
"""From a dividend to its quotient by some divisor."""


def lower_approximate(op: Operation, program: ThreadProgram) -> bool:
    """Converts a division whose inverse pays, if it is one; the result tells."""
    if not _may_approximate(op):
        return False
    dividends, divisors = (program.registers[operand] for operand in op.operands)
    divisors = tuple(divisors) * (len(dividends) // len(divisors))
    # First, as it needs no scale at all.
    if _is_ordinary(op.operands[1]):
        by = _by_inverse
    elif len(set(divisors)) * LEAST_SHARED <= len(set(dividends)):
        by = _by_scaled_inverse
    else:
        return False
    program.registers[op.results[0]] = _divided(dividends, divisors, by, program.builder)
    return True


def _may_approximate(op: Operation) -> bool:
    """Whether an op asks for no more than an approximation, and keeps subnormal numbers."""
    if not isinstance(op, nv_tileaa.DivFOp) or "flush_to_zero" in op.properties:
        return False
    # The inverse and the product err by one unit each: no more than these modes allow.
    return op.rounding_mode.data in (RoundingMode.APPROX, RoundingMode.FULL)


def _is_ordinary(divisor: SSAValue) -> bool:
    """Whether a divisor is known to have an inverse that is a normal number, unless it is zero."""
    known = FloatRanges().of(divisor)
    return known.least >= SMALLEST and known.most <= LARGEST


def _divided(
    dividends: Sequence[SSAValue],
    divisors: Sequence[SSAValue],
    by: Callable[[LLVMBuilder, SSAValue], Division],
    builder: LLVMBuilder,
) -> tuple[SSAValue, ...]:
    """The quotients, register by register; the work for equal divisors is done once."""
    quotients = {divisor: by(builder, divisor) for divisor in dict.fromkeys(divisors)}
    pairs = zip(dividends, divisors, strict=True)
    return tuple(quotients[divisor](dividend) for dividend, divisor in pairs)


def _by_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Division:
    # Divisor and inverse are normal numbers here, so flushing changes neither.
    inverse = call_intrinsic(builder, "llvm.nvvm.rcp.approx.ftz.f", f32, divisor)
    return lambda dividend: builder.compute(llvm.FMulOp, dividend, inverse)


def _by_scaled_inverse(builder: LLVMBuilder, divisor: SSAValue) -> Division:
    one, smallest, largest, small_scale, large_scale = (
        float_constant(builder, value)
        for value in (1.0, SMALLEST, LARGEST, SMALL_SCALE, LARGE_SCALE)
    )
    magnitude = builder.compute(llvm.FAbsOp, divisor, f32)
    is_large = is_fcmp(builder, "ogt", magnitude, largest)
    is_small = is_fcmp(builder, "olt", magnitude, smallest)
    scale = builder.select(is_small, small_scale, builder.select(is_large, large_scale, one))
    by_scaled = _by_inverse(builder, builder.compute(llvm.FMulOp, divisor, scale))
    return lambda dividend: by_scaled(builder.compute(llvm.FMulOp, dividend, scale))
