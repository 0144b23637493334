"""Powers with any exponent: `x**y = 2**(y * log2(x))`.

The logarithm is multiplied by up to 1075, so it needs 11 bits more than the result. A pair of
numbers of the format represents it; f16 and bf16 are computed in f32. Signs and special cases are
those of C's `pow`.
"""

from xdsl.dialects import llvm

from . import coefficients
from .exponential import exp2_approx, exp2_of_pair
from .logarithm import LOG2_E, fraction_of, log2, with_corners
from .numbers import F32, F64, Format, Pair, Real, product_of, select, sum_of

LARGEST_EXPONENT = 2.0**100
"""The largest exponent magnitude; beyond it, powers are zero, one or infinity, as for the limit
itself.
"""

TWO_THIRDS: dict[Format, tuple[float, float]] = {
    F32: (0.6666666865348816, -1.9868215517249155e-08),
    F64: (2 / 3, 3.700743415417188e-17),
}
"""2/3 as a sum of two numbers."""


def _multiply(lhs: Pair, rhs: Pair) -> Pair:
    product = product_of(lhs.high, rhs.high)
    return Pair(
        product.high,
        lhs.high.times_plus(rhs.low, lhs.low.times_plus(rhs.high, product.low)),
    )


def _add(larger: float, number: Pair, error: float = 0.0) -> Pair:
    """Adds a smaller number to a constant."""
    total = sum_of(number.high.of(larger), number.high)
    return Pair(total.high, total.low + (number.low + error))


def log2_extended(x: Real) -> Pair:
    """The logarithm to base 2 of a positive finite number, to 36 bits in f32 and 65 in f64.

    With `s = f / (2 + f)`, it is `s * (2 + s**2 * (2/3 + ..))` divided by log(2).
    """
    exponent, f = fraction_of(x)
    divisor = sum_of(x.of(2.0), f)
    inverse = divisor.high.fast_inverse()
    quotient = f * inverse
    # The remainder makes up for the error of the inverse.
    remainder = (-quotient).times_plus(divisor.high, f)
    remainder = (-quotient).times_plus(divisor.low, remainder)
    s = sum_of(quotient, remainder * inverse)
    square = _multiply(s, s)
    tail = square.high * square.high.polynomial(coefficients.LOGARITHM_TAIL[x.format.type])
    high, low = TWO_THIRDS[x.format]
    series = _add(2.0, _multiply(square, _add(high, Pair(tail, x.of(0.0)), low)))
    high, low = LOG2_E[x.format]
    scaled = _multiply(_multiply(s, series), Pair(x.of(high), x.of(low)))
    total = sum_of(exponent, scaled.high)
    return Pair(total.high, total.low + scaled.low)


def _bounded(exponent: Real) -> Real:
    return exponent.clamped(-LARGEST_EXPONENT, LARGEST_EXPONENT)


def _magnitude(base: Real, exponent: Real) -> Real:
    """The power of a non-negative number."""
    logarithm = log2_extended(base)
    high = with_corners(base, logarithm.high)
    exponent = _bounded(exponent)
    product = exponent * high
    error = exponent.times_plus(high, -product)
    error = exponent.times_plus(logarithm.low, error)
    return exp2_of_pair(Pair(product, error))


def _magnitude_for_halves(base: Real, exponent: Real) -> Real:
    return exp2_approx(_bounded(exponent) * log2(base))


def _floor(number: Real) -> Real:
    return Real(number.builder, number.builder.insert(llvm.FFloorOp(number.value)))


def _with_sign(base: Real, exponent: Real, magnitude: Real) -> Real:
    """The power of a number, from the power of its magnitude."""
    builder = base.builder
    is_integer = _floor(exponent).compare("oeq", exponent)
    half = exponent * 0.5
    # Only odd powers of negative numbers are negative.
    is_odd = builder.insert(llvm.AndOp(is_integer, _floor(half).compare("one", half)))
    signed = select(is_odd, magnitude.with_sign_of(base), magnitude)
    is_between = builder.insert(
        llvm.AndOp(base.compare("olt", 0.0), base.compare("ogt", -float("inf")))
    )
    # A power of a negative number is real for integer exponents only.
    of_negative = select(is_integer, signed, exponent * float("nan"))
    result = select(is_between, of_negative, signed)
    # C's `pow` is 1 there, even where the other operand is NaN.
    is_one = builder.insert(llvm.OrOp(base.compare("oeq", 1.0), exponent.compare("oeq", 0.0)))
    return select(is_one, base.of(1.0), result)


def pow(base: Real, exponent: Real) -> Real:
    """A power in f32 or f64."""
    return _with_sign(base, exponent, _magnitude(abs(base), exponent))


def pow_for_halves(base: Real, exponent: Real) -> Real:
    """A power in f32 that is precise enough for f16 and bf16."""
    return _with_sign(base, exponent, _magnitude_for_halves(abs(base), exponent))
