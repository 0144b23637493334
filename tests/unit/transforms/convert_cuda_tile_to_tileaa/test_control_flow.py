"""Branches keep what is in them."""

import numpy as np
import pytest

from tests.unit.road.agreement import assert_equal, kernel, run_at_both_levels

BODY = """
%seven = constant <i32: 7> : tile<i32>
%given, %loaded = load_ptr_tko weak %p0 : tile<ptr<i32>> -> tile<i32>, token
%is_zero = cmpi equal %given, %zero, signed : tile<i32> -> tile<i1>
if %is_zero {
} else {
  %stored = store_ptr_tko weak %p1, %seven : tile<ptr<i32>>, tile<i32> -> token
}
"""


@pytest.mark.parametrize(("given", "wanted"), [(0, 0), (1, 7)])
def test_a_single_op_in_the_second_branch(given: int, wanted: int):
    arguments = [np.array([given], np.int32), np.zeros(1, np.int32)]
    first, last = run_at_both_levels(kernel(BODY, ["i32", "i32"]), arguments)
    assert_equal(first, last)
    assert last[1] == wanted
