"""Iteration spaces fall into consecutive parts of almost equal size, and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tileir_xdsl.transforms.tileas_slicing.partition import Range, partition, slice_ranges


@pytest.mark.parametrize(
    ("trips", "count", "starts"),
    [
        (64, 2, (0, 32, 64)),
        (10, 4, (0, 3, 6, 8, 10)),
        (5, 5, (0, 1, 2, 3, 4, 5)),
        (2, 4, (0, 1, 2, 2, 2)),
        (0, 3, (0, 0, 0, 0)),
    ],
)
def test_the_first_parts_get_one_more(trips: int, count: int, starts: tuple[int, ...]):
    assert partition(trips, count) == starts


@given(st.integers(-40, 40), st.integers(-40, 40), st.integers(1, 9), st.integers(1, 9))
def test_slices_are_the_space(lower: int, upper: int, step: int, count: int):
    space = Range(lower, upper, step)
    assert space.trips == len(range(lower, upper, step))
    slices = slice_ranges(space, count)
    numbers = [n for part in slices for n in range(part.lower, part.upper, part.step)]
    assert numbers == list(range(lower, upper, step))
    trips = [part.trips for part in slices]
    assert max(trips) - min(trips) <= 1 and trips == sorted(trips, reverse=True)
