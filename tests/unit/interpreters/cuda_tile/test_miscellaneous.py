"""Global variables, allocations, printing, assumptions."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.testing import tools

COUNTER = """
cuda_tile.module @m {
  global @counter alignment = 128 <i32: [10, 20]> : tile<2xi32>
  global constant @table <f32: [1.5, 2.5]> : tile<2xf32>
  entry @count(%p: tile<ptr<i32>>) {
    %g = get_global @counter : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %old, %t = atomic_rmw_tko relaxed device %g, add, %one
      : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %x, %y, %z = get_tile_block_id : tile<i32>
    %q = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %u = store_ptr_tko weak %q, %old : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @overwrite() {
    %g = get_global @table : tile<ptr<f32>>
    %one = constant <f32: 1.0> : tile<f32>
    %u = store_ptr_tko weak %g, %one : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @beyond() {
    %g = get_global @table : tile<ptr<f32>>
    %two = constant <i32: 2> : tile<i32>
    %q = offset %g, %two : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    return
  }
}
"""


def test_globals_live_through_a_launch() -> None:
    module = tools.parse(COUNTER)
    for _ in range(2):
        values = np.zeros(4, np.int32)
        launch(module, "count", (4, 1, 1), [values])
        assert values.tolist() == [10, 11, 12, 13]


def test_globals_are_bounded_and_may_be_constant() -> None:
    module = tools.parse(COUNTER)
    with pytest.raises(InterpreterError, match="byte 0 of global @table, which is read-only"):
        launch(module, "overwrite", (1, 1, 1), [])
    with pytest.raises(InterpreterError, match="byte 8 of global @table, which has 8 bytes"):
        launch(module, "beyond", (1, 1, 1), [])


def test_allocations_are_private_to_a_block() -> None:
    body = """
      %p = alloca num_elem = 4, alignment = 16 : tile<ptr<f32>>
      %one = constant <f32: 1.0> : tile<f32>
      %t = store_ptr_tko weak %p, %one : tile<ptr<f32>>, tile<f32> -> token
      %out0, %u = load_ptr_tko weak %p token=%t : tile<ptr<f32>> -> tile<f32>, token
      %c3 = constant <i32: 3> : tile<i32>
      %q = offset %p, %c3 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
      %out1, %v = load_ptr_tko weak %q token=%t : tile<ptr<f32>> -> tile<f32>, token
    """
    written, unwritten = evaluate(body, [], ["f32", "f32"])
    assert written.item() == 1 and np.isnan(unwritten.item())
    beyond = body.replace("<i32: 3>", "<i32: 4>")
    with pytest.raises(InterpreterError, match=r"byte 16 of an allocation .* 16 bytes"):
        evaluate(beyond, [], ["f32", "f32"])


def _printed(body: str) -> str:
    module = tools.parse(f"cuda_tile.module @m {{\nentry @k() {{\n{body}\nreturn\n}}\n}}")
    output = io.StringIO()
    launch(module, "k", (2, 1, 1), [], output=output)
    return output.getvalue()


def test_print() -> None:
    text = _printed("""
      %x, %y, %z = get_tile_block_id : tile<i32>
      %a = constant <i32: [[1, -2], [3, 4]]> : tile<2x2xi32>
      %b = constant <f32: 1.5> : tile<f32>
      %t = print_tko "%d: %i 100%% %+08.3f\\n", %x, %a, %b
        : tile<i32>, tile<2x2xi32>, tile<f32> -> token
    """)
    assert text == "".join(f"{x}: [[1, -2], [3, 4]] 100% +001.500\n" for x in range(2))


def test_print_conversions() -> None:
    text = _printed("""
      %n = constant <i8: -1> : tile<i8>
      %w = constant <i64: -1> : tile<i64>
      %f = constant <f64: 0.1> : tile<f64>
      %h = constant <f16: 2.0> : tile<f16>
      %b = constant <i1: true> : tile<i1>
      %c = constant <i32: 65> : tile<i32>
      %t = print_tko "%d %u %x %lld %5.1e %g %d %c|", %n, %n, %n, %w, %f, %h, %b, %c
        : tile<i8>, tile<i8>, tile<i8>, tile<i64>, tile<f64>, tile<f16>, tile<i1>, tile<i32>
        -> token
    """)
    assert text == "-1 255 ff -1 1.0e-01 2 1 A|" * 2


def test_assume_passes_its_value() -> None:
    body = "%out0 = assume bounded<0, ?>, %in0 : tile<4xi32>"
    values = np.arange(4, dtype=np.int32)
    assert evaluate(body, [("4xi32", values)], ["4xi32"])[0].tolist() == [0, 1, 2, 3]
