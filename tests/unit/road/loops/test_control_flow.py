"""Loops and branches at the last level compute what they compute at the first."""

import numpy as np
import pytest

from tests.unit.road.levels_agree.test_agreement import assert_same

STORE = """
    %shaped = reshape %final : tile<i32> -> tile<1xi32>
    %splat = broadcast %shaped : tile<1xi32> -> tile<8xi32>
    %lane = iota : tile<8xi32>
    %qs = reshape %q : tile<ptr<i32>> -> tile<1xptr<i32>>
    %qb = broadcast %qs : tile<1xptr<i32>> -> tile<8xptr<i32>>
    %qo = offset %qb, %lane : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
    %end = store_ptr_tko weak %qo, %splat : tile<8xptr<i32>>, tile<8xi32> -> token
"""


def results(body: str, *scalars: int) -> int:
    """What a program with the parameters %n and %m computes as %final."""
    parameters = "%q: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>"
    (found,) = assert_same(body + STORE, parameters, [np.zeros(8, np.int32), *scalars])
    assert (found == found[0]).all()
    return int(found.view(np.int32)[0])


@pytest.mark.parametrize(("n", "m"), [(0, 10), (3, 3), (5, 2), (-4, 4), (0, 1)])
def test_for(n: int, m: int):
    body = """
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %final, %other = for %i in (%n to %m, step %one) : tile<i32> iter_values(%sum = %zero, %last = %one) -> (tile<i32>, tile<i32>) {
      %next = addi %sum, %last : tile<i32>
      continue %next, %i : tile<i32>, tile<i32>
    }
    """
    total, last = 0, 1
    for i in range(n, m):
        total, last = total + last, i
    assert results(body, n, m) == total


@pytest.mark.parametrize(("n", "m"), [(0, 10), (2147483640, 2147483647), (7, 0)])
def test_for_with_a_step(n: int, m: int):
    body = """
    %three = constant <i32: 3> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %final = for %i in (%n to %m, step %three) : tile<i32> iter_values(%count = %zero) -> (tile<i32>) {
      %next = addi %count, %one : tile<i32>
      continue %next : tile<i32>
    }
    """
    assert results(body, n, m) == len(range(n, m, 3))


@pytest.mark.parametrize("n", [-3, 0, 8])
def test_if_in_a_loop(n: int):
    body = """
    %one = constant <i32: 1> : tile<i32>
    %ten = constant <i32: 10> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %final = for %i in (%zero to %ten, step %one) : tile<i32> iter_values(%sum = %zero) -> (tile<i32>) {
      %low = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
      %part = if %low -> (tile<i32>) {
        %a = addi %sum, %i : tile<i32>
        yield %a : tile<i32>
      } else {
        %b = addi %sum, %one : tile<i32>
        yield %b : tile<i32>
      }
      continue %part : tile<i32>
    }
    """
    expected = 0
    for i in range(10):
        expected += i if i < n else 1
    assert results(body, n, 0) == expected


@pytest.mark.parametrize(("n", "m"), [(0, 10), (3, 3), (-7, 2), (1, 2)])
def test_a_branch_around_a_loop(n: int, m: int):
    """The other arm forwards an initial value of the loop: twice, and as another result."""
    body = """
    %one = constant <i32: 1> : tile<i32>
    %five = constant <i32: 5> : tile<i32>
    %least = constant <i32: 2> : tile<i32>
    %length = subi %m, %n : tile<i32>
    %long = cmpi greater_than_or_equal %length, %least, signed : tile<i32> -> tile<i1>
    %a, %b, %c, %d = if %long -> (tile<i32>, tile<i32>, tile<i32>, tile<i32>) {
      %x, %y = for %i in (%n to %m, step %one) : tile<i32> iter_values(%p = %five, %q2 = %n) -> (tile<i32>, tile<i32>) {
        %p1 = addi %p, %q2 : tile<i32>
        %q1 = addi %q2, %i : tile<i32>
        continue %p1, %q1 : tile<i32>, tile<i32>
      }
      %z = addi %x, %m : tile<i32>
      yield %x, %y, %z, %y : tile<i32>, tile<i32>, tile<i32>, tile<i32>
    } else {
      yield %n, %five, %five, %m : tile<i32>, tile<i32>, tile<i32>, tile<i32>
    }
    %hundred = constant <i32: 100> : tile<i32>
    %ab = muli %a, %hundred : tile<i32>
    %ab1 = addi %ab, %b : tile<i32>
    %abc = muli %ab1, %hundred : tile<i32>
    %abc1 = addi %abc, %c : tile<i32>
    %final0 = muli %abc1, %hundred : tile<i32>
    %final1 = addi %final0, %d : tile<i32>
    %final = addi %final1, %n : tile<i32>
    """
    a, b, c, d = n, 5, 5, m
    if m - n >= 2:
        a, b = 5, n
        for i in range(n, m):
            a, b = a + b, b + i
        c, d = a + m, b
    assert results(body, n, m) == ((a * 100 + b) * 100 + c) * 100 + d + n


@pytest.mark.parametrize("n", [0, 5])
def test_loop_that_is_left_in_the_middle(n: int):
    body = """
    %one = constant <i32: 1> : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %final = loop iter_values(%i = %zero) : tile<i32> -> tile<i32> {
      %done = cmpi greater_than_or_equal %i, %n, signed : tile<i32> -> tile<i1>
      if %done {
        break %i : tile<i32>
      }
      %next = addi %i, %one : tile<i32>
      continue %next : tile<i32>
    }
    """
    assert results(body, n, 0) == n


@pytest.mark.parametrize("n", [3, -3])
def test_a_loop_that_is_left_with_what_it_was_given(n: int):
    body = """
    %zero = constant <i32: 0> : tile<i32>
    %positive = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
    %a, %b = loop iter_values(%x = %n, %y = %m) : tile<i32>, tile<i32> -> tile<i32>, tile<i32> {
      if %positive {
        break %y, %x : tile<i32>, tile<i32>
      }
      break %x, %x : tile<i32>, tile<i32>
    }
    %c = loop iter_values(%x = %a) : tile<i32> -> tile<i32> {
      break %x : tile<i32>
    }
    %ten = constant <i32: 10> : tile<i32>
    %tens = muli %c, %ten : tile<i32>
    %final = addi %tens, %b : tile<i32>
    """
    assert results(body, n, 7) == (70 + n if n > 0 else 11 * n)
