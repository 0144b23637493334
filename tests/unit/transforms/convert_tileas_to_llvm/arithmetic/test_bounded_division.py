"""Quotients by divisors of 1 and more are rounded once, whatever they are."""

import numpy as np
import pytest

from tests.unit import tools
from tests.unit.pipelines.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit

SIZE = 4096
TILE = f"tile<{SIZE}xf32>"
DIVIDE = f"""
  %magnitude = absf %x1 : {TILE}
  %one = constant <f32: 1.0> : {TILE}
  %divisor = addf %one, %magnitude : {TILE}
  %y0 = divf %x0, %divisor : {TILE}
"""
OUTPUT = [("f32", (SIZE,))]

EDGES = np.array(
    [
        *(0.0, 1.0, 3.0, 2.0**24 - 1, np.inf, np.nan),
        *(2.0**-149, 3 * 2.0**-149, 2.0**-126, 1.5 * 2.0**-127, 2.0**-100, 2.0**-101),
        *(2.0**100, 2.0**126, 2.0**126 + 2.0**103, 2.0**127, 3.4028235e38),
    ],
    np.float32,
)


def divided(dividends: np.ndarray, divisors: np.ndarray) -> None:
    """Checks the quotients of numbers by 1 and the magnitude of others, in PTX and by numpy."""
    x, y = (np.resize(values, SIZE).astype(np.float32) for values in (dividends, divisors))
    with np.errstate(all="ignore"):
        (found,) = evaluate(DIVIDE, [x, y], OUTPUT, gpu="sm_90a")
        np.testing.assert_array_equal(found, x / (1 + np.abs(y)))


@pytest.mark.parametrize("seed", range(4))
def test_random_bits(seed: int):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 2**32, (2, SIZE), np.uint32).view(np.float32)
    divided(x, y)


def test_edges():
    signed = np.concatenate([EDGES, -EDGES])
    x, y = np.meshgrid(signed, signed)
    divided(x.ravel(), y.ravel())


def test_ordinary_numbers():
    """None of a group is tiny, so that no group is divided one by one."""
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-100, 100, (2, SIZE))
    divided(x, y)


def test_subnormal_quotients():
    """Ties between subnormal numbers go to the even one."""
    divided(np.arange(1, SIZE + 1) * 2.0**-20, np.resize(2.0 ** np.arange(110, 128), SIZE))


def test_quotients_near_ties():
    """Dividends next to products of divisors with numbers between two f32."""
    rng = np.random.default_rng(7)
    y = rng.integers(2**23, 2**24, SIZE).astype(np.float64)
    between = rng.integers(2**24, 2**25, SIZE) | 1
    divided(between * (y + 1) / 2.0**25, y)


def ptx(body: str) -> str:
    values = [np.ones(SIZE, np.float32)] * 2
    module = tools.parse(whole_tiles(body, values, OUTPUT))
    return emit(tools.run_passes(module, "tileir-pipeline{gpu=sm_120a}"), "sm_120a")


def test_one_test_for_a_group():
    text = ptx(DIVIDE)
    groups = SIZE // 128 // 16
    assert text.count("div.rn.f32") == groups
    assert text.count("rcp.approx.ftz.f32") == 16 * groups


def test_other_divisors_are_divided_one_by_one():
    text = ptx(f"%y0 = divf %x0, %x1 : {TILE}")
    assert text.count("div.rn.f32") == SIZE // 128
    assert "rcp" not in text
