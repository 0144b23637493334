"""Quotients of f32 by divisors of 1 and more, as in `x / (1 + exp(-x))`, rounded to nearest even.

`div.rn.f32` refines the hardware's inverse by fused operations, after a test of each dividend and
divisor that calls a subroutine where that does not do: where the inverse or the remainder is
subnormal, for infinity and NaN. With divisors of 1 and more the quotient tells them: it is tiny, or
NaN. So one branch serves a group of quotients, and a loop divides the group where it has one of
those.

The quotient is right whenever the inverse is (Markstein, "Computation of elementary functions on
the IBM RISC System/6000 processor"). One step from any number within a unit in the last place leads
to the right inverse, as a search of all divisors shows, but for the one of 24 ones, whose inverse
lies next to a tie. `div.rn.f32` takes the same steps, so that the hardware is right there too.
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.transforms.tileas_select_lowering.float_division import GROUP

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic, float_constant
from ..thread.program import ThreadRewriter
from ..thread.register_branches import either
from ..thread.register_loops import State, repeat_while
from .float_formats import is_fcmp

LEAST_RESULT = 2.0**-100
"""The magnitude from which quotients and their remainders are normal numbers."""

Pair = tuple[SSAValue, SSAValue]
"""Dividend and divisor."""


def divide_in_groups(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """The quotients, register by register, rounded to nearest even."""
    pairs = _pairs(op, rewriter)
    different = list(dict.fromkeys(pairs))
    quotients: dict[Pair, SSAValue] = {}
    for first in range(0, len(different), GROUP):
        group = different[first : first + GROUP]
        quotients.update(zip(group, _divided(rewriter.builder, group), strict=True))
    return tuple(quotients[pair] for pair in pairs)


def _pairs(op: Operation, rewriter: ThreadRewriter) -> list[Pair]:
    """The dividend and the divisor of each register."""
    dividends, divisors = (rewriter.registers(operand) for operand in op.operands)
    count = max(len(dividends), len(divisors))
    columns = (values * (count // len(values)) for values in (dividends, divisors))
    return list(zip(*columns, strict=True))


def _divided(builder: LLVMBuilder, group: Sequence[Pair]) -> Sequence[SSAValue]:
    refined = [_refined(builder, *pair) for pair in group]
    # "oge" is false for NaN, which the loop divides as well.
    least = float_constant(builder, LEAST_RESULT)
    usual = [
        is_fcmp(builder, "oge", builder.insert(llvm.FAbsOp(quotient, f32)), least)
        for quotient in refined
    ]
    # One branch for the group: a test for each quotient is what `div.rn.f32` costs more.
    are_usual = builder.conjunction(usual)
    assert are_usual is not None
    return either(builder, are_usual, lambda: refined, lambda: _one_by_one(builder, group))


def _refined(builder: LLVMBuilder, dividend: SSAValue, divisor: SSAValue) -> SSAValue:
    """The quotient, if it is not tiny; else something tiny, or NaN."""

    def fused(factor: SSAValue, other: SSAValue, addend: SSAValue) -> SSAValue:
        return builder.insert(llvm.FMAOp(factor, other, addend))

    minus = builder.compute(llvm.FNegOp, divisor)
    rough = call_intrinsic(builder, "llvm.nvvm.rcp.approx.ftz.f", f32, divisor)
    inverse = fused(rough, fused(minus, rough, float_constant(builder, 1.0)), rough)
    quotient = builder.insert(llvm.FMulOp(dividend, inverse))
    return fused(fused(minus, quotient, dividend), inverse, quotient)


def _one_by_one(builder: LLVMBuilder, group: Sequence[Pair]) -> Sequence[SSAValue]:
    """Divides the first of some dividends, which goes to their end; as often as there are any."""
    count = len(group)

    def rotate(state: State) -> State:
        left, dividends, divisors = state[0], state[1 : count + 1], state[count + 1 :]
        left = builder.insert(llvm.SubOp(left, builder.integer(1, i32)))
        quotient = builder.insert(llvm.FDivOp(dividends[0], divisors[0]))
        # Registers have no index, so the group rotates past the one division of the loop.
        return left, *dividends[1:], quotient, *divisors[1:], divisors[0]

    def is_left(state: State) -> SSAValue:
        return builder.compare("sgt", state[0], builder.integer(0, i32))

    dividends, divisors = zip(*group, strict=True)
    state = repeat_while(
        builder, (builder.integer(count, i32), *dividends, *divisors), is_left, rotate
    )
    return state[1 : count + 1]
