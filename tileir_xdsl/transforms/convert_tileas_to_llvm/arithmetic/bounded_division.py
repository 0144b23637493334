"""Divisions of f32 rounded to nearest even, by divisors of at least 1 or by shared divisors.

Examples are `x / (1 + exp(-x))` and the last step of attention.

`div.rn.f32` refines the hardware's inverse by fused operations. `div.rn.f32` first tests each
dividend and divisor, and calls a subroutine for infinity, NaN, and subnormal inverses or
remainders. With divisors of at least 1, the quotient reveals these cases: it is tiny, or NaN. So
one branch suffices for a group of quotients, and a loop redoes those groups that contain an
exception.

The quotient is correctly rounded if the inverse is (Markstein, "Computation of elementary functions
on the IBM RISC System/6000 processor"). One refinement of any approximation within an ulp yields
the correctly rounded inverse, as a search of all divisors shows. The only exception is the
significand of 24 ones, whose inverse is next to a tie. `div.rn.f32` uses the same steps and is
correctly rounded, so this case is right, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.division_bounds import GROUP

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import call_intrinsic, float_constant
from ..thread.program import ThreadRewriter
from ..thread.register_branches import either
from ..thread.register_loops import State, repeat_while
from .float_formats import is_fcmp

LEAST_RESULT = 2.0**-100
"""The least magnitude of a quotient for which it and its remainder are normal numbers."""

Pair = tuple[SSAValue, SSAValue]
"""Dividend and divisor."""


@dataclass(frozen=True)
class Inverse:
    """The inverse of a divisor, the negated divisor, and the least normal quotient."""

    value: SSAValue
    minus: SSAValue
    least: SSAValue


def divide_in_groups(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """Quotients by divisors of at least 1, register by register, rounded to nearest even."""
    builder, pairs = rewriter.builder, _pairs(op, rewriter)
    least = float_constant(builder, LEAST_RESULT)
    different = list(dict.fromkeys(pairs))
    quotients: dict[Pair, SSAValue] = {}
    for first in range(0, len(different), GROUP):
        group = different[first : first + GROUP]
        inverses = [_inverse(builder, divisor, least) for _, divisor in group]
        quotients.update(zip(group, _divided(builder, group, inverses), strict=True))
    return tuple(quotients[pair] for pair in pairs)


def divide_by_tested_inverse(op: Operation, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """Quotients by any divisors, with one inverse for each divisor, rounded to nearest even.

    A divisor below 1 requires a larger least quotient, so that the dividend, too, is far from
    subnormal. A divisor without a normal inverse yields a quotient of 0 or NaN.
    """
    builder, pairs = rewriter.builder, _pairs(op, rewriter)
    dividends: dict[SSAValue, list[SSAValue]] = {}
    for dividend, divisor in dict.fromkeys(pairs):
        dividends.setdefault(divisor, []).append(dividend)
    least = float_constant(builder, LEAST_RESULT)
    inverses = {divisor: _inverse(builder, divisor, least) for divisor in dividends}
    quotients: dict[Pair, SSAValue] = {}
    for divisor, those in dividends.items():
        magnitude = builder.insert(llvm.FAbsOp(inverses[divisor].value, f32))
        scaled = builder.insert(llvm.FMulOp(magnitude, least))
        inverse = replace(inverses[divisor], least=builder.insert(llvm.VectorFMaxOp(scaled, least)))
        for first in range(0, len(those), GROUP):
            group = [(dividend, divisor) for dividend in those[first : first + GROUP]]
            results = _divided(builder, group, [inverse] * len(group))
            quotients.update(zip(group, results, strict=True))
    return tuple(quotients[pair] for pair in pairs)


def _pairs(op: Operation, rewriter: ThreadRewriter) -> list[Pair]:
    """The dividend and the divisor of each register."""
    dividends, divisors = (rewriter.registers(operand) for operand in op.operands)
    count = max(len(dividends), len(divisors))
    columns = (values * (count // len(values)) for values in (dividends, divisors))
    return list(zip(*columns, strict=True))


def _divided(
    builder: LLVMBuilder, group: Sequence[Pair], inverses: Sequence[Inverse]
) -> Sequence[SSAValue]:
    refined = [
        _refined(builder, dividend, inverse)
        for (dividend, _), inverse in zip(group, inverses, strict=True)
    ]
    # "oge" is false for NaN, which the loop divides as well.
    usual = [
        is_fcmp(builder, "oge", builder.insert(llvm.FAbsOp(quotient, f32)), inverse.least)
        for quotient, inverse in zip(refined, inverses, strict=True)
    ]
    # One branch for the group: a test for each quotient is what `div.rn.f32` costs more.
    are_usual = builder.conjunction(usual)
    assert are_usual is not None
    return either(builder, are_usual, lambda: refined, lambda: _one_by_one(builder, group))


def _inverse(builder: LLVMBuilder, divisor: SSAValue, least: SSAValue) -> Inverse:
    """The inverse of a divisor; 0 or NaN if it is not a normal number."""
    minus = builder.compute(llvm.FNegOp, divisor)
    rough = call_intrinsic(builder, "llvm.nvvm.rcp.approx.ftz.f", f32, divisor)
    error = builder.insert(llvm.FMAOp(minus, rough, float_constant(builder, 1.0)))
    return Inverse(builder.insert(llvm.FMAOp(rough, error, rough)), minus, least)


def _refined(builder: LLVMBuilder, dividend: SSAValue, inverse: Inverse) -> SSAValue:
    """The quotient unless it is tiny; otherwise a tiny number or NaN."""
    quotient = builder.insert(llvm.FMulOp(dividend, inverse.value))
    rest = builder.insert(llvm.FMAOp(inverse.minus, quotient, dividend))
    return builder.insert(llvm.FMAOp(rest, inverse.value, quotient))


def _one_by_one(builder: LLVMBuilder, group: Sequence[Pair]) -> Sequence[SSAValue]:
    """Divides in a loop: each iteration divides the first dividend and appends the quotient."""
    count = len(group)
    dividends, divisors = zip(*group, strict=True)
    # A divisor that all share stays where it is.
    shared = divisors[0] if len(set(divisors)) == 1 else None

    def rotate(state: State) -> State:
        left, first, rest, turning = state[0], state[1], state[2 : count + 1], state[count + 1 :]
        left = builder.insert(llvm.SubOp(left, builder.integer(1, i32)))
        divisor = turning[0] if shared is None else shared
        quotient = builder.insert(llvm.FDivOp(first, divisor))
        # Registers have no index, so the group rotates past the one division of the loop.
        return left, *rest, quotient, *turning[1:], *turning[:1]

    def is_left(state: State) -> SSAValue:
        return builder.compare("sgt", state[0], builder.integer(0, i32))

    turning = divisors if shared is None else ()
    state = repeat_while(
        builder, (builder.integer(count, i32), *dividends, *turning), is_left, rotate
    )
    return state[1 : count + 1]
