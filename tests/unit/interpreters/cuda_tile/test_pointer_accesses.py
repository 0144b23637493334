"""Loads and stores through tiles of pointers: masks and padding."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import Tile, evaluate

POINTERS = """
  %row = reshape %p0 : tile<ptr<i32>> -> tile<1xptr<i32>>
  %rows = broadcast %row : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %steps = iota : tile<4xi32>
  %q = offset %rows, %steps : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %mask = constant <i1: [true, false, true, false]> : tile<4xi1>
"""
VALUES = np.array([10, 11, 12, 13], np.int32)


def test_masked_load_takes_the_padding() -> None:
    body = f"""{POINTERS}
      %pad = constant <i32: [-1, -2, -3, -4]> : tile<4xi32>
      %out0, %t = load_ptr_tko weak %q, %mask, %pad
        : tile<4xptr<i32>>, tile<4xi1>, tile<4xi32> -> tile<4xi32>, token
      %out1, %u = load_ptr_tko relaxed device %q token=%t
        : tile<4xptr<i32>> -> tile<4xi32>, token
    """
    padded, whole = evaluate(body, [("4xi32", VALUES)], ["4xi32", "4xi32"])
    assert padded.tolist() == [10, -2, 12, -4]
    assert whole.tolist() == VALUES.tolist()


def test_masked_store_leaves_the_rest() -> None:
    body = f"""{POINTERS}
      %value = constant <i32: 0> : tile<4xi32>
      %token = make_token : token
      %t = store_ptr_tko weak %q, %value, %mask token=%token
        : tile<4xptr<i32>>, tile<4xi32>, tile<4xi1> -> token
      %j = join_tokens %t, %token : token
      %out0, %u = load_ptr_tko weak %q token=%j : tile<4xptr<i32>> -> tile<4xi32>, token
    """
    (stored,) = evaluate(body, [("4xi32", VALUES)], ["4xi32"])
    assert stored.tolist() == [0, 11, 0, 13]


def test_masked_off_pointers_may_point_anywhere() -> None:
    body = f"""{POINTERS}
      %far = constant <i64: [0, 1000000000000, 0, -1000]> : tile<4xi64>
      %wild = offset %q, %far : tile<4xptr<i32>>, tile<4xi64> -> tile<4xptr<i32>>
      %pad = constant <i32: 0> : tile<4xi32>
      %out0, %t = load_ptr_tko weak %wild, %mask, %pad
        : tile<4xptr<i32>>, tile<4xi1>, tile<4xi32> -> tile<4xi32>, token
    """
    (loaded,) = evaluate(body, [("4xi32", VALUES)], ["4xi32"])
    assert loaded.tolist() == [10, 0, 12, 0]


@pytest.mark.parametrize("element", ["i1", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "tf32"])
def test_masked_load_without_padding(element: str) -> None:
    """The rest may be any number, but it is one of the element type."""
    values = Tile(f"4x{element}").empty()
    values[::2] = 1
    body = f"""{POINTERS.replace("ptr<i32>", f"ptr<{element}>")}
      %out0, %t = load_ptr_tko weak %q, %mask
        : tile<4xptr<{element}>>, tile<4xi1> -> tile<4x{element}>, token
    """
    (loaded,) = evaluate(body, [(f"4x{element}", values)], [f"4x{element}"])
    assert (loaded[::2] == 1).all()
