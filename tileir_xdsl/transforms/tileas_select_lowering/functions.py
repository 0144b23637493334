"""The strategies for elementary functions and integer powers."""

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.uniform_bits import UniformBits
from tileir_xdsl.analysis.values.tested_powers import (
    LEAST_TESTED,
    compared_numbers,
    in_trip,
    most_tested,
)
from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.throughput import throughput_of

from .strategies import Family, Row, always

POWERS_OF_TWO = (math.Exp2Op, nv_tileaa.Exp2Op)
EXACT_ENOUGH = (*POWERS_OF_TWO, math.RsqrtOp, nv_tileaa.RsqrtOp)
"""Functions whose approximations are as precise as the specification requires for f32."""
EXACT_ENOUGH_IN_HALVES = (*EXACT_ENOUGH, math.ExpOp, nv_tileaa.ExpOp)
"""Functions whose f32 approximations are as precise as the specification requires for f16 and
bf16.
"""
FUNCTIONS = (
    *EXACT_ENOUGH_IN_HALVES,
    math.CosOp,
    math.Log2Op,
    math.SinOp,
    math.TanhOp,
    nv_tileaa.CosOp,
    nv_tileaa.Log2Op,
    nv_tileaa.SinOp,
    nv_tileaa.TanhOp,
)
"""Functions that the hardware approximates."""


@dataclass(frozen=True)
class Application:
    """Facts about an op that applies an elementary function."""

    op: Operation
    is_single: bool
    is_double: bool
    is_enough: bool
    """Whether an approximation is as precise as the specification requires."""
    is_asked: bool
    """Whether the op requests only an approximation."""
    flushes: bool
    target: Target

    @cached_property
    def results(self) -> int:
        """How many different results a thread computes."""
        return UniformBits().registers(self.op, *self.op.operands)

    @property
    def is_power_of_two(self) -> bool:
        """Whether the function is `2**x`."""
        return isinstance(self.op, POWERS_OF_TWO)


def application_of(op: Operation, target: Target) -> Application:
    """The requirements of an op, from its type, rounding mode and fast-math flags."""
    element = tile_shape(op.results[0].type).element
    rounding = op.properties.get("rounding_mode")
    is_rounded = isinstance(rounding, nv_tileaa.RoundingModeAttr)
    flags = op.properties.get("fastmath", op.attributes.get("fastmath"))
    is_fast = isinstance(flags, arith.FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data
    is_single = isinstance(element, Float32Type)
    return Application(
        op,
        is_single=is_single,
        is_double=isinstance(element, Float64Type),
        is_enough=isinstance(op, EXACT_ENOUGH if is_single else EXACT_ENOUGH_IN_HALVES),
        is_asked=is_fast or (is_rounded and rounding.data is RoundingMode.APPROX),
        flushes="flush_to_zero" in op.properties,
        target=target,
    )


def _no_approximation(application: Application) -> str | None:
    # PTX ISA, "Floating Point Instructions".
    if application.is_double:
        return "the hardware has no approximations in f64"
    if application.is_enough or application.is_asked:
        return None
    return "the op asks for more than an approximation"


def _no_tested_approximation(application: Application) -> str | None:
    if not application.is_power_of_two or not application.is_single:
        return "it is not a power of two in f32"
    if application.flushes:
        return "no result is subnormal"
    if compared_numbers(application.op) is None:
        return "the exponents are neither differences nor fused, or a mask precedes the latter"
    if application.results < LEAST_TESTED:
        return f"a thread has fewer than {LEAST_TESTED} results"
    if application.results > (most := most_tested(application.target)):
        return f"a thread has more than {most} results"
    return None


def is_in_place(op: Operation, target: Target) -> bool:
    """Whether the results of a function replace its arguments in registers, as for tested powers of
    two.
    """
    if not isinstance(op, POWERS_OF_TWO):
        return False
    return _no_tested_approximation(application_of(op, target)) is None


def _by_approximation(application: Application) -> float:
    is_expanded = application.is_power_of_two and application.is_single
    # A comparison and two products around the hardware's, for subnormal results.
    return 4 if is_expanded and not application.flushes else 3


def _by_tested_approximation(application: Application) -> float:
    tested, results = compared_numbers(application.op), application.results
    assert tested is not None
    subtrahend = tested[1]
    tests = 0 if subtrahend is None else UniformBits().registers(application.op, subtrahend)
    maxima = results / (2 if throughput_of(application.target).has_maxima_of_three else 1)
    # The loop is hardly executed, but its code moves all numbers past some powers.
    loop = results + 4 * in_trip(results) + 5
    return 1 + (maxima + 3 * tests + loop) / results


def _no_polynomial(application: Application) -> str | None:
    return "a polynomial flushes no subnormal numbers" if application.flushes else None


FAMILY = Family(
    application_of,
    (
        Row(
            Strategy.APPROXIMATION,
            _no_approximation,
            _by_approximation,
            "PTX ISA, ex2, lg2, rsqrt, sin, cos and tanh with .approx",
        ),
        Row(
            Strategy.TESTED_APPROXIMATION,
            _no_tested_approximation,
            _by_tested_approximation,
            "PTX ISA, ex2.approx.ftz; convert_tileas_to_llvm/math/tested_powers.py",
        ),
        Row(Strategy.POLYNOMIAL, _no_polynomial, lambda _: 20, "docs/numerics.md"),
    ),
)


SMALL_EXPONENTS = (1, 2, 3, 4)
"""Exponents for which multiplications are precise enough: at most two roundings."""


def _power_of(op: Operation, _target: Target) -> int | None:
    """The exponent of an integer power if it is constant."""
    return uniform_integer(op.operands[1])


def _no_products(exponent: int | None) -> str | None:
    if exponent is None:
        return "the exponent is not known"
    # Every further product adds a rounding.
    return None if exponent in SMALL_EXPONENTS else "the exponent is not one of 1 to 4"


POWERS = Family(
    _power_of,
    (
        Row(Strategy.PRODUCTS, _no_products, lambda _: 2, "docs/numerics.md"),
        Row(Strategy.LOOP, always, lambda _: 100, "Knuth, Seminumerical Algorithms, section 4.6.3"),
    ),
)
