"""The strategies for integer divisions and remainders.

ptxas expands the PTX instruction for a division into about thirty instructions. A division by a
constant becomes shifts, or a multiplication by the scaled reciprocal.
"""

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import Target

from .strategies import Family, Row, always

DIVISIONS = (
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.FloorDivSIOp,
    arith.RemSIOp,
    arith.RemUIOp,
)
UNSIGNED = (arith.CeilDivUIOp, arith.DivUIOp, arith.RemUIOp)

INDEX_BITS = 64
WORD_BITS = 32


@dataclass(frozen=True)
class Division:
    """Facts about a division: the magnitude of its divisor, if known."""

    width: int
    divisor: int | None
    has_known_dividend: bool
    is_predicate: bool


def division_of(op: Operation, _target: Target) -> Division:
    """Facts about a division."""
    dividend, divisor = op.operands
    element, known = tile_shape(divisor.type).element, uniform_integer(divisor)
    width = element.width.data if isinstance(element, IntegerType) else INDEX_BITS
    if known is not None:
        # Constants are stored as signed numbers: 0xFFFFFFFF as -1.
        known = known % (1 << width) if isinstance(op, UNSIGNED) else abs(known)
    is_known = known is not None and uniform_integer(dividend) is not None
    return Division(width, known, is_known, element == i1)


def _unknown(division: Division) -> str | None:
    if division.is_predicate:
        return "i1 is divided in 32 bits"
    if division.divisor is None:
        return "the divisor is not known"
    return "a division by zero is left to the hardware" if division.divisor == 0 else None


def _no_power_of_two(division: Division) -> str | None:
    if (problem := _unknown(division)) is not None:
        return problem
    assert division.divisor is not None
    is_power = division.divisor.bit_count() == 1
    return None if is_power else "the divisor is not a power of two"


def _no_reciprocal(division: Division) -> str | None:
    if (problem := _unknown(division)) is not None:
        return problem
    # The multiplier of 1 does not fit the integers.
    return "the divisor is 1" if division.divisor == 1 else None


def _instruction_cost(division: Division) -> float:
    # Of two constants ptxas computes the quotient.
    if division.has_known_dividend:
        return 0
    return 30 if division.width <= WORD_BITS else 80


FAMILY = Family(
    division_of,
    (
        Row(
            Strategy.SHIFT,
            _no_power_of_two,
            lambda _: 4,
            "Warren, Hacker's Delight, section 10-1",
        ),
        Row(
            Strategy.RECIPROCAL,
            _no_reciprocal,
            lambda _: 6,
            "Granlund and Montgomery, Division by Invariant Integers using Multiplication",
        ),
        Row(
            Strategy.INSTRUCTION,
            always,
            _instruction_cost,
            "PTX ISA, div and rem; machine code of sm_90",
        ),
    ),
)
