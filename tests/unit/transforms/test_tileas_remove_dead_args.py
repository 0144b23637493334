"""Dead positions of every op with regions, and positions that only look dead."""

import json
from pathlib import Path

import pytest

from tileir_xdsl.testing import tools

VALUES = """
%c0, %c1, %n, %flag = "test.op"() : () -> (index, index, index, i1)
%x, %y = "test.op"() : () -> (f32, i32)
"""

REMOVED = {
    "an unused argument, whatever is yielded there": (
        """
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, i32) {
          %b2 = "test.op"() : () -> i32
          scf.yield %a, %b2 : f32, i32
        }
        "test.op"(%r#0) : (f32) -> ()
        """,
        """
        // CHECK: %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
        // CHECK: scf.yield %a : f32
        """,
    ),
    "all that a loop carries": (
        """
        scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          "test.op"(%i) : (index) -> ()
          scf.yield %a : f32
        }
        """,
        """
        // CHECK: scf.for %i = %c0 to %n step %c1 {
        // CHECK-NEXT: "test.op"(%i) : (index) -> ()
        // CHECK-NEXT: }
        """,
    ),
    "what an outer loop carries for an inner one": (
        """
        scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          %s = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a) -> (f32) {
            scf.yield %b : f32
          }
          "test.op"(%i) : (index) -> ()
          scf.yield %a : f32
        }
        """,
        """
        // CHECK: scf.for %i = %c0 to %n step %c1 {
        // CHECK-NEXT: scf.for %j = %c0 to %n step %c1 {
        """,
    ),
    "a chain of loops": (
        """
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          scf.yield %a : f32
        }
        %s = scf.for %i = %c0 to %n step %c1 iter_args(%b = %r) -> (f32) {
          scf.yield %b : f32
        }
        """,
        "// CHECK-NOT: iter_args",
    ),
    "results of a branch, from both arms": (
        """
        %r:2 = scf.if %flag -> (f32, i32) {
          scf.yield %x, %y : f32, i32
        } else {
          %z = "test.op"() : () -> f32
          scf.yield %z, %y : f32, i32
        }
        "test.op"(%r#1) : (i32) -> ()
        """,
        """
        // CHECK: %r = scf.if %flag -> (i32) {
        // CHECK-NEXT: scf.yield %y : i32
        // CHECK-NEXT: } else {
        // CHECK-NEXT: %z = "test.op"() : () -> f32
        // CHECK-NEXT: scf.yield %y : i32
        // CHECK: "test.op"(%r) : (i32) -> ()
        """,
    ),
    "a round trip through both regions": (
        """
        %r:2 = scf.while (%a = %x, %b = %y) : (f32, i32) -> (f32, i32) {
          scf.condition(%flag) %a, %b : f32, i32
        } do {
        ^bb0(%a2: f32, %b2: i32):
          scf.yield %a2, %b2 : f32, i32
        }
        "test.op"(%r#1) : (i32) -> ()
        """,
        """
        // CHECK: %r = scf.while (%b = %y) : (i32) -> i32 {
        // CHECK-NEXT: scf.condition(%flag) %b : i32
        // CHECK: ^bb{{.*}}(%b2: i32):
        // CHECK-NEXT: scf.yield %b2 : i32
        """,
    ),
    "what a condition passes on, and what the first region is given": (
        """
        %r:2 = scf.while (%a = %x, %b = %y) : (f32, i32) -> (f32, i32) {
          %z = "test.op"(%b) : (i32) -> f32
          scf.condition(%flag) %z, %b : f32, i32
        } do {
        ^bb0(%a2: f32, %b2: i32):
          "test.op"(%b2) : (i32) -> ()
          scf.yield %x, %b2 : f32, i32
        }
        """,
        """
        // CHECK: scf.while (%b = %y) : (i32) -> i32 {
        // CHECK: scf.condition(%flag) %b : i32
        // CHECK: scf.yield %b2 : i32
        """,
    ),
    "results of a pragma": (
        """
        %r:2 = nv_tileas.pragma : f32, i32 {
          nv_tileas.yield %x, %y : f32, i32
        }
        "test.op"(%r#0) : (f32) -> ()
        """,
        """
        // CHECK: %r = nv_tileas.pragma : f32 {
        // CHECK-NEXT: nv_tileas.yield %x : f32
        """,
    ),
    "operands of agents": (
        """
        nv_tileas.async.pipeline.agent_switch %x, %y {num_agents_per_group = 1 : i32} : (f32, i32) {
        ^bb0(%a: f32, %b: i32):
          "test.op"(%b) : (i32) -> ()
          nv_tileas.async.pipeline.yield
        }, {
        ^bb0(%a: f32, %b: i32):
          nv_tileas.async.pipeline.yield
        }
        """,
        """
        // CHECK: agent_switch %y {num_agents_per_group = 1 : i32{{.*}}} : (i32) {
        // CHECK: ^bb{{.*}}(%b : i32):
        // CHECK: ^bb{{.*}}(%{{.*}} : i32):
        """,
    ),
    "values of a stage": (
        """
        %c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
        %d, %v, %w = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [f32]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>) -> (!nv_tileas.async.pipeline.consumer_token, f32, f32) {
        ^bb0(%s: f32):
          nv_tileas.async.pipeline.yield %s, %x : f32, f32
        }
        "test.op"(%d, %w) : (!nv_tileas.async.pipeline.consumer_token, f32) -> ()
        """,
        """
        // CHECK: %d, %w = nv_tileas.async.pipeline.consume_one %c, %i {
        // CHECK: nv_tileas.async.pipeline.yield %x : f32
        """,
    ),
    "all values of a stage, which then is yielded itself": (
        """
        %c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
        %d, %v = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [f32]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>) -> (!nv_tileas.async.pipeline.consumer_token, f32) {
        ^bb0(%s: f32):
          nv_tileas.async.pipeline.yield %x : f32
        }
        "test.op"(%d) : (!nv_tileas.async.pipeline.consumer_token) -> ()
        """,
        "// CHECK: nv_tileas.async.pipeline.yield %s : f32",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REMOVED)
def test_dead_positions_go(case: str):
    text, checks = REMOVED[case]
    module = tools.run_passes(tools.parse(VALUES + text), "tileas-remove-dead-args")
    tools.check(tools.to_text(module), checks)


KEPT = {
    "a result with a user": """
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          scf.yield %a : f32
        }
        "test.op"(%r) : (f32) -> ()
        """,
    "an argument with a user": """
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
          "test.op"(%a) : (f32) -> ()
          scf.yield %a : f32
        }
        """,
    "a cycle through two positions": """
        %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (f32, f32) {
          scf.yield %b, %a : f32, f32
        }
        """,
    "the one value of a stage that is given as something else": """
        %c, %i = "test.op"() : () -> (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>)
        %d, %v = nv_tileas.async.pipeline.consume_one %c, %i {consumer_idx = 0 : i32, consumer_types = [f32]} : (!nv_tileas.async.pipeline.consumer_token, !nv_tileas.async.pipeline.iterator<f32>) -> (!nv_tileas.async.pipeline.consumer_token, f32) {
        ^bb0(%s: !nv_tileas.async.pipeline.iterator<f32>):
          nv_tileas.async.pipeline.yield %x : f32
        }
        "test.op"(%d) : (!nv_tileas.async.pipeline.consumer_token) -> ()
        """,
    "an argument that the condition looks at": """
        scf.while (%f = %flag) : (i1) -> i1 {
          scf.condition(%f) %f : i1
        } do {
        ^bb0(%g: i1):
          %h = "test.op"() : () -> i1
          scf.yield %h : i1
        }
        """,
}


def test_positions_that_feed_something_stay():
    for name in (
        "a result with a user",
        "an argument with a user",
        "a cycle through two positions",
        "the one value of a stage that is given as something else",
    ):
        module = tools.parse(VALUES + KEPT[name])
        before = tools.to_text(module)
        assert tools.to_text(tools.run_passes(module, "tileas-remove-dead-args")) == before


def test_the_body_of_a_while_loses_what_only_the_condition_needs():
    text = KEPT["an argument that the condition looks at"]
    module = tools.run_passes(tools.parse(VALUES + text), "tileas-remove-dead-args")
    tools.check(
        tools.to_text(module),
        """
        // CHECK: scf.while (%f = %flag) : (i1) -> () {
        // CHECK-NEXT: scf.condition(%f)
        // CHECK: scf.yield %h : i1
        """,
    )


def test_attributes_and_names_stay():
    text = """
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, i32) {
      scf.yield %a, %b : f32, i32
    } {sliceCount = 2 : i32}
    "test.op"(%r#0) : (f32) -> ()
    """
    module = tools.run_passes(tools.parse(VALUES + text), "tileas-remove-dead-args")
    tools.check(
        tools.to_text(module),
        """
        // CHECK: %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) ->
        // CHECK: } {sliceCount = 2 : i32}
        // CHECK: "test.op"(%r) : (f32) -> ()
        """,
    )


def test_the_report_names_what_was_removed(tmp_path: Path):
    text, _ = REMOVED["an unused argument, whatever is yielded there"]
    path = tmp_path / "report.json"
    tools.run_passes(tools.parse(VALUES + text), f'tileas-remove-dead-args{{explain="{path}"}}')
    (decision,) = json.loads(path.read_text())["functions"]["module"]
    assert decision == {"op": "#2 scf.for %r %r", "removed": ["argument %b"]}
