"""Stages share the shared memory that there is."""

import pytest

from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import MOST_STAGES, stage_counts


@pytest.mark.parametrize(
    ("sizes", "capacity", "most", "counts"),
    [
        ([32], 100, 8, (3,)),
        ([32], 31, 8, None),
        ([1], 1000, 8, (8,)),
        ([1], 1000, 3, (3,)),
        ([40, 10], 100, 8, (2, 2)),
        ([10, 10], 50, 8, (3, 2)),
        ([60, 60], 100, 8, None),
        ([], 0, 8, ()),
    ],
)
def test_counts(sizes: list[int], capacity: int, most: int, counts: tuple[int, ...] | None):
    assert stage_counts(sizes, capacity, most) == counts


def test_some_have_enough_with_fewer():
    assert stage_counts([10, 10], 100, [2, 8]) == (2, 8)


def test_all_memory_is_used_in_turn():
    counts = stage_counts([30, 20], 200)
    assert counts is not None and max(counts) <= MOST_STAGES
    used = 30 * counts[0] + 20 * counts[1]
    assert used <= 200 < used + 20
