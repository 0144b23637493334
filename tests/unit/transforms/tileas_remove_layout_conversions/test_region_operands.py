"""What the operands of region ops and of their terminators become."""

import pytest

from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_remove_layout_conversions.region_operands import (
    forwarded_operands,
)

VALUES = """
%c0, %c1, %n, %flag = "test.op"() : () -> (index, index, index, i1)
%x, %y = "test.op"() : () -> (f32, i32)
"""
CONSUMER = "!nv_tileas.async.pipeline.consumer_token"
ITERATOR = "!nv_tileas.async.pipeline.iterator<f32>"

CASES = {
    "scf.for": (
        """
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          %b = "test.op"() : () -> f32
          scf.yield %b : f32
        }
        """,
        {"x -> a", "b -> a", "b -> r"},
    ),
    "scf.while": (
        """
        %r = scf.while (%a = %x) : (f32) -> i32 {
          scf.condition(%flag) %y : i32
        } do {
        ^bb0(%b: i32):
          %c = "test.op"() : () -> f32
          scf.yield %c : f32
        }
        """,
        {"x -> a", "c -> a", "y -> b", "y -> r"},
    ),
    "scf.if": (
        """
        %r = scf.if %flag -> (f32) {
          scf.yield %x : f32
        } else {
          %b = "test.op"() : () -> f32
          scf.yield %b : f32
        }
        """,
        {"x -> r", "b -> r"},
    ),
    "nv_tileas.pragma": (
        "%r = nv_tileas.pragma : f32 {\n nv_tileas.yield %x : f32\n}",
        {"x -> r"},
    ),
    "nv_tileas.async.pipeline.consume_one": (
        f"""
        %k, %i = "test.op"() : () -> ({CONSUMER}, {ITERATOR})
        %l, %r = nv_tileas.async.pipeline.consume_one %k, %i {{consumer_idx = 0 : i32,
            consumer_types = [f32]}} : ({CONSUMER}, {ITERATOR}) -> ({CONSUMER}, i32) {{
        ^bb0(%s: f32):
          nv_tileas.async.pipeline.yield %y : i32
        }}
        """,
        {"y -> r"},
    ),
    "nv_tileas.async.pipeline.agent_switch": (
        """
        nv_tileas.async.pipeline.agent_switch %x {num_agents_per_group = 1 : i32} : (f32) {
        ^bb0(%a: f32):
          nv_tileas.async.pipeline.yield
        }, {
        ^bb0(%b: f32):
          nv_tileas.async.pipeline.yield
        }
        """,
        {"x -> a", "x -> b"},
    ),
    "test.op": ('"test.op"(%x) : (f32) -> ()', set[str]()),
}


@pytest.mark.parametrize("name", CASES)
def test_operands_and_what_they_become(name: str):
    text, expected = CASES[name]
    module = tools.parse(VALUES + text)
    op = [op for op in module.body.block.ops if op.name == name][-1]
    found = {f"{f.value.name_hint} -> {f.target.name_hint}" for f in forwarded_operands(op)}
    assert found == expected
