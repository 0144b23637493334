"""The strategies for f32 divisions: a division instruction, or cheaper multiplications by an
inverse.

`div.rn.f32` and `div.full.f32` compute an inverse for every quotient. If several elements of a
thread share a divisor, or divisors are in a known range, cheaper sequences are possible. Costs are
for all quotients of a thread, with each different pair of dividend and divisor counted once.
"""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.uniform_bits import UniformBits
from tileir_xdsl.analysis.values.division_bounds import GROUP, LARGEST, SMALLEST
from tileir_xdsl.analysis.values.float_ranges import FloatRanges
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.throughput import throughput_of

from .strategies import Family, Row, always

LEAST_DOUBLE_RATE = 32
"""The fewest f64 operations per cycle for which an inverse in f64 pays."""
LEAST_SHARED = 4
"""The fewest quotients with one divisor for which a shared inverse pays."""


class Accuracy(Enum):
    """The accuracy that an op requires of its results."""

    NEAREST_EVEN = "rounds to nearest even"
    APPROXIMATE = "may be 2 units in the last place off"
    OTHER = "rounds otherwise, or flushes"


@dataclass(frozen=True)
class Division:
    """A division of floats; facts that need an analysis are computed on demand."""

    op: Operation
    target: Target

    @property
    def is_single(self) -> bool:
        """Whether the division is of f32."""
        return isinstance(tile_shape(self.op.results[0].type).element, Float32Type)

    @cached_property
    def accuracy(self) -> Accuracy:
        """The accuracy that the op requires."""
        if isinstance(self.op, nv_tileaa.DivFOp):
            mode = self.op.rounding_mode.data
            if "flush_to_zero" in self.op.properties:
                return Accuracy.OTHER
            if mode in (RoundingMode.APPROX, RoundingMode.FULL):
                return Accuracy.APPROXIMATE
            # With flags such as `arcp` an inverse is allowed anyhow, and `llvm.fdiv` carries them.
            return Accuracy.NEAREST_EVEN if mode is RoundingMode.NEAREST_EVEN else Accuracy.OTHER
        flags = self.op.properties.get("fastmath", self.op.attributes.get("fastmath"))
        has_flags = isinstance(flags, arith.FastMathFlagsAttr) and flags.data
        return Accuracy.OTHER if has_flags else Accuracy.NEAREST_EVEN

    @cached_property
    def quotients(self) -> int:
        """How many different pairs of dividend and divisor a thread has."""
        return UniformBits().registers(self.op, *self.op.operands)

    @cached_property
    def divisors(self) -> int:
        """How many different divisors a thread has."""
        return UniformBits().registers(self.op, self.op.operands[1])

    @cached_property
    def is_ordinary(self) -> bool:
        """Whether the inverse of every divisor except zero is a normal number."""
        known = FloatRanges().of(self.op.operands[1])
        return known.least >= SMALLEST and known.most <= LARGEST

    @cached_property
    def is_at_least_one(self) -> bool:
        """Whether divisors are at least 1, or NaN."""
        return FloatRanges().of(self.op.operands[1]).low >= 1

    @cached_property
    def may_have_any_sign(self) -> bool:
        """Whether dividends may be negative; exponentials, which are often 0 or tiny, are not."""
        return FloatRanges().of(self.op.operands[0]).low < 0


def _other_than(division: Division, accuracy: Accuracy) -> str | None:
    if not division.is_single:
        return "it is not a division of f32"
    return None if division.accuracy is accuracy else f"the op {division.accuracy.value}"


def _no_wide_inverse(division: Division) -> str | None:
    if (problem := _other_than(division, Accuracy.NEAREST_EVEN)) is not None:
        return problem
    # As slow as one operation on f64 for 64 on f32: no cost that is counted in operations.
    is_fast = throughput_of(division.target).double >= LEAST_DOUBLE_RATE
    return None if is_fast else f"{division.target.name} is slow in f64"


def _not_grouped(division: Division) -> str | None:
    if (problem := _other_than(division, Accuracy.NEAREST_EVEN)) is not None:
        return problem
    return None if division.is_at_least_one else "divisors are not known to be at least 1"


def _no_tested_inverse(division: Division) -> str | None:
    if _no_wide_inverse(division) is None:
        return "an inverse in f64 needs no test"
    if (problem := _other_than(division, Accuracy.NEAREST_EVEN)) is not None:
        return problem
    if division.quotients < LEAST_SHARED * division.divisors:
        return f"fewer than {LEAST_SHARED} elements of a thread share a divisor"
    # Where one of a group is, a loop divides them all.
    return None if division.may_have_any_sign else "dividends may often be 0 or tiny"


def _no_inverse(division: Division) -> str | None:
    if (problem := _other_than(division, Accuracy.APPROXIMATE)) is not None:
        return problem
    return None if division.is_ordinary else "divisors may have no normal inverse"


def _no_scaled_inverse(division: Division) -> str | None:
    return _other_than(division, Accuracy.APPROXIMATE)


def _instruction(division: Division) -> float:
    # Six steps and a test that may call a subroutine, against two scalings around an inverse.
    each = 9 if division.accuracy is Accuracy.APPROXIMATE else 12
    return each * division.quotients


def _by_tested_inverse(division: Division) -> float:
    groups = division.divisors * -(-division.quotients // (division.divisors * GROUP))
    # A group has a loop that is hardly executed, but takes code.
    return 35 * groups + 8 * division.divisors + 4 * division.quotients


FAMILY = Family(
    Division,
    (
        Row(Strategy.INSTRUCTION, always, _instruction, "PTX ISA, div"),
        Row(
            Strategy.INVERSE,
            _no_inverse,
            lambda division: division.divisors + division.quotients,
            "PTX ISA, rcp.approx.ftz.f32",
        ),
        Row(
            Strategy.SCALED_INVERSE,
            _no_scaled_inverse,
            lambda division: 7 * division.divisors + 2 * division.quotients,
            "PTX ISA, div.full.f32",
        ),
        Row(
            Strategy.WIDE_INVERSE,
            _no_wide_inverse,
            # A division of f64 takes as long as eight of f32 need more than products.
            lambda division: 63 * division.divisors + 4 * division.quotients,
            "arithmetic/common_divisor.py",
        ),
        Row(
            Strategy.TESTED_INVERSE,
            _no_tested_inverse,
            _by_tested_inverse,
            "Markstein, Computation of elementary functions on the IBM RISC System/6000",
        ),
        Row(
            Strategy.GROUPED,
            _not_grouped,
            lambda division: 15 * -(-division.quotients // GROUP) + 8 * division.quotients,
            "Markstein, Computation of elementary functions on the IBM RISC System/6000",
        ),
    ),
)
