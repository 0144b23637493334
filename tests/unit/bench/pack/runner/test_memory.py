"""What arrays of timed problems are filled with."""

import numpy as np
import pytest

from bench.pack.runner.checks import filled_with
from bench.pack.runner.memory import PATTERN_ELEMENTS, Filled, pattern_of


def test_a_run_of_a_pattern_wraps_around() -> None:
    filled = Filled(np.arange(7), "int32", (5, 10))
    for start, count in ((0, 7), (3, 4), (5, 30), (48, 2)):
        assert (filled.run(start, count) == filled.take(start + np.arange(count))).all()


@pytest.mark.parametrize(
    ("recipe", "length"),
    [({}, 1), ({"normal": 1.0}, PATTERN_ELEMENTS), ({"normal": 1.0, "period": 96}, 96)],
)
def test_patterns_are_short(recipe: dict[str, float], length: int) -> None:
    fill = {**recipe, "dtype": "float32", "elements": 1 << 21}
    assert len(pattern_of(fill, np.random.default_rng(0))) == length


def test_groups_come_in_order() -> None:
    fill = {"sorted": 8, "dtype": "int32", "elements": 128}
    groups = pattern_of(fill, np.random.default_rng(0))
    assert (np.diff(groups) >= 0).all()
    assert set(groups) <= set(range(8))


def test_what_follows_from_others_is_made_last() -> None:
    """Attention over one head: the logarithms come before the arrays that they follow from."""
    shapes = [("float32", (2, 8)), *[("bfloat16", (2, 8, 16))] * 2]
    recipes = [{"derived": "attention_logs"}, *[{"normal": 1.0, "period": 128}] * 2]
    numbers = (1, 2, 0)
    item = {
        "regions": [
            {"fill": {**recipe, "dtype": dtype, "elements": int(np.prod(shape))}}
            for (dtype, shape), recipe in zip(shapes, recipes, strict=True)
        ],
        "arrays": [
            {"region": n, "dtype": shapes[n][0], "shape": list(shapes[n][1])} for n in numbers
        ],
        "settings": {"scale": 0.5, "causal": False},
    }
    q, k, log = filled_with(item, np.random.default_rng(0))
    assert q is not None
    assert k is not None
    assert log is not None
    x, y = ((each.run(0, 128).astype(np.uint32) << 16).view(np.float32) for each in (q, k))
    scores = 0.5 * x.reshape(8, 16) @ y.reshape(8, 16).T
    expected = np.logaddexp2.reduce(scores, axis=1)
    assert (abs(log.run(8, 8) - expected) <= 1e-5 * abs(expected)).all()
