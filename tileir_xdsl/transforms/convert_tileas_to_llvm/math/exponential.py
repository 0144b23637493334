"""The exponential function to base e and 2, and the hyperbolic functions.

`e**x = 2**n * e**r` with an integer n and |r| <= log(2) / 2; `n * log(2)` is subtracted in two
parts, the first exactly (Cody and Waite). Hyperbolic functions use separate polynomials near zero,
and elsewhere e**|x| with its rounding error.
"""

from tileir_xdsl.dialects.llvm import TanhOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.math import numbers

from ..thread.elementwise import call_intrinsic
from . import coefficients

LOG2_E = 1.4426950408889634
LOG_2: dict[numbers.Format, tuple[float, float]] = {
    numbers.F32: (0.6931471824645996, -1.904654212125934e-09),
    numbers.F64: (0.6931471805599453, 2.3190468138462996e-17),
}
"""log(2) as a sum of two numbers of each format."""

# Bounded there, the exponent fits the two factors that `scaled` makes of it.
RANGE: dict[numbers.Format, tuple[float, float]] = {
    numbers.F32: (-104.0, 89.5),
    numbers.F64: (-746.0, 710.5),
}
"""A range slightly larger than that in which `e**x` is neither zero nor infinite."""

EXPONENTS: dict[numbers.Format, tuple[float, float]] = {
    numbers.F32: (-151.0, 129.0),
    numbers.F64: (-1076.0, 1025.0),
}
"""A range slightly larger than that in which `2**x` is neither zero nor infinite."""


def exponential_of_rest(rest: numbers.Pair) -> numbers.Pair:
    """`e**r` for |r| <= log(2) / 2 and a low part of r below its last place."""
    r = rest.high
    tail = r.polynomial(coefficients.EXPONENTIAL[r.format.type])
    square = r * r
    beyond = square.times_plus(0.5, (square * r) * tail)
    return _one_and(r, beyond + rest.low)


def _one_and(r: numbers.Real, beyond: numbers.Real) -> numbers.Pair:
    """`1 + r + beyond`, for terms of decreasing magnitude."""
    first = numbers.sum_of(r.of(1.0), r)
    total = numbers.sum_of(first.high, beyond)
    return numbers.Pair(total.high, total.low + first.low)


def reduced(x: numbers.Real) -> tuple[numbers.Pair, numbers.Word]:
    """The rest r and the exponent n of `e**x`."""
    high, low = LOG_2[x.format]
    n, word = numbers.nearest_integer(x, LOG2_E)
    rest = n.times_plus(-high, x)
    total = n.times_plus(-low, rest)
    return numbers.Pair(total, n.times_plus(-low, rest - total)), exponent_of(word, x.format)


def exponent_of(word: numbers.Word, format: numbers.Format) -> numbers.Word:
    """The signed integer in the low bits of a word of `nearest_integer`."""
    one_and_a_half = (format.bias << format.fraction_bits) + (1 << (format.fraction_bits - 1))
    return word - (one_and_a_half + (format.fraction_bits << format.fraction_bits))


def scaled(number: numbers.Real, exponent: numbers.Word) -> numbers.Real:
    """`number * 2**exponent`, rounded once; the exponent may have twice the format's range."""
    # One factor 2**n would overflow before the product does, or flush a subnormal result.
    half = exponent >> 1
    return number * number.power_of_two(half) * number.power_of_two(exponent - half)


def exp(x: numbers.Real) -> numbers.Real:
    """`e**x`; for f32 by the hardware."""
    if x.format is numbers.F32:
        return exp_single(x)
    rest, exponent = reduced(x.clamped(*RANGE[x.format]))
    power = exponential_of_rest(rest)
    return scaled(power.high + power.low, exponent)


def exp2(x: numbers.Real) -> numbers.Real:
    """`2**x`."""
    x = x.clamped(*EXPONENTS[x.format])
    n, word = numbers.nearest_integer(x, 1.0)
    power = exponential_of_rest(times_log_2(x - n))
    return scaled(power.high + power.low, exponent_of(word, x.format))


def exp2_of_pair(x: numbers.Pair) -> numbers.Real:
    """`2**x` of a number with its error, which is ignored if the number is out of range."""
    low, high = EXPONENTS[x.high.format]
    bounded = x.high.clamped(low, high)
    # The error belongs to the number before it was bounded.
    error = numbers.select(bounded.compare("oeq", x.high), x.low, 0.0)
    n, word = numbers.nearest_integer(bounded, 1.0)
    # The function of the rest takes its error to be below its last place.
    difference = numbers.sum_of(bounded - n, error)
    rest = times_log_2(difference.high)
    log_2 = LOG_2[x.high.format][0]
    power = exponential_of_rest(numbers.Pair(rest.high, difference.low.times_plus(log_2, rest.low)))
    return scaled(power.high + power.low, exponent_of(word, x.high.format))


def times_log_2(difference: numbers.Real) -> numbers.Pair:
    """A number times log(2)."""
    high, low = LOG_2[difference.format]
    product = numbers.product_of(difference, high)
    return numbers.Pair(product.high, difference.times_plus(low, product.low))


def exp2_approx(x: numbers.Real, flush: bool = False) -> numbers.Real:
    """`2**x` of an f32 by the hardware, to 2 units in the last place."""
    name = f"llvm.nvvm.ex2.approx{'.ftz' if flush else ''}.f32"
    return numbers.Real(x.builder, call_intrinsic(x.builder, name, numbers.F32.type, x.value))


LOG2_E_PARTS = (1.4426950216293335, 1.925963033500011e-08)
"""1 / log(2) as a sum of two f32."""

POWERS = (-126, 127)
"""The exponents n for which `2**n` is a normal f32."""


def exp_single(x: numbers.Real) -> numbers.Real:
    """`e**x` of an f32 as `2**n * 2**f`, the second factor by the hardware.

    The difference of `x / log(2)` and n is computed to more than 24 bits. The exponent n is clamped
    to normal powers; f then has the rest, so that a subnormal product is rounded once.
    """
    high_part, low_part = LOG2_E_PARTS
    lowest, highest = POWERS
    # As a share of its range the exponent costs nothing to bound. NaN has one too: f stays NaN.
    share = x.share_of_one(LOG2_E / (highest - lowest), (0.5 - lowest) / (highest - lowest))
    # The last bits of the sum are n and the bias of exponents: 2**n but for its place.
    rounder = x.format.rounder + x.format.bias
    shifted = share.times_plus_down(float(highest - lowest), rounder + lowest)
    fraction = x.times_plus(high_part, -(shifted - rounder))
    fraction = x.times_plus(low_part, fraction)
    power = x.from_bits(shifted.bits << x.format.fraction_bits)
    return exp2_approx(fraction, flush=True) * power


def exp_approx(x: numbers.Real) -> numbers.Real:
    """`e**x` of an f32 by the hardware's approximation of `2**x`."""
    return exp2_approx(x * LOG2_E)


def tanh_approx(x: numbers.Real) -> numbers.Real:
    """The hyperbolic tangent of an f32 by the hardware, with a relative error of 2**-11."""
    return numbers.Real(x.builder, x.builder.insert(TanhOp(x.value, numbers.APPROXIMATE)))


def half_exponential(magnitude: numbers.Real) -> numbers.Pair:
    """`e**x / 2` for x >= 0, which overflows later than `e**x`."""
    rest, exponent = reduced(magnitude.clamped(0.0, RANGE[magnitude.format][1]))
    power = exponential_of_rest(rest)
    # Two powers of two less leave room: e**x / 2 is finite where e**x is not.
    below = exponent - 2
    scale = magnitude.power_of_two(below)
    return numbers.Pair(power.high * scale * 2.0, power.low * scale * 2.0)


def _quarter_of_inverse(half: numbers.Pair) -> numbers.Real:
    """`e**-x / 2` from `e**x / 2`."""
    inverse = 0.25 / half.high
    return (inverse * inverse).times_plus(half.low * -4.0, inverse)


def sinh(x: numbers.Real) -> numbers.Real:
    """The hyperbolic sine."""
    magnitude, square = abs(x), x * x
    # Near zero the difference of two exponentials would cancel.
    polynomial = square.polynomial(coefficients.HYPERBOLIC_SINE[x.format.type])
    small = (magnitude * square).times_plus(polynomial, magnitude)
    half = half_exponential(magnitude)
    large = half.high + (half.low - _quarter_of_inverse(half))
    return numbers.select(magnitude.compare("olt", 1.0), small, large).with_sign_of(x)


def cosh(x: numbers.Real) -> numbers.Real:
    """The hyperbolic cosine."""
    half = half_exponential(abs(x))
    return half.high + (half.low + _quarter_of_inverse(half))


# The ends of the intervals that `bench.coefficients` fits the polynomials for.
SMALL_TANH: dict[numbers.Format, float] = {numbers.F32: 0.7, numbers.F64: 0.55}
"""The least magnitudes for which no polynomial of the hyperbolic tangent is used."""

TANH_IS_ONE = 20.0
"""A number whose hyperbolic tangent rounds to 1 in f64."""


def tanh(x: numbers.Real) -> numbers.Real:
    """The hyperbolic tangent."""
    magnitude, square = abs(x), x * x
    polynomial = square.polynomial(coefficients.HYPERBOLIC_TANGENT[x.format.type])
    small = magnitude.times_plus(square * polynomial, magnitude)
    large = (large_tanh_single if x.format is numbers.F32 else large_tanh_double)(magnitude)
    is_small = magnitude.compare("olt", SMALL_TANH[x.format])
    return numbers.select(is_small, small, large).with_sign_of(x)


def large_tanh_single(magnitude: numbers.Real) -> numbers.Real:
    """One minus `2 / (e**(2 x) + 1)`, by the hardware; 1 for an infinite power."""
    # From 0.7 on the subtrahend is below 0.4 of the result, and so is the weight of its error.
    power = exp2_approx(magnitude * (2 * LOG2_E), flush=True)
    return (power + 1.0).reciprocal_approx().times_plus(-2.0, 1.0)


def large_tanh_double(magnitude: numbers.Real) -> numbers.Real:
    """The quotient of one minus u by one plus u, with `u = e**(-2 x)`."""
    x = magnitude
    rest, exponent = reduced((magnitude * -2.0).clamped(-2 * TANH_IS_ONE, 0.0))
    power, scale = exponential_of_rest(rest), x.power_of_two(exponent)
    u, error = power.high * scale, power.low * scale
    numerator, denominator = numbers.sum_of(x.of(1.0), -u), numbers.sum_of(x.of(1.0), u)
    quotient = numerator.high.fast_division(denominator.high)
    remainder = (-quotient).times_plus(denominator.high, numerator.high)
    remainder = remainder + (numerator.low - error)
    remainder = (-quotient).times_plus(denominator.low + error, remainder)
    return quotient + remainder.fast_division(denominator.high)
