"""When a producer may fill a stage again."""

from itertools import product

import pytest

from tileir_xdsl.interpreters.stages import Pipeline, Stage


@pytest.mark.parametrize("consumers", [1, 2, 3])
def test_a_stage_is_empty_when_all_consumers_have_released_it(consumers: int):
    """Iteration 5 of two stages follows iteration 3 in its stage."""
    for iterations in product((None, 1, 3), repeat=consumers):
        released = {c: iteration for c, iteration in enumerate(iterations) if iteration is not None}
        stages = [Stage(), Stage(committed=3, released=released)]
        pipeline = Pipeline(stages, frozenset(range(consumers)))
        holding = [c for c in range(consumers) if released.get(c) != 3]
        assert pipeline.is_empty(5) == (not holding)
        expected = f"not released by consumers {holding}" if holding else "empty after iteration 3"
        assert pipeline.describe().endswith(expected)


def test_a_stage_that_was_never_filled_is_empty():
    pipeline = Pipeline([Stage(), Stage()], frozenset((0, 1)))
    assert pipeline.is_empty(0) and pipeline.is_empty(1) and not pipeline.is_empty(2)
    pipeline.stages[0].acquired = 0
    assert not pipeline.is_empty(0)
