"""Approximate quotients by inverses: within their bound, wherever dividends and divisors are."""

import numpy as np
import pytest

from tests.unit.road.agreement import evaluate, run_at_both_levels, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_bound

ROWS, COLUMNS = 4, 512
WIDE, NARROW = f"tile<{ROWS}x{COLUMNS}xf32>", f"tile<{ROWS}x1xf32>"
SHARED = f"""
  %d = broadcast %x1 : {NARROW} -> {WIDE}
  %y0 = divf %x0, %d rounding<full> : {WIDE}
"""
COUNTED = f"""
  %f = itof %x1 signed : tile<{ROWS}x1xi32> -> {NARROW}
  %d = broadcast %f : {NARROW} -> {WIDE}
  %y0 = divf %x0, %d rounding<approx> : {WIDE}
"""
OUTPUTS = [("f32", (ROWS, COLUMNS))]


def close(text: str, x: np.ndarray, y: np.ndarray, divisors: np.ndarray) -> None:
    """Checks the quotients of a program in PTX against exact ones."""
    program = whole_tiles(text, [x, y], OUTPUTS)
    arrays = [x.ravel(), y.ravel(), np.zeros(x.size, np.float32)]
    with np.errstate(all="ignore"):
        *_, found = run_at_both_levels(program, arrays, "sm_90a")[1]
        exact = x.astype(np.float64) / divisors.astype(np.float64)
        assert_agrees(
            found.reshape(x.shape), within_bound("divf rounding<full>", exact, np.float32)
        )


def bits(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.integers(0, 2**32, shape, np.uint32).view(np.float32)


@pytest.mark.parametrize(
    "divisors",
    [
        (2.0**-149, -(2.0**-130), 2.0**-126, 0.0),
        (2.0**126, -(2.0**127), 3.4028235e38, np.inf),
        (1.0, -3.0, 2.0**-120, np.nan),
    ],
)
def test_shared_divisors(divisors: tuple[float, ...]):
    rng = np.random.default_rng(1)
    y = np.array(divisors, np.float32)[:, None]
    close(SHARED, bits(rng, (ROWS, COLUMNS)), y, y)


def test_divisors_of_any_bits():
    rng = np.random.default_rng(2)
    y = bits(rng, (ROWS, 1))
    close(SHARED, bits(rng, (ROWS, COLUMNS)), y, y)


def test_converted_integers():
    rng = np.random.default_rng(3)
    y = np.array([[1], [-(2**31)], [0], [1023]], np.int32)
    close(COUNTED, bits(rng, (ROWS, COLUMNS)), y, y.astype(np.float32))


@pytest.mark.parametrize(
    ("text", "dtype", "comparisons"), [(SHARED, np.float32, 2), (COUNTED, np.int32, 0)]
)
def test_the_scale_is_worked_out_once(text: str, dtype: type, comparisons: int):
    values = [np.ones((ROWS, COLUMNS), np.float32), np.ones((ROWS, 1), dtype)]
    module = tools.run_passes(
        tools.parse(whole_tiles(text, values, OUTPUTS)), "tileir-pipeline{gpu=sm_90a}"
    )
    ptx = emit(module, "sm_90a")
    assert "div." not in ptx
    assert ptx.count("setp.") / ptx.count("rcp.approx.ftz.f32") == comparisons


def test_single_divisors_are_divided_by_the_hardware():
    text = f"%y0 = divf %x0, %x1 rounding<full> : {WIDE}"
    values = [np.ones((ROWS, COLUMNS), np.float32)] * 2
    module = tools.run_passes(
        tools.parse(whole_tiles(text, values, OUTPUTS)), "tileir-pipeline{gpu=sm_90a}"
    )
    assert "div.full.f32" in emit(module, "sm_90a")


TINY, NORMAL = np.float32(2.0**-130), np.float32(2.0**-126)


@pytest.mark.parametrize("flushes", [False, True])
@pytest.mark.parametrize("mode", ["approx", "full"])
def test_subnormals(mode: str, flushes: bool):
    """They are zeros, as operands and as results, where they are flushed."""
    x = np.resize(np.array([TINY, -TINY, NORMAL, -NORMAL, 3 * NORMAL], np.float32), 64)
    y = np.resize(np.array([2.0**-10, 1.0, 2.0, 4.0, 2.0], np.float32), 64)
    flag = " flush_to_zero" if flushes else ""
    body = f"%y0 = divf %x0, %x1 rounding<{mode}>{flag} : tile<64xf32>"
    (found,) = evaluate(body, [x, y], [("f32", (64,))], gpu="sm_90a")
    operands = np.where(np.abs(x) < NORMAL, np.copysign(0, x), x) if flushes else x
    exact = operands / y
    if flushes:
        exact = np.where(np.abs(exact) < NORMAL, np.copysign(0, exact), exact)
    np.testing.assert_array_equal(found, exact)
