"""The logarithm to base e and 2, and the reciprocal of the square root.

A number is `2**e * (1 + f)`, with 1 + f between sqrt(1/2) and sqrt(2). With `s = f / (2 + f)`, the
logarithm of 1 + f is a series of odd powers of s. The series equals `f + s * (h + R(s**2))` minus
h, with `h = f**2 / 2`: the first terms are nearly exact.
"""

from dataclasses import dataclass

from ..thread.elementwise import call_intrinsic
from . import coefficients
from .numbers import F32, F64, Format, Pair, Real, product_of, select, sum_of

SHORT_LOG_2: dict[Format, tuple[float, float]] = {
    F32: (45426 / 2**16, 1.4286068203094173e-06),
    F64: (762123384786 / 2**40, -1.7239444525614835e-13),
}
"""log(2) as a sum of two numbers; the first has few bits, so that its multiples are exact."""

LOG2_E: dict[Format, tuple[float, float]] = {
    F32: (1.4426950216293335, 1.925963033500011e-08),
    F64: (1.4426950408889634, 2.0355273740931033e-17),
}
"""1 / log(2) as a sum of two numbers."""


@dataclass(frozen=True)
class Parts:
    """The exponent of a positive number, f, and the difference of log(1 + f) and f."""

    exponent: Real
    fraction: Real
    beyond: Real


def fraction_of(x: Real) -> tuple[Real, Real]:
    """The exponent of a positive finite number, which may be subnormal, and f."""
    format = x.format
    lift = format.fraction_bits + 2
    is_tiny = x.compare("olt", format.smallest_normal)
    # A subnormal number has no exponent of its own; the lift is taken off the result.
    bits = select(is_tiny, x * 2.0**lift, x).bits
    root = 2.0**-0.5
    # The exponent that leaves the rest between the square roots.
    # Subtracting the bits of the root carries into the exponent exactly for fractions above it.
    above = bits - _bits_of(root, format)
    exponent = above >> format.fraction_bits
    rest = x.from_bits(bits - (exponent << format.fraction_bits))
    number = x.from_integer(exponent)
    number = select(is_tiny, number - float(lift), number)
    return number, rest - 1.0


def parts_of(x: Real) -> Parts:
    """Splits a positive finite number into `Parts`."""
    number, f = fraction_of(x)
    s = f.fast_division(f + 2.0)
    half = product_of(f, f * 0.5)
    square = s * s
    series = square * square.polynomial(coefficients.LOGARITHM[x.format.type])
    beyond = s.times_plus(half.high + series, -half.low) - half.high
    return Parts(number, f, beyond)


def _bits_of(number: float, format: Format) -> int:
    """The bits of a number in [1/2, 1)."""
    fraction = round(number * 2.0 ** (format.fraction_bits + 1))
    return ((format.bias - 2) << format.fraction_bits) + fraction


def with_corners(x: Real, result: Real) -> Real:
    """Replaces results for zero, infinity, NaN and negative numbers by the logarithm's special
    values.
    """
    infinity = float("inf")
    result = select(x.compare("olt", infinity), result, x)
    result = select(x.compare("oeq", 0.0), result.of(-infinity), result)
    return select(x.compare("olt", 0.0), result.of(float("nan")), result)


def log(x: Real) -> Real:
    """The logarithm to base e."""
    parts = parts_of(x)
    high, low = SHORT_LOG_2[x.format]
    total = sum_of(parts.exponent * high, parts.fraction)
    rest = parts.exponent.times_plus(low, parts.beyond) + total.low
    return with_corners(x, total.high + rest)


def log2_pair(x: Real) -> Pair:
    """The logarithm to base 2 of a positive finite number, as an unrounded sum."""
    parts = parts_of(x)
    high, low = LOG2_E[x.format]
    product = product_of(parts.fraction, high)
    total = sum_of(parts.exponent, product.high)
    rest = parts.fraction.times_plus(low, product.low)
    rest = parts.beyond.times_plus(high, rest) + total.low
    return Pair(total.high, rest)


def log2(x: Real) -> Real:
    """The logarithm to base 2."""
    pair = log2_pair(x)
    return with_corners(x, pair.high + pair.low)


def log2_approx(x: Real) -> Real:
    """The logarithm to base 2 of an f32 by the hardware."""
    return Real(x.builder, call_intrinsic(x.builder, "llvm.nvvm.lg2.approx.f", F32.type, x.value))


def rsqrt_approx(x: Real, flush: bool = False) -> Real:
    """`1 / sqrt(x)` of an f32 by the hardware, to 2 units in the last place."""
    name = f"llvm.nvvm.rsqrt.approx{'.ftz' if flush else ''}.f"
    return Real(x.builder, call_intrinsic(x.builder, name, F32.type, x.value))


def rsqrt(x: Real) -> Real:
    """`1 / sqrt(x)`: the root and its reciprocal, each corrected by its remainder."""
    root = x.square_root()
    inverse = 1.0 / root
    of_root = (-root).times_plus(root, x) * (inverse * inverse)
    of_inverse = (-inverse).times_plus(root, 1.0)
    correction = inverse * of_root.times_plus(-0.5, of_inverse)
    # At zero and infinity the inverse is right, and its correction NaN.
    return select(correction.compare("uno", 0.0), inverse, inverse + correction)
