"""Failing modules become small by their structure and their numbers, too."""

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.testing import parse, to_text
from tileir_xdsl.testing.reproducers.numbers import smaller_numbers, smaller_ranks, without_padding
from tileir_xdsl.testing.reproducers.structure import (
    with_fewer_carried_values,
    with_fewer_operands,
    without_layers,
)

LOOP = """
cuda_tile.module @m {
entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %zero = constant <i32: 0> : tile<i32>
  %end = constant <i32: 24> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %x = constant <f32: 2.0> : tile<64xf32>
  %a, %b = for %i in (%zero to %end, step %one) : tile<i32>
    iter_values(%c = %x, %d = %zero) -> (tile<64xf32>, tile<i32>) {
    %s = mulf %c, %c : tile<64xf32>
    %t = addi %d, %one : tile<i32>
    continue %s, %t : tile<64xf32>, tile<i32>
  }
}
}
""".replace("  }\n}\n}\n", "  }\n  return\n}\n}\n")

ACCESS = """
cuda_tile.module @m {
entry @k(%p: tile<ptr<f32>>) {
  %start = make_token : token
  %yes = constant <i1: 1> : tile<i1>
  %one = constant <f32: 1.0> : tile<f32>
  %x, %t = load_ptr_tko weak %p, %yes, %one token=%start : tile<ptr<f32>>, tile<i1>, tile<f32> -> tile<f32>, token
  %u = join_tokens %start, %t, %start : token
  return
}
}
"""

AGENTS = """
builtin.module {
builtin.module @m {
nv_tileaa.func @k() attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false} {
    %0 = arith.constant 1 : i32
    nv_tileas.async.pipeline.yield
  }, {
    %1 = arith.constant 2 : i32
    nv_tileas.async.pipeline.yield
  }
  nv_tileaa.return
}
}
}
"""

Part = Callable[[ModuleOp, Callable[[ModuleOp], bool]], ModuleOp]


def small(part: Part, text: str, *needed: str) -> str:
    """The text that is left where all of what is needed must be in it."""
    module = parse(text)
    return to_text(part(module, lambda smaller: all(n in to_text(smaller) for n in needed)))


def test_a_loop_carries_what_is_needed():
    text = small(with_fewer_carried_values, LOOP, "cuda_tile.for", "addi %d")
    assert "%d = %zero" in text
    assert "%c" not in text


def test_operands_that_are_not_needed_go():
    text = small(with_fewer_operands, ACCESS, "load_ptr_tko", "join_tokens")
    assert "load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token" in text
    assert text.count("%start") == 1 + text.count("join_tokens %start")


def test_an_operand_that_is_needed_stays():
    text = small(with_fewer_operands, ACCESS, "load_ptr_tko", "token=%start")
    assert "load_ptr_tko weak %p token=%start" in text


@pytest.mark.parametrize(("kept", "gone"), [("1 : i32", "2 : i32"), ("2 : i32", "constant 1")])
def test_one_agent_is_left(kept: str, gone: str):
    text = small(without_layers, AGENTS, f"arith.constant {kept}")
    assert "agent_switch" not in text
    assert gone not in text
    assert text.count("builtin.module") == 1


def test_tiles_become_numbers():
    assert "64x" not in small(smaller_ranks, LOOP, "mulf")


def test_numbers_become_small():
    text = small(smaller_numbers, LOOP, "tile<64xf32>", "cuda_tile.for")
    assert "<i32: 24>" not in text
    assert "tile<64xf32>" in text


WHILE = """
builtin.module {
nv_tileaa.func @k(%x: i32) attributes {nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %a = scf.while (%b = %x) : (i32) -> i32 {
    %c = arith.constant false
    scf.condition(%c) %b : i32
  } do {
  ^bb0(%d: i32):
    scf.yield %d : i32
  }
  nv_tileaa.return
}
}
"""


def test_a_while_keeps_its_initial_values():
    assert "scf.while" in small(with_fewer_operands, WHILE, "scf.while")


VIEW = """
cuda_tile.module @m {
entry @k(%p: tile<ptr<f32>>) {
  %v = make_tensor_view %p, shape = [8], strides = [1] : tensor_view<8xf32, strides=[1]>
  %t = make_partition_view %v : partition_view<tile=(4), padding_value = nan, tensor_view<8xf32, strides=[1]>>
  return
}
}
"""


def test_views_lose_their_padding():
    assert "padding_value" not in small(without_padding, VIEW, "make_partition_view")
