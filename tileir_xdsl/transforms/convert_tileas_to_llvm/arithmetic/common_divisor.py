"""Quotients of f32 by divisors that many elements share, as in the last step of a softmax.

`div.rn.f32` takes a dozen instructions, and a call for what is subnormal. In f64 a quotient is
nearly the product with the inverse of the divisor. An f32 quotient is at least 2**-49 of its size
away from any boundary between two roundings to f32, unless it lies on a boundary. Then it has 25
digits at most. So the inverse is made too large by 2**-51 of it. The product, with all roundings,
is then between the quotient and 7 units in its last place more. Without the last three digits it is
on the right side of every boundary, or on it. Zeros, infinities and NaN need no care: products with
the inverse are as they should be.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import Operation, SSAValue

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import float_constant
from ..thread.program import ThreadRewriter

EXCESS = 1 + 2.0**-51
"""The factor that makes the inverse too large."""
KEPT = -8
"""The binary digits of an f64 before the last three, as a mask."""


def divide_by_wide_inverse(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """The quotients, register by register, rounded to nearest even."""
    builder = rewriter.builder
    dividends, divisors = (rewriter.registers(operand) for operand in op.operands)
    one, excess = (float_constant(builder, value, f64) for value in (1.0, EXCESS))
    inverses: dict[SSAValue, SSAValue] = {}
    for divisor in divisors:
        # The registers of a broadcast divisor are the same value.
        if divisor not in inverses:
            wide = builder.compute(llvm.FPExtOp, divisor, f64)
            inverse = builder.insert(llvm.FDivOp(one, wide))
            inverses[divisor] = builder.insert(llvm.FMulOp(inverse, excess))
    return tuple(
        _product(builder, dividend, inverses[divisor])
        for dividend, divisor in zip(dividends, divisors, strict=True)
    )


def _product(builder: LLVMBuilder, dividend: SSAValue, inverse: SSAValue) -> SSAValue:
    """The product of an f32 and an f64 without its last three digits, rounded to f32."""
    wide = builder.compute(llvm.FPExtOp, dividend, f64)
    product = builder.insert(llvm.FMulOp(wide, inverse))
    bits = builder.compute(llvm.BitcastOp, product, i64)
    # One mask instead of a rounding: see above for why three digits are enough.
    kept = builder.compute(llvm.AndOp, bits, builder.integer(KEPT, i64))
    return builder.compute(llvm.FPTruncOp, builder.compute(llvm.BitcastOp, kept, f64), f32)
