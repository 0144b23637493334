"""Arrays of a launch in the memory of the interpreter: in place, and named by position."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import i32

from tileir_xdsl.dialects.cuda_tile import PointerType, TileType
from tileir_xdsl.interpreters.address_space import PAGE, AddressSpace
from tileir_xdsl.interpreters.arguments import bind_arguments
from tileir_xdsl.interpreters.element_types import pointee_of

ARRAY = TileType([], PointerType(i32))


def name(positions: list[int]) -> str:
    words = ", ".join(map(str, positions))
    return f"argument {words}" if len(positions) == 1 else f"arguments {words}"


def groups(spans: list[range]) -> list[list[int]]:
    """The positions of spans that are connected by elements that they share."""
    found: list[tuple[list[int], set[int]]] = []
    for position, span in enumerate(spans):
        meeting = [group for group in found if not group[1].isdisjoint(span)]
        found = [group for group in found if group not in meeting]
        positions = sorted([position, *(p for others, _ in meeting for p in others)])
        found.append((positions, set(span).union(*(elements for _, elements in meeting))))
    return sorted(positions for positions, _ in found)


@given(
    st.lists(st.tuples(st.integers(0, 16), st.integers(1, 8)), min_size=1, max_size=5),
    st.booleans(),
)
@example([(0, 8), (10, 8), (4, 8)], False)
@settings(max_examples=40)
def test_arrays_that_overlap_are_one_allocation(spans: list[tuple[int, int]], kept: bool):
    data = np.arange(40, dtype=np.int32)
    arrays = [data[first : first + count] for first, count in spans]
    memory = AddressSpace()
    addresses = bind_arguments(memory, "k", [ARRAY] * len(spans), arrays, kept)
    expected = groups([range(first, first + count) for first, count in spans])
    assert [allocation.name for allocation in memory.allocations] == [name(g) for g in expected]
    element = pointee_of(ARRAY)
    for address, array in zip(addresses, arrays, strict=True):
        assert memory.load(address, element) == array[0]
        memory.store(address, np.array(-1, np.int32), element)
        assert array[0] == -1
        assert not kept or int(address) % PAGE == array.__array_interface__["data"][0] % PAGE
        array[0] = 0


@pytest.mark.parametrize("writable", [(True, True), (True, False), (False, False)])
def test_memory_can_be_written_through_an_array_that_allows_it(writable: tuple[bool, bool]):
    data, memory = np.zeros(4, np.int32), AddressSpace()
    arrays = [data[:], data[:]]
    for array, flag in zip(arrays, writable, strict=True):
        array.flags.writeable = flag
    bind_arguments(memory, "k", [ARRAY] * 2, arrays)
    assert [allocation.writable for allocation in memory.allocations] == [any(writable)]
