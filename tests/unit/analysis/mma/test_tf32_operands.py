"""The last 13 bits of a tf32 stay open where only a matrix unit reads it, and nowhere else."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.road.agreement import evaluate, whole_tiles
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

Array = NDArray[Any]

SHAPE = (64, 32)
CLEARED = "-8192;"
"""The mask of the bits that a tf32 has."""

MULTIPLIED = """
  %a = ftof %x0 : tile<64x32xf32> -> tile<64x32xtf32>
  %b = ftof %x1 : tile<32x32xf32> -> tile<32x32xtf32>
  %none = constant <f32: 0.0> : tile<64x32xf32>
  %y0 = mmaf %a, %b, %none : tile<64x32xtf32>, tile<32x32xtf32>, tile<64x32xf32>
"""
ALSO_READ = f"{MULTIPLIED}  %y1 = ftof %a : tile<64x32xtf32> -> tile<64x32xf32>\n"


def _numbers() -> Array:
    """Numbers and ties between those of tf32, with any exponent that a sum cannot exceed."""
    rng = np.random.default_rng(5)
    words = rng.integers(0, 2**32, SHAPE, np.uint32) & np.uint32(0xBFFFFFFF)
    words[::2] = words[::2] & np.uint32(0xFFFFE000) | np.uint32(0x1000)
    words[:4] &= np.uint32(0x807FFFFF)
    return words.view(np.float32)


def _rounded(numbers: Array) -> Array:
    """The nearest tf32, the even one of two."""
    bits = numbers.view(np.uint32)
    half = np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))
    return (bits + half & np.uint32(0xFFFFE000)).view(np.float32)


def _ptx(body: str, gpu: str) -> str:
    inputs = [np.zeros(shape, np.float32) for shape in (SHAPE, (32, 32))]
    outputs = [("f32", SHAPE)] * body.count("%y")
    module = tools.parse(whole_tiles(body, inputs, outputs))
    return emit(tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}"), gpu)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a", "sm_100a"))
def test_matrix_units_read_rounded_numbers(gpu: str):
    numbers = _numbers()
    expected = _rounded(numbers)
    inputs = [numbers, np.eye(32, dtype=np.float32)]
    (found,) = evaluate(MULTIPLIED, inputs, [("f32", SHAPE)], gpu=gpu)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("gpu", ("sm_80", "sm_90a"))
def test_other_readers_have_zeros_after_the_last_digit(gpu: str):
    assert CLEARED not in _ptx(MULTIPLIED, gpu)
    assert CLEARED in _ptx(ALSO_READ, gpu)
    numbers = _numbers()
    inputs = [numbers, np.eye(32, dtype=np.float32)]
    outputs = [("f32", SHAPE)] * 2
    multiplied, read = evaluate(ALSO_READ, inputs, outputs, gpu=gpu)
    np.testing.assert_array_equal(read, _rounded(numbers))
    np.testing.assert_array_equal(multiplied, read)
