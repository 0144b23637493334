"""Diagnostics of launches that end early."""

import numpy as np
import pytest

from tests.unit.cpu_programs.test_found import kernel, run
from tileir_xdsl.runtime.errors import InputError

POSITIVE = """
  %x, %loaded = load_ptr_tko weak %pointers : tile<4xptr<i64>> -> tile<4xi64>, token
  %zeros = constant <i64: 0> : tile<4xi64>
  %positive = cmpi greater_than %x, %zeros, signed : tile<4xi64> -> tile<4xi1>
  assert %positive, "all are positive" : tile<4xi1>
  %sum = addi %x, %x : tile<4xi64>
"""

SCALAR = """
  %zero = constant <i32: 0> : tile<i32>
  %positive = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
  assert %positive, "n is positive" : tile<i1>
  %sum = constant <i64: 5> : tile<4xi64>
"""

BEFORE_AN_ACCESS = """
  %zero = constant <i32: 0> : tile<i32>
  %none = cmpi equal %n, %zero, signed : tile<i32> -> tile<i1>
  assert %none, "n is zero" : tile<i1>
  %row = reshape %n : tile<i32> -> tile<1xi32>
  %far = broadcast %row : tile<1xi32> -> tile<4xi32>
  %moved = offset %spread, %far : tile<4xptr<i64>>, tile<4xi32> -> tile<4xptr<i64>>
  %sum, %loaded = load_ptr_tko weak %moved : tile<4xptr<i64>> -> tile<4xi64>, token
"""


@pytest.mark.parametrize(
    ("body", "n", "message"),
    [
        (POSITIVE, 0, "all are positive"),
        (SCALAR, -1, "n is positive"),
        (BEFORE_AN_ACCESS, 1000, "n is zero"),
    ],
)
def test_assertions(body: str, n: int, message: str) -> None:
    text = f"'assert' in tile block .*: assertion failed: {message}$"
    with pytest.raises(InputError, match=text):
        run(kernel(body), [np.array([1, 2, -3, 4]), n])


@pytest.mark.parametrize(("body", "n"), [(POSITIVE, 0), (SCALAR, 1), (BEFORE_AN_ACCESS, 0)])
def test_assertions_that_hold(body: str, n: int) -> None:
    run(kernel(body), [np.array([1, 2, 3, 4]), n])
