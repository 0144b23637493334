"""Quotients by shared divisors are rounded once, whatever they are."""

import numpy as np
import pytest

from tests.unit.road.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

ROWS, COLUMNS = 4, 2048
"""Few enough rows that a thread has many elements of each."""
WIDE, NARROW = f"tile<{ROWS}x{COLUMNS}xf32>", f"tile<{ROWS}x1xf32>"
DIVIDE = f"""
  %d = broadcast %x1 : {NARROW} -> {WIDE}
  %y0 = divf %x0, %d : {WIDE}
"""

EDGES = np.array(
    [
        0.0,
        1.0,
        3.0,
        np.inf,
        np.nan,
        2.0**-149,
        2.0**-126,
        1.5 * 2.0**-127,
        3.4028235e38,
        2.0**24 - 1,
    ],
    np.float32,
)


def by_rows(bits: np.ndarray, divisors: np.ndarray) -> None:
    """Checks divisions of some numbers, of which the bits are given, by each divisor."""
    x = np.resize(bits.astype(np.uint32), (ROWS, COLUMNS)).view(np.float32)
    for first in range(0, len(divisors), ROWS):
        y = np.resize(divisors[first : first + ROWS].astype(np.float32), (ROWS, 1))
        (found,) = evaluate(DIVIDE, [x, y], [("f32", (ROWS, COLUMNS))], gpu="sm_90a")
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found, x / y)


@pytest.mark.parametrize("seed", range(3))
def test_random_bits(seed: int):
    rng = np.random.default_rng(seed)
    divisors = rng.integers(0, 2**32, ROWS, np.uint32).view(np.float32)
    by_rows(rng.integers(0, 2**32, (ROWS, COLUMNS), np.uint32), divisors)


def test_edges():
    signed = np.concatenate([EDGES, -EDGES])
    by_rows(signed.view(np.uint32), signed)


def test_halves_of_subnormals_are_ties():
    """Quotients that lie between two subnormal numbers go to the even one."""
    numbers = np.arange(1, ROWS * COLUMNS + 1, dtype=np.uint32)
    by_rows(numbers, np.array([2, 4, 6, 10, 12, 24, 48, 7 * 2**10], np.float32))


def test_quotients_near_ties():
    """Dividends next to products of divisors with numbers between two f32."""
    rng = np.random.default_rng(7)
    y = rng.integers(2**23, 2**24, ROWS).astype(np.float64)
    between = rng.integers(2**24, 2**25, (ROWS, COLUMNS)) | 1
    near = (between * y[:, None] / 2.0**25).astype(np.float32)
    by_rows(near.view(np.uint32), y)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_100a", "sm_120a"))
def test_targets_without_many_units_for_f64_divide(gpu: str):
    values = [np.ones((ROWS, COLUMNS), np.float32), np.full((ROWS, 1), 3, np.float32)]
    program = tools.parse(whole_tiles(DIVIDE, values, [("f32", (ROWS, COLUMNS))]))
    text = emit(tools.run_passes(program, f"tileir-pipeline{{gpu={gpu}}}"), gpu)
    assert ("div.rn.f32" in text) == (gpu == "sm_120a")
    assert ("mul.f64" in text or "mul.rn.f64" in text) == (gpu != "sm_120a")
