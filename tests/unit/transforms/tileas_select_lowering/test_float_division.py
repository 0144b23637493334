"""Quotients of f32 by every strategy, where divisors are integers, or 1 and more."""

import numpy as np
import pytest
from xdsl.ir import Operation

from tests.unit.transforms.tileas_select_lowering.forcing import forcing, lowered
from tests.unit.transforms.tileas_select_lowering.pointwise import COUNT, pointwise
from tileir_xdsl import emulator
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.interpreters.numerics import Array


def program(division: str, divisor: str = "") -> str:
    """A kernel that divides %a by integers, %whole, or by these and 1, %more."""
    return pointwise(
        f"""
    %one = constant <f32: 1.0> : tile<1024xf32>
    %whole = itof %b unsigned : tile<1024xi32> -> tile<1024xf32>
    %more = addf %whole, %one : tile<1024xf32>
    {divisor}
    %r = divf {division} : tile<1024xf32>
    """,
        "i32",
    )


NEAREST, APPROXIMATE = "%a, %more", "%a, %whole rounding<full>"


def numbers() -> tuple[Array, Array]:
    """Dividends of any magnitude, special ones, and some with subnormal quotients; divisors."""
    rng = np.random.default_rng(3)
    dividends = rng.integers(0, 1 << 32, COUNT, dtype=np.uint32).view(np.float32)
    dividends[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 0.0, 1e-45]
    dividends[64:128] = rng.integers(1 << 23, 1 << 24, 64) * np.float32(2.0**-140)
    divisors = (2.0 ** rng.uniform(0, 32, COUNT)).astype(np.uint32)
    divisors[5:7] = 0
    return dividends, divisors.view(np.int32)


def quotients(operands: str, strategy: Strategy) -> Array:
    """What the emulator computes where one strategy is forced."""
    forced = list[Operation]()
    ptx = lowered(program(operands), "sm_90a", forcing(strategy, forced))
    assert len(forced) == 1
    result = np.zeros(COUNT, np.float32)
    emulator.load(ptx).launch("k", (1, 1, 1), [*numbers(), result])
    return result


@pytest.mark.parametrize(
    "strategy", [Strategy.INSTRUCTION, Strategy.WIDE_INVERSE, Strategy.GROUPED]
)
def test_rounded_to_nearest(strategy: Strategy):
    dividends, divisors = numbers()
    with np.errstate(all="ignore"):
        expected = dividends / (divisors.view(np.uint32).astype(np.float32) + np.float32(1))
    assert (np.abs(expected[64:128]) < np.finfo(np.float32).tiny).any()
    assert np.array_equal(quotients(NEAREST, strategy), expected, equal_nan=True)


@pytest.mark.parametrize(
    "strategy", [Strategy.INSTRUCTION, Strategy.SCALED_INVERSE, Strategy.INVERSE]
)
def test_approximate(strategy: Strategy):
    dividends, divisors = numbers()
    with np.errstate(all="ignore"):
        expected = dividends / divisors.view(np.uint32).astype(np.float32)
    actual = quotients(APPROXIMATE, strategy)
    assert np.array_equal(actual[:7], expected[:7], equal_nan=True)
    # Subnormal numbers may be flushed.
    normal = np.isfinite(expected) & (np.abs(expected) >= np.finfo(np.float32).tiny)
    actual, expected = actual[normal], expected[normal]
    assert (np.abs(actual - expected) <= 2 * np.spacing(np.abs(expected))).all()


HUGE, TINY = "addf %magnitude, %one", "minf %magnitude, %one"


@pytest.mark.parametrize(("divisor", "bounded"), [(HUGE, np.add), (TINY, np.minimum)])
def test_divisors_that_are_bounded_on_one_side_alone(divisor: str, bounded: np.ufunc):
    """Inverses of the others are subnormal, which is flushed, or too large."""
    ops = f"%magnitude = absf %a : tile<1024xf32>\n%d = {divisor} : tile<1024xf32>"
    text = program("%a, %d rounding<full>", ops)
    dividends = np.exp2(np.linspace(-126, 127, COUNT, dtype=np.float32))
    expected = dividends / bounded(dividends, np.float32(1))
    result = np.zeros(COUNT, np.float32)
    ptx = lowered(text, "sm_90a", lambda _module: None)
    emulator.load(ptx).launch("k", (1, 1, 1), [dividends, numbers()[1], result])
    assert (np.abs(result - expected) <= 2 * np.spacing(expected)).all()
