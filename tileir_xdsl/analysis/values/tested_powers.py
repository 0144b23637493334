"""Powers of two that softmax asks for: of many differences from one number."""

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.float_ranges import FloatRanges
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.targets import Feature, Target

LEAST_TESTED = 32
"""Powers of a thread from which a test for all pays, even where one of them is computed in vain."""

MOST_TESTED = {True: 64, False: 128}
"""Powers of a thread up to which numbers and exponents find registers until all are tested, by
whether the target has tensor memory. With 128 keys in a thread, attention also reads its other
accumulators from there, and spilled 184 bytes on sm_100a."""

FAR = 2.0**34
"""Magnitudes whose differences from any number are zero, or far from exponents of subnormal f32:
floats there are more than 256 apart."""

TRIPS = 8
"""In how many parts the powers are computed where one of them may be subnormal."""


def most_tested(target: Target) -> int:
    """The most powers of a thread that are tested together."""
    return MOST_TESTED[Feature.TCGEN05 in target.features]


def in_trip(powers: int) -> int:
    """How many powers a trip of that loop computes, of so many."""
    return powers // TRIPS if powers % TRIPS == 0 else 1


def difference_of(op: Operation) -> tuple[SSAValue, SSAValue] | None:
    """Minuend and subtrahend of an exponent; None where it is something else.

    The minuend is as before the mask, which replaces some numbers by one whose power is not
    subnormal.
    """
    difference = op.operands[0].owner
    if not isinstance(difference, nv_tileaa.SubFOp | arith.SubfOp) or not _is_exact(difference):
        return None
    minuend, subtrahend = difference.operands
    masked = minuend.owner
    if isinstance(masked, arith.SelectOp) and _is_far(masked.rhs):
        minuend = masked.lhs
    return minuend, subtrahend


def _is_exact(op: nv_tileaa.SubFOp | arith.SubfOp) -> bool:
    """Whether a difference is rounded to nearest even and keeps subnormal numbers."""
    if isinstance(op, arith.SubfOp):
        return not op.fastmath.data
    nearest = op.rounding_mode.data is RoundingMode.NEAREST_EVEN
    return nearest and "flush_to_zero" not in op.properties


def _is_far(value: SSAValue) -> bool:
    known = FloatRanges().of(value)
    return known.high <= -FAR or known.low >= FAR
