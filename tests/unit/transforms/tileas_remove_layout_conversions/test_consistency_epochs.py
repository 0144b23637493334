"""Epochs: what lies between two fences, waits or handshakes."""

import pytest

from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_remove_layout_conversions.consistency_epochs import number_epochs

FENCE = "nv_tileas.fence acq_rel gpu"
PRODUCER = "!nv_tileas.async.pipeline.producer_token"
ITERATOR = "!nv_tileas.async.pipeline.iterator<f32>"


def epochs_of(text: str) -> list[int]:
    """The epochs of the uses of all `test.op`, in the order of the program."""
    module = tools.parse(text)
    epochs = number_epochs(module)
    return [epochs.of_use(op) for op in module.walk() if op.name == "test.op"]


def test_a_function_without_fences_is_one_epoch():
    assert epochs_of('"test.op"() : () -> ()\n"test.op"() : () -> ()') == [0, 0]


def test_a_fence_ends_an_epoch():
    before, same, after = epochs_of(
        f'"test.op"() : () -> ()\n"test.op"() : () -> ()\n{FENCE}\n"test.op"() : () -> ()'
    )
    assert before == same < after


def test_so_does_a_wait():
    before, after = epochs_of(
        """
        %w = "test.op"() : () -> !nv_tileas.async_token
        nv_tileas.async.wait %w : !nv_tileas.async_token
        "test.op"() : () -> ()
        """
    )
    assert before < after


@pytest.mark.parametrize(("stages", "divides"), [(1, False), (2, True)])
def test_a_handshake_does_if_there_are_several_stages(stages: int, divides: bool):
    _, before, after = epochs_of(
        f"""
        %v = "test.op"() : () -> tensor<{stages}x1xf32>
        %p, %c = nv_tileas.async.pipeline.create_pipeline %v {{numStages = {stages} : i32,
            producerGroupId = 0 : i8, consumerGroupId = 1 : i8}}
            : tensor<{stages}x1xf32> -> {PRODUCER}, !nv_tileas.async.pipeline.consumer_token
        %i = "test.op"() : () -> {ITERATOR}
        %p1 = nv_tileas.async.pipeline.producer_acquire %p, %i : {PRODUCER}, {ITERATOR} -> {PRODUCER}
        "test.op"() : () -> ()
        """
    )
    assert (before < after) == divides


def test_a_loop_around_a_fence_begins_and_ends_epochs():
    outside, first, second, after = epochs_of(
        f"""
        %c0, %c1, %n = "test.op"() : () -> (index, index, index)
        scf.for %i = %c0 to %n step %c1 {{
          "test.op"() : () -> ()
          {FENCE}
          "test.op"() : () -> ()
        }}
        "test.op"() : () -> ()
        """
    )
    assert outside < first < second < after


def test_arms_of_a_branch_with_a_fence_are_epochs_of_their_own():
    outside, first, second, after = epochs_of(
        f"""
        %flag = "test.op"() : () -> i1
        scf.if %flag {{
          "test.op"() : () -> ()
        }} else {{
          "test.op"() : () -> ()
          {FENCE}
        }}
        "test.op"() : () -> ()
        """
    )
    assert outside < first < second < after


def test_values_are_made_behind_the_fences_of_their_op():
    module = tools.parse(
        f"""
        %flag = "test.op"() : () -> i1
        %r = scf.if %flag -> (i1) {{
          {FENCE}
          scf.yield %flag : i1
        }} else {{
          scf.yield %flag : i1
        }}
        """
    )
    epochs = number_epochs(module)
    flag, branch = module.body.block.ops
    assert epochs.of_use(branch) == epochs.of_value(flag.results[0])
    assert epochs.of_value(branch.results[0]) > epochs.of_use(branch)
