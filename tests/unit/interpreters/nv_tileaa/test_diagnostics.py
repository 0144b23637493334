"""Output, assertions, and ops that mean nothing at run time."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.testing import tools

SPEC = "attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}"


def test_print() -> None:
    text = f"""
    builtin.module {{
      nv_tileaa.func @k(%x: i32) {SPEC} {{
        %tile = nv_tileaa.splat %x : i32 -> tensor<2xi32>
        %t = nv_tileaa.print "x = %d, tile %i\\n", %x, %tile : i32, tensor<2xi32>
          -> !nv_tileaa.mem_token
        nv_tileaa.return
      }}
    }}
    """
    output = io.StringIO()
    launch(tools.parse(text), "k", (1, 1, 1), [5], output=output)
    assert output.getvalue() == "x = 5, tile [5, 5]\n"


def test_assert() -> None:
    body = 'nv_tileaa.assert %in0, "less" : tensor<4xi1>'
    evaluate(body, [("4xi1", np.ones(4, np.uint8))])
    with pytest.raises(InterpreterError, match=r"assertion failed for element \[2\]: less"):
        evaluate(body, [("4xi1", np.array([1, 1, 0, 1], np.uint8))])


def test_hints_change_nothing() -> None:
    body = """
      nv_tileaa.message "only for the compiler"
      %assumed = nv_tileaa.assume #nv_tileaa.div_by<4>, %in0 : i32
      %same, %again = nv_tileaa.optimization_barrier %assumed, %in0 : i32, i32 -> i32, i32
      %out0 = nv_tileaa.pragma : i32 {
        %sum = arith.addi %same, %again : i32
        nv_tileaa.yield %sum : i32
      }
      %queue = nv_tileaa.create_queue {stages = 1 : i32} : !nv_tileaa.queue<i32>
      nv_tileaa.mark_for_reuse %queue : !nv_tileaa.queue<i32>
    """
    (result,) = evaluate(body, [("i32", np.int32(8))], ["i32"])
    assert result.item() == 16


@pytest.mark.parametrize("step", [0, -1])
def test_a_loop_goes_forward(step: int) -> None:
    body = f"""
      %step = arith.constant {step} : i32
      scf.for %i = %zero to %in0 step %step : i32 {{
        scf.yield
      }}
    """
    with pytest.raises(InterpreterError, match=f"the step must be positive, but is {step}"):
        evaluate(body, [("i32", np.int32(3))])
