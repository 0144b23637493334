"""How elementary functions and integer powers are computed."""

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Operation

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.enumerations import RoundingMode
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.targets import Target

from .strategies import Family, Row, always

EXACT_ENOUGH = (math.Exp2Op, math.RsqrtOp, nv_tileaa.Exp2Op, nv_tileaa.RsqrtOp)
"""Functions whose approximations are as precise as the specification wants of f32."""
EXACT_ENOUGH_IN_HALVES = (*EXACT_ENOUGH, math.ExpOp, nv_tileaa.ExpOp)
"""Functions whose approximations in f32 are as precise as it wants of f16 and bf16."""
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
    """An elementary function of some elements."""

    op: Operation
    is_double: bool
    is_enough: bool
    """Whether an approximation is as precise as the specification wants."""
    is_asked: bool
    """Whether the op asks for no more than an approximation."""
    flushes: bool


def application_of(op: Operation, _target: Target) -> Application:
    """What an op asks for: by its type, its rounding mode, or fast math."""
    element = tile_shape(op.results[0].type).element
    rounding = op.properties.get("rounding_mode")
    is_rounded = isinstance(rounding, nv_tileaa.RoundingModeAttr)
    flags = op.properties.get("fastmath", op.attributes.get("fastmath"))
    is_fast = isinstance(flags, arith.FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data
    is_single = isinstance(element, Float32Type)
    return Application(
        op,
        is_double=isinstance(element, Float64Type),
        is_enough=isinstance(op, EXACT_ENOUGH if is_single else EXACT_ENOUGH_IN_HALVES),
        is_asked=is_fast or (is_rounded and rounding.data is RoundingMode.APPROX),
        flushes="flush_to_zero" in op.properties,
    )


def _no_approximation(application: Application) -> str | None:
    # PTX ISA, "Floating Point Instructions".
    if application.is_double:
        return "the hardware has no approximations in f64"
    if application.is_enough or application.is_asked:
        return None
    return "the op asks for more than an approximation"


def _no_polynomial(application: Application) -> str | None:
    return "a polynomial flushes no subnormal numbers" if application.flushes else None


FAMILY = Family(
    application_of,
    (
        Row(
            Strategy.APPROXIMATION,
            _no_approximation,
            lambda _: 3,
            "PTX ISA, ex2, lg2, rsqrt, sin, cos and tanh with .approx",
        ),
        Row(Strategy.POLYNOMIAL, _no_polynomial, lambda _: 20, "docs/numerics.md"),
    ),
)


SMALL_EXPONENTS = (1, 2, 3, 4)
"""Exponents of powers whose products keep within the bounds: two roundings at most."""


def _power_of(op: Operation, _target: Target) -> int | None:
    """The exponent of an integer power, if it is known."""
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
