"""Outputs that a launch leaves incomplete."""

from __future__ import annotations

import numpy as np
import pytest

from tileir_xdsl.checking.outputs import Outputs
from tileir_xdsl.interpreters.launch import launch
from tileir_xdsl.runtime.arrays import Array
from tileir_xdsl.testing import tools

COPY = """
cuda_tile.module @m { entry @k(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %places = iota : tile<4xi32>
  %p_one = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p_row = broadcast %p_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %from = offset %p_row, %places : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %x, %t = load_ptr_tko weak %from : tile<4xptr<i32>> -> tile<4xi32>, token
  %q_one = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
  %q_row = broadcast %q_one : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %n_one = reshape %n : tile<i32> -> tile<1xi32>
  %steps = broadcast %n_one : tile<1xi32> -> tile<4xi32>
  %seats = muli %places, %steps : tile<4xi32>
  %to = offset %q_row, %seats : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %u = store_ptr_tko weak %to, %x token=%t : tile<4xptr<i32>>, tile<4xi32> -> token
  return } }
"""


def remarks(source: Array, target: Array, step: int) -> list[str]:
    """The remarks on a kernel that copies four elements to every `step`-th place."""
    outputs = Outputs()
    launch(tools.parse(COPY), "k", (1, 1, 1), [source, target, step], listeners=[outputs])
    return list(outputs.remarks([source, target]))


def ints(count: int) -> Array:
    return np.zeros(count, np.int32)


@pytest.mark.parametrize(("count", "written"), [(4, None), (5, "4 of its 5"), (9, "4 of its 9")])
def test_elements_are_counted(count: int, written: str | None):
    found = remarks(ints(4), ints(count), 1)
    assert len(found) == (written is not None)
    assert written is None or f"never read, and {written} elements" in found[0]


def test_a_part_of_another_array():
    """Elements between those of an array are not its own."""
    assert remarks(ints(4), ints(8)[::2], 2) == []
    (found,) = remarks(ints(4), ints(10)[::2], 2)
    assert "4 of its 5 elements" in found


def test_an_array_that_is_read_is_not_an_output():
    both = ints(9)
    assert remarks(both, both, 2) == []
