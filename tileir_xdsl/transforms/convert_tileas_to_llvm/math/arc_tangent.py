"""The arc tangent, also of a quotient of coordinates.

The quotient of the smaller by the larger magnitude of the coordinates is at most 1. A polynomial
approximates arc tangents up to tan(pi / 8); for larger quotients, the angle is pi / 4 minus such an
arc tangent. The octant of the point determines how the result follows from this angle.
"""

from xdsl.ir import SSAValue

from . import coefficients
from .numbers import F32, F64, Format, Pair, Real, select, sum_of

TAN_PI_8 = 0.4142135623730951

PI: dict[Format, tuple[float, float]] = {
    F32: (3.1415927410125732, -8.742277657347586e-08),
    F64: (3.141592653589793, 1.2246467991473532e-16),
}
"""pi as a sum of two numbers of each format."""


def _quotient(smaller: Real, larger: Real) -> Pair:
    """The quotient of two magnitudes and its error; two infinities have quotient 1."""
    quotient = smaller / larger
    remainder = (-quotient).times_plus(larger, smaller)
    error = remainder / larger
    # Zeros and infinities leave no number over.
    error = select(error.compare("ord", 0.0), error, 0.0)
    # C's `atan2` of two infinities is that of the diagonal.
    quotient = select(smaller.compare("oeq", larger), quotient.of(1.0), quotient)
    return Pair(quotient, error)


def _angle_of(quotient: Pair) -> Pair:
    """The arc tangent of a number from 0 to 1."""
    q, error = quotient.high, quotient.low
    is_steep = q.compare("ogt", TAN_PI_8)
    turned = _turned(quotient)
    t, rest = select(is_steep, turned.high, q), select(is_steep, turned.low, error)
    square = t * t
    beyond = (t * square).times_plus(
        square.polynomial(coefficients.ARC_TANGENT[t.format.type]), rest
    )
    high, low = (part / 4 for part in PI[t.format])
    steep = sum_of(t.of(high), t)
    base = select(is_steep, steep.high, t)
    return Pair(base, select(is_steep, steep.low + low, 0.0) + beyond)


def _turned(quotient: Pair) -> Pair:
    """`(q - 1) / (q + 1)`."""
    q, error = quotient.high, quotient.low
    numerator, denominator = sum_of(q.of(-1.0), q), sum_of(q.of(1.0), q)
    result = numerator.high.fast_division(denominator.high)
    remainder = (-result).times_plus(denominator.high, numerator.high)
    remainder = remainder + (numerator.low + error)
    remainder = (-result).times_plus(denominator.low + error, remainder)
    return Pair(result, remainder.fast_division(denominator.high))


def _complement(condition: SSAValue, whole: tuple[float, float], angle: Pair) -> Pair:
    """`whole` minus the angle where the condition holds, otherwise the angle."""
    high, low = whole
    difference = sum_of(angle.high.of(high), -angle.high)
    error = difference.low + (low - angle.low)
    return Pair(select(condition, difference.high, angle.high), select(condition, error, angle.low))


def atan2(y: Real, x: Real) -> Real:
    """The angle of the point (x, y), from -pi to pi, as C's `atan2`."""
    rise, run = abs(y), abs(x)
    is_tall = rise.compare("ogt", run)
    smaller, larger = select(is_tall, run, rise), select(is_tall, rise, run)
    angle = _angle_of(_quotient(smaller, larger))
    # 0 / 0 is NaN, where `atan2` is a zero or pi.
    both_zero = larger.compare("oeq", 0.0)
    zero = x.of(0.0)
    angle = Pair(select(both_zero, zero, angle.high), select(both_zero, zero, angle.low))
    high, low = PI[x.format]
    angle = _complement(is_tall, (high / 2, low / 2), angle)
    # By the sign bit: -0.0 is on the left, too.
    is_left = x.bits.is_negative()
    angle = _complement(is_left, (high, low), angle)
    result = (angle.high + angle.low).with_sign_of(y)
    return select(x.compare("uno", y), x + y, result)


def atan(x: Real) -> Real:
    """The angle of the point `(1, x)`."""
    return atan2(x, x.of(1.0))
