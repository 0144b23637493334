"""Powers of two in softmax, whose exponents are differences from one number."""

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.float_ranges import FloatRanges
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.targets import Feature, Target

LEAST_TESTED = 32
"""The least powers of a thread for which one common test pays, even if it fails for one of them."""

MOST_TESTED = {True: 64, False: 128}
"""The most powers of a thread that stay in registers until tested, by whether the target has tensor
memory. With 128 powers on sm_100a, attention spilled 184 bytes.
"""

FAR = 2.0**34
"""Floats beyond this magnitude are more than 256 apart, so their differences never have subnormal
powers.
"""

TRIPS = 8
"""The number of parts in which the powers are computed if one of them may be subnormal."""


def most_tested(target: Target) -> int:
    """The most powers of a thread that are tested together."""
    return MOST_TESTED[Feature.TCGEN05 in target.features]


def in_trip(powers: int) -> int:
    """How many of `powers` one part computes."""
    return powers // TRIPS if powers % TRIPS == 0 else 1


def compared_numbers(op: Operation) -> tuple[SSAValue, SSAValue | None] | None:
    """The tile that is tested, and what is subtracted from it; None where the exponent is neither a
    difference nor fused.

    Differences are tested by their minuends, before the mask that replaces numbers by one whose
    power is not subnormal. The results of a fused multiply-add are tested themselves, unless a mask
    precedes it. The powers of masked numbers may be zero in each iteration.
    """
    exponent = op.operands[0]
    match exponent.owner:
        case nv_tileaa.FmaOp(a=a, b=b) | math.FmaOp(a=a, b=b):
            is_masked = any(isinstance(each.owner, arith.SelectOp) for each in (a, b))
            return None if is_masked else (exponent, None)
        case nv_tileaa.SubFOp() | arith.SubfOp() as difference if _is_exact(difference):
            minuend, subtrahend = difference.operands
            masked = minuend.owner
            if isinstance(masked, arith.SelectOp) and _is_far(masked.rhs):
                minuend = masked.lhs
            return minuend, subtrahend
        case _:
            return None


def _is_exact(op: nv_tileaa.SubFOp | arith.SubfOp) -> bool:
    """Whether a difference is rounded to nearest even and keeps subnormal numbers."""
    if isinstance(op, arith.SubfOp):
        return not op.fastmath.data
    nearest = op.rounding_mode.data is RoundingMode.NEAREST_EVEN
    return nearest and "flush_to_zero" not in op.properties


def _is_far(value: SSAValue) -> bool:
    known = FloatRanges().of(value)
    return known.high <= -FAR or known.low >= FAR
