"""Loops and branches, and every way out of them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.testing import tools

CONSTANTS = """
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c3 = constant <i32: 3> : tile<i32>
  %c10 = constant <i32: 10> : tile<i32>
"""


def _result(body: str) -> int:
    (value,) = evaluate(CONSTANTS + body, [], ["i32"])
    return value.item()


def test_for_carries_values() -> None:
    body = """
      %out0 = for %i in (%c0 to %c10, step %c3) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
        %t = addi %s, %i : tile<i32>
        continue %t : tile<i32>
      }
    """
    assert _result(body) == 0 + 3 + 6 + 9


@pytest.mark.parametrize(
    ("element", "lower", "upper", "flag", "count"),
    [
        ("i32", 5, 5, "", 0),
        ("i32", 5, 3, "", 0),
        ("i32", -2, 1, "", 3),
        ("i32", -2, 1, " unsigned", 0),
        ("i32", 2**31 - 3, 2**31 - 1, "", 2),
        ("i8", 120, 127, "", 7),
        ("i8", 126, -126, " unsigned", 4),
        ("i64", 2**62, 2**62 + 2, "", 2),
    ],
)
def test_for_bounds(element: str, lower: int, upper: int, flag: str, count: int) -> None:
    body = f"""
      %lb = constant <{element}: {lower}> : tile<{element}>
      %ub = constant <{element}: {upper}> : tile<{element}>
      %step = constant <{element}: 1> : tile<{element}>
      %out0 = for{flag} %i in (%lb to %ub, step %step) : tile<{element}>
          iter_values(%s = %c0) -> (tile<i32>) {{
        %t = addi %s, %c1 : tile<i32>
        continue %t : tile<i32>
      }}
    """
    assert _result(body) == count


def test_continue_from_a_branch() -> None:
    body = """
      %out0 = for %i in (%c0 to %c10, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
        %small = cmpi less_than %i, %c3, signed : tile<i32> -> tile<i1>
        if %small {
          continue %s : tile<i32>
        }
        %t = addi %s, %i : tile<i32>
        continue %t : tile<i32>
      }
    """
    assert _result(body) == sum(range(3, 10))


def test_loop_breaks_with_another_type() -> None:
    body = """
      %f = loop iter_values(%n = %c0) : tile<i32> -> tile<f32> {
        %done = cmpi equal %n, %c10, signed : tile<i32> -> tile<i1>
        if %done {
          %twice = addi %n, %n : tile<i32>
          %x = itof %twice signed : tile<i32> -> tile<f32>
          break %x : tile<f32>
        }
        %m = addi %n, %c1 : tile<i32>
        continue %m : tile<i32>
      }
      %out0 = ftoi %f signed : tile<f32> -> tile<i32>
    """
    assert _result(body) == 20


def test_break_leaves_the_innermost_loop_only() -> None:
    body = """
      %out0 = for %i in (%c0 to %c3, step %c1) : tile<i32> iter_values(%s = %c0) -> (tile<i32>) {
        %inner = loop iter_values(%n = %s) : tile<i32> -> tile<i32> {
          %m = addi %n, %c1 : tile<i32>
          %odd = cmpi greater_than %m, %i, signed : tile<i32> -> tile<i1>
          if %odd {
            %yes = cmpi greater_than %m, %c1, signed : tile<i32> -> tile<i1>
            if %yes {
              break %m : tile<i32>
            }
          }
          continue %m : tile<i32>
        }
        continue %inner : tile<i32>
      }
    """
    expected = 0
    for i in range(3):
        while True:
            expected += 1
            if expected > i and expected > 1:
                break
    assert _result(body) == expected


def test_if_yields() -> None:
    body = """
      %less = cmpi less_than %c1, %c3, signed : tile<i32> -> tile<i1>
      %a, %b = if %less -> (tile<i32>, tile<i32>) {
        yield %c10, %c3 : tile<i32>, tile<i32>
      } else {
        yield %c0, %c0 : tile<i32>, tile<i32>
      }
      %no = cmpi less_than %c3, %c1, signed : tile<i32> -> tile<i1>
      %c, %d = if %no -> (tile<i32>, tile<i32>) {
        yield %c10, %c3 : tile<i32>, tile<i32>
      } else {
        yield %c1, %c0 : tile<i32>, tile<i32>
      }
      if %no {
        %false = constant <i1: false> : tile<i1>
        assert %false, "not here" : tile<i1>
      }
      %e = subi %a, %b : tile<i32>
      %out0 = subi %e, %c : tile<i32>
    """
    assert _result(body) == 10 - 3 - 1


def test_return_from_a_branch_ends_the_block() -> None:
    module = tools.parse("""
      cuda_tile.module @m {
        entry @k(%p: tile<ptr<i32>>) {
          %x, %y, %z = get_tile_block_id : tile<i32>
          %c1 = constant <i32: 1> : tile<i32>
          %second = cmpi equal %x, %c1, signed : tile<i32> -> tile<i1>
          if %second {
            return
          }
          %q = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
          %t = store_ptr_tko weak %q, %c1 : tile<ptr<i32>>, tile<i32> -> token
          return
        }
      }
    """)
    values = np.zeros(3, np.int32)
    launch(module, "k", (3, 1, 1), [values])
    assert values.tolist() == [1, 0, 1]


def test_endless_loops_and_bad_steps_are_reported() -> None:
    text = "cuda_tile.module @m {{\nentry @k() {{\n{}\nreturn\n}}\n}}"
    module = tools.parse(text.format("loop {\ncontinue\n}"))
    with pytest.raises(InterpreterError) as error:
        launch(module, "k", (1, 1, 1), [], iteration_limit=100)
    assert str(error.value) == (
        "'cuda_tile.loop' in tile block (0, 0, 0): the tile block exceeds 100 loop iterations; "
        "step_limit (--step-limit) sets the limit"
    )
    body = f"{CONSTANTS}\nfor %i in (%c0 to %c10, step %c0) : tile<i32> {{\n}}"
    with pytest.raises(InterpreterError, match="the step must be positive, but is 0"):
        launch(tools.parse(text.format(body)), "k", (1, 1, 1), [])


def test_the_iteration_limit_is_per_block() -> None:
    module = tools.parse(f"""
      cuda_tile.module @m {{
        entry @k() {{
          {CONSTANTS}
          for %i in (%c0 to %c10, step %c1) : tile<i32> {{
          }}
          return
        }}
      }}
    """)
    launch(module, "k", (4, 1, 1), [], iteration_limit=10)


def test_assert_names_the_element() -> None:
    body = """
      %ok = constant <i1: [[true, true], [false, true]]> : tile<2x2xi1>
      assert %ok, "sizes must agree" : tile<2x2xi1>
    """
    with pytest.raises(InterpreterError) as error:
        evaluate(body)
    assert str(error.value) == (
        "'cuda_tile.assert' in tile block (0, 0, 0): "
        "assertion failed for element [1, 0]: sizes must agree"
    )
    with pytest.raises(InterpreterError, match="assertion failed: never"):
        evaluate('%no = constant <i1: false> : tile<i1>\nassert %no, "never" : tile<i1>')
    evaluate('%yes = constant <i1: true> : tile<2xi1>\nassert %yes, "fine" : tile<2xi1>')
