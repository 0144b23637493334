"""Divisions of f32 by divisors that many elements share, as in the last step of a softmax.

`div.rn.f32` needs a dozen instructions, and a call for subnormal numbers. In f64, the dividend
times the divisor's inverse is nearly the quotient. Unless a quotient lies on a boundary between two
f32 roundings, its relative distance from any boundary is at least 2**-49. A quotient on a boundary
has at most 25 significant bits. So the inverse is enlarged by the relative amount 2**-51. The
rounded product then exceeds the quotient by at most 7 ulp. Without its last three bits, the product
is on the quotient's side of every boundary, or on the boundary. Zeros, infinities and NaN need no
special case: the product with the inverse has the correct value.
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import Operation, SSAValue

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import float_constant
from ..thread.program import ThreadRewriter

EXCESS = 1 + 2.0**-51
"""The factor that enlarges the inverse."""
KEPT = -8
"""A mask for all bits of an f64 except the last three."""


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
    """The product of an f32 and an f64, truncated by three bits and rounded to f32."""
    wide = builder.compute(llvm.FPExtOp, dividend, f64)
    product = builder.insert(llvm.FMulOp(wide, inverse))
    bits = builder.compute(llvm.BitcastOp, product, i64)
    # One mask instead of a rounding: see above for why three digits are enough.
    kept = builder.compute(llvm.AndOp, bits, builder.integer(KEPT, i64))
    return builder.compute(llvm.FPTruncOp, builder.compute(llvm.BitcastOp, kept, f64), f32)
