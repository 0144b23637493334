"""The polynomials of the elementary functions, fitted anew.

`python -m bench.coefficients` prints the tables of
`tileir_xdsl/transforms/convert_tileas_to_llvm/math/coefficients.py`: for every function the
polynomial through its values at Chebyshev points, computed with 60 digits and rounded to the
format. A polynomial of `x**2` stands for what an odd or even function has beyond its first terms.
`-v` prints the relative error of each fit as well.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

mpmath.mp.dps = 60
Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Fit:
    """A remainder of a function on an interval, its terms in f32 and in f64, and its weight.

    The weight is how much an absolute error of the polynomial matters for the function. The
    interval of f32 may be another one.
    """

    remainder: Function
    interval: tuple[float, float]
    terms: tuple[int, int]
    weight: Function
    single: tuple[float, float] | None = None

    def intervals(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Those of f32 and f64."""
        return self.single or self.interval, self.interval


def odd(function: Function, square: Any) -> Any:
    """(f(x) - x) / x**3 of an odd function, by x**2."""
    x = mpmath.sqrt(square)
    return (function(x) - x) / x**3


def of_exponential(x: Any) -> Any:
    return (mpmath.exp(x) - 1 - x - x**2 / 2) / x**3


def of_logarithm(square: Any) -> Any:
    """(log((1 + s) / (1 - s)) / s - 2) / s**2, by s**2."""
    s = mpmath.sqrt(square)
    return (mpmath.log((1 + s) / (1 - s)) / s - 2) / square


def of_logarithm_tail(square: Any) -> Any:
    """(log((1 + s) / (1 - s)) / s - 2 - 2/3 s**2) / s**4, by s**2."""
    return (of_logarithm(square) - mpmath.mpf(2) / 3) / square


def of_cosine(square: Any) -> Any:
    return (mpmath.cos(mpmath.sqrt(square)) - 1 + square / 2) / square**2


FORMATS: tuple[tuple[str, Any], ...] = (("f32", np.float32), ("f64", float))
"""Each format and how numbers are rounded to it."""

HALF_OCTAVE = 0.1716
"""(m - 1) / (m + 1) of the square root of 2."""
QUARTER_TURN = 0.79
"""A little above pi / 4."""

FITS = {
    "EXPONENTIAL": Fit(of_exponential, (-0.3467, 0.3466), (4, 10), lambda x: abs(x) ** 3),
    "LOGARITHM": Fit(of_logarithm, (0, HALF_OCTAVE**2), (3, 7), lambda z: z / 2),
    "LOGARITHM_TAIL": Fit(of_logarithm_tail, (0, HALF_OCTAVE**2), (4, 9), lambda z: z**2 / 2),
    "SINE": Fit(lambda z: odd(mpmath.sin, z), (0, QUARTER_TURN**2), (3, 7), lambda z: z),
    "COSINE": Fit(of_cosine, (0, QUARTER_TURN**2), (3, 6), lambda z: z**2),
    "HYPERBOLIC_SINE": Fit(lambda z: odd(mpmath.sinh, z), (0, 1), (4, 8), lambda z: z),
    "HYPERBOLIC_TANGENT": Fit(
        lambda z: odd(mpmath.tanh, z), (0, 0.3025), (5, 11), lambda z: z, single=(0, 0.49)
    ),
    "ARC_TANGENT": Fit(lambda z: odd(mpmath.atan, z), (0, 0.1717), (5, 12), lambda z: z),
}


def coefficients(fit: Fit, interval: tuple[float, float], terms: int) -> list[Any]:
    """The polynomial of a fit, lowest power first."""
    return mpmath.chebyfit(fit.remainder, list(interval), terms)[::-1]


def error(fit: Fit, interval: tuple[float, float], polynomial: list[float]) -> Any:
    """The largest error of a rounded polynomial, as it matters for the function."""
    low, high = interval
    points = [low + (high - low) * (k + 0.5) / 200 for k in range(200)]
    powers = [mpmath.mpf(c) for c in polynomial[::-1]]
    return max(
        abs(mpmath.polyval(powers, x) - fit.remainder(mpmath.mpf(x))) * fit.weight(x)
        for x in points
    )


def main() -> None:
    """Prints the tables."""
    for name, fit in FITS.items():
        print(f"{name}: Polynomials = {{")
        formats = zip(FORMATS, fit.intervals(), fit.terms, strict=True)
        for (type, round), interval, terms in formats:
            polynomial = [float(round(str(c))) for c in coefficients(fit, interval, terms)]
            print(f"    {type}: (")
            for c in polynomial:
                print(f"        {c!r},")
            print("    ),")
            if "-v" in sys.argv:
                exponent = mpmath.log(error(fit, interval, polynomial), 2)
                print(f"    # error 2**{mpmath.nstr(exponent, 4)}")
        print("}")


if __name__ == "__main__":
    main()
