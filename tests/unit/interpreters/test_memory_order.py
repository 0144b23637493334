"""Random orders of memory operations: what tokens order, and what they leave open."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.memory_order import RandomOrder
from tileir_xdsl.testing import tools

# Stores 1, loads, stores 2, and copies what was loaded to the second element.
ACCESSES = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>) {
    %one = constant <i32: 1> : tile<i32>
    %two = constant <i32: 2> : tile<i32>
    %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %t0 = make_token : token
    %t1 = store_ptr_tko weak %p, %one token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    %v, %t2 = load_ptr_tko weak %p token=BEFORE_LOAD : tile<ptr<i32>> -> tile<i32>, token
    %t3 = store_ptr_tko weak %p, %two token=BEFORE_STORE : tile<ptr<i32>>, tile<i32> -> token
    %t4 = store_ptr_tko weak %q, %v token=%t0 : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""


def _outcomes(before_load: str, before_store: str) -> set[tuple[int, ...]]:
    text = ACCESSES.replace("BEFORE_LOAD", before_load).replace("BEFORE_STORE", before_store)
    module = tools.parse(text)
    outcomes: set[tuple[int, ...]] = set()
    for seed in range(40):
        values = np.zeros(2, np.int32)
        launch(module, "k", (1, 1, 1), [values], memory_order=RandomOrder(seed))
        outcomes.add(tuple(values.tolist()))
    return outcomes


def test_a_chain_of_tokens_has_one_outcome() -> None:
    assert _outcomes("%t1", "%t2") == {(2, 1)}


def test_a_missing_token_shows() -> None:
    assert _outcomes("%t0", "%t2") == {(1, 0), (2, 0), (2, 1)}
    assert _outcomes("%t1", "%t1") == {(2, 1), (2, 2)}
    assert (0, 0) not in _outcomes("%t0", "%t0")


def test_the_same_seed_gives_the_same_order() -> None:
    module = tools.parse(ACCESSES.replace("BEFORE_LOAD", "%t0").replace("BEFORE_STORE", "%t0"))
    for seed in range(5):
        results: list[list[int]] = []
        for _ in range(2):
            values = np.zeros(2, np.int32)
            launch(module, "k", (1, 1, 1), [values], memory_order=RandomOrder(seed))
            results.append(values.tolist())
        assert results[0] == results[1]


@pytest.mark.parametrize("join", ["join_tokens %t1, %t2", "token.join [%t1, %t2]"])
def test_joined_tokens_wait_for_all(join: str) -> None:
    text = """
      cuda_tile.module @m {
        entry @k(%p: tile<ptr<i32>>) {
          %one = constant <i32: 1> : tile<i32>
          %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
          %t1 = store_ptr_tko weak %p, %one : tile<ptr<i32>>, tile<i32> -> token
          %t2 = store_ptr_tko weak %q, %one : tile<ptr<i32>>, tile<i32> -> token
          %t3 = JOIN : token
          %v, %t4 = load_ptr_tko weak %p token=%t3 : tile<ptr<i32>> -> tile<i32>, token
          %w, %t5 = load_ptr_tko weak %q token=%t3 : tile<ptr<i32>> -> tile<i32>, token
          %s = addi %v, %w : tile<i32>
          %c2 = constant <i32: 2> : tile<i32>
          %ok = cmpi equal %s, %c2, signed : tile<i32> -> tile<i1>
          if %ok {
            %t6 = print_tko "%d", %s : tile<i32> -> token
          }
          return
        }
      }
    """
    module = tools.parse(text.replace("JOIN", join))
    for seed in range(20):
        output = io.StringIO()
        values = np.zeros(2, np.int32)
        order = RandomOrder(seed)
        launch(module, "k", (1, 1, 1), [values], memory_order=order, output=output)
        assert output.getvalue() == "2"


def test_a_late_access_is_reported_as_itself() -> None:
    module = tools.parse("""
      cuda_tile.module @m {
        entry @k(%p: tile<ptr<i32>>) {
          %one = constant <i32: 1> : tile<i32>
          %q = offset %p, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
          %t1 = store_ptr_tko weak %q, %one : tile<ptr<i32>>, tile<i32> -> token
          return
        }
      }
    """)
    with pytest.raises(InterpreterError, match=r"^'cuda_tile.store_ptr_tko' in tile block"):
        launch(module, "k", (1, 1, 1), [np.zeros(1, np.int32)], memory_order=RandomOrder())
