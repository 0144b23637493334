"""Quotients by divisors of 1 and more, or by shared ones, are rounded once, whatever they are."""

import numpy as np
import pytest

from tests.unit.road.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

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


# Divisors that many elements of a thread share, where f64 is slow.

ROWS, COLUMNS = 4, 1024
WIDE, NARROW = f"tile<{ROWS}x{COLUMNS}xf32>", f"tile<{ROWS}x1xf32>"
SHARED = f"""
  %d = broadcast %x1 : {NARROW} -> {WIDE}
  %y0 = divf %x0, %d : {WIDE}
"""


def divided_by_rows(bits: np.ndarray, divisors: np.ndarray) -> None:
    """Checks the quotients of numbers, of which the bits are given, by one divisor for each row."""
    x = np.resize(bits.astype(np.uint32), (ROWS, COLUMNS)).view(np.float32)
    for first in range(0, len(divisors), ROWS):
        y = np.resize(divisors[first : first + ROWS].astype(np.float32), (ROWS, 1))
        (found,) = evaluate(SHARED, [x, y], [("f32", (ROWS, COLUMNS))], gpu="sm_120a")
        with np.errstate(all="ignore"):
            expected = x / y
        np.testing.assert_array_equal(found, expected)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("seed", range(2))
def test_shared_divisors_of_random_bits(seed: int):
    rng = np.random.default_rng(seed)
    divisors = rng.integers(0, 2**32, 2 * ROWS, np.uint32).view(np.float32)
    divided_by_rows(rng.integers(0, 2**32, (ROWS, COLUMNS), np.uint32), divisors)


def test_edges_of_shared_divisors():
    signed = np.concatenate([EDGES, -EDGES, [2.0**-60, 0.75, 1e-10, 1.9999999]])
    with np.errstate(over="ignore"):
        near = [np.nextafter(signed.astype(np.float32), np.float32(to)) for to in (0, np.inf)]
    dividends = np.concatenate([signed.astype(np.float32), *near])
    divided_by_rows(dividends.view(np.uint32), signed)


@pytest.mark.parametrize("scale", (0, -126, -101, -64, 64, 125))
def test_shared_divisors_near_ties(scale: int):
    """Dividends next to products of divisors of any magnitude with numbers between two f32."""
    rng = np.random.default_rng(scale + 200)
    y = np.ldexp(rng.integers(2**23, 2**24, ROWS) * 2.0**-23, scale)
    between = (rng.integers(2**24, 2**25, (ROWS, COLUMNS)) | 1) * 2.0**-25
    # Quotients from subnormal ones to some that overflow.
    powers = rng.integers(-140, 127, COLUMNS // 2)
    with np.errstate(over="ignore"):
        x = np.ldexp(between * y[:, None], np.concatenate([powers, powers // 8]))
        divided_by_rows(x.astype(np.float32).view(np.uint32), y)


def shared_text(body: str) -> str:
    values = [np.ones((ROWS, COLUMNS), np.float32), np.ones((ROWS, 1), np.float32)]
    module = tools.parse(whole_tiles(body, values, [("f32", (ROWS, COLUMNS))]))
    return emit(tools.run_passes(module, "tileir-pipeline{gpu=sm_120a}"), "sm_120a")


def test_one_inverse_for_a_divisor():
    text = shared_text(SHARED)
    # A warp has a row: 32 elements of a thread, in two groups.
    assert text.count("rcp.approx.ftz.f32") == 1
    assert text.count("div.rn.f32") == 2


def test_exponentials_are_divided_one_by_one():
    """They are often 0, and a group with a 0 is divided in a loop."""
    text = shared_text(SHARED.replace("%y0 = divf %x0", f"%e = exp %x0 : {WIDE}\n%y0 = divf %e"))
    assert text.count("div.rn.f32") > 16
