"""Layout of the heap."""

import pytest

from tileir_xdsl.emulator.state_spaces import Heap, place


def test_allocations_are_aligned_and_apart():
    first, second, third = place({"a": 100, "b": 0, "c": 64})
    assert all(a.start % 256 == 0 for a in (first, second, third))
    assert second.start - (first.start + first.size) >= 1 << 20
    assert third.start > second.start


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (0, "byte 0 of a, which has 100 bytes"),
        (100, "byte 100 of a, which has 100 bytes"),
        (-3, "3 bytes before a, which has 100 bytes"),
        (1 << 40, "far from every allocation"),
    ],
)
def test_description_of_an_address(offset: int, text: str):
    heap = Heap(place({"a": 100, "b": 0, "c": 64}))
    assert heap.describe(heap.by_name["a"].address + offset) == text
