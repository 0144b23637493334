"""The address space: what accesses read and write, and which it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from tileir_xdsl.interpreters.address_space import AddressSpace, Bytes, element_addresses
from tileir_xdsl.interpreters.errors import MemoryAccessError
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array

F32, I1, I64 = ELEMENTS["f32"], ELEMENTS["i1"], ELEMENTS["i64"]


def _bytes(values: Array) -> Bytes:
    return values.reshape(-1).view(np.uint8)


def _space(*arrays: Array) -> tuple[AddressSpace, list[int]]:
    memory = AddressSpace()
    return memory, [memory.allocate(f"array {i}", _bytes(a)) for i, a in enumerate(arrays)]


def _addresses(base: int, offsets: list[int]) -> Array:
    return element_addresses(np.array(base), np.array(offsets), F32)


def test_loads_and_stores_by_address() -> None:
    values = np.arange(8, dtype=np.float32)
    memory, (base,) = _space(values)
    assert memory.load(_addresses(base, [7, 0, 0]), F32).tolist() == [7, 0, 0]
    memory.store(_addresses(base, [1, 3, 1]), np.array([10, 30, 11], np.float32), F32)
    assert values.tolist() == [0, 11, 2, 30, 4, 5, 6, 7]


def test_masked_elements_are_not_touched() -> None:
    values = np.arange(4, dtype=np.float32)
    memory, (base,) = _space(values)
    addresses, mask = _addresses(base, [-5, 1, 400, 3]), np.array([False, True, False, True])
    assert memory.load(addresses, F32, mask).tolist() == [0, 1, 0, 3]
    memory.store(addresses, np.full(4, 9, np.float32), F32, mask)
    assert values.tolist() == [0, 9, 2, 9]
    assert memory.load(addresses, F32, np.zeros(4, np.bool_)).tolist() == [0] * 4


def test_one_tile_may_touch_several_allocations() -> None:
    a, b = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    memory, (first, second) = _space(a, b)
    addresses = np.array([[second, first], [first + 4, second + 4]])
    assert memory.load(addresses, F32).tolist() == [[3, 1], [2, 4]]
    memory.store(addresses, np.array([[5, 6], [7, 8]], np.float32), F32)
    assert a.tolist() == [6, 7] and b.tolist() == [5, 8]


@pytest.mark.parametrize(
    ("offsets", "index", "reason"),
    [
        ([0, 4, 1], 1, "byte 16 of array 0, which has 16 bytes"),
        ([0, 1, -1], 2, "in no allocation"),
        ([1 << 60, 0, 0], 0, "in no allocation"),
    ],
)
def test_out_of_bounds_names_the_element(offsets: list[int], index: int, reason: str) -> None:
    values = np.arange(4, dtype=np.float32)
    memory, (base,) = _space(values)
    addresses = _addresses(base, offsets)
    for access in (
        lambda: memory.load(addresses, F32),
        lambda: memory.store(addresses, np.zeros(3, np.float32), F32),
    ):
        with pytest.raises(MemoryAccessError, match=reason) as error:
            access()
        assert error.value.index == (index,)
    assert values.tolist() == [0, 1, 2, 3]


def test_misaligned_and_read_only_accesses_are_refused() -> None:
    memory, (base,) = _space(np.zeros(4, np.float32))
    with pytest.raises(MemoryAccessError, match="not aligned to 4 bytes"):
        memory.load(np.array([base + 2]), F32)
    with pytest.raises(MemoryAccessError, match="not aligned to 8 bytes"):
        memory.load_box(base + 4, (1,), (1,), I64)
    constant = memory.allocate("constants", _bytes(np.zeros(4, np.float32)), writable=False)
    with pytest.raises(MemoryAccessError, match="of constants, which is read-only"):
        memory.store(np.array([constant]), np.zeros(1, np.float32), F32)
    with pytest.raises(MemoryAccessError, match="of constants, which is read-only"):
        memory.store_box(constant, (1,), np.zeros(1, np.float32), F32)
    assert memory.load_box(constant, (4,), (1,), F32).tolist() == [0] * 4


def test_an_element_across_the_end_is_refused() -> None:
    memory, (base,) = _space(np.zeros(10, np.uint8))
    assert memory.load(np.array([base]), I64).tolist() == [0]
    with pytest.raises(MemoryAccessError, match="byte 8 of array 0, which has 10 bytes"):
        memory.load(np.array([base + 8]), I64)


def test_i1_is_a_byte() -> None:
    values = np.array([0, 1, 2, 255], np.uint8)
    memory, (base,) = _space(values)
    addresses = base + np.arange(4)
    assert memory.load(addresses, I1).tolist() == [False, True, True, True]
    memory.store(addresses, np.array([True, True, False, True]), I1)
    assert values.tolist() == [1, 1, 0, 1]
    assert memory.load_box(base, (2, 2), (1, 2), I1).tolist() == [[True, False], [True, True]]


def test_boxes_follow_strides() -> None:
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    memory, (base,) = _space(values)
    assert (memory.load_box(base + 4, (2, 3), (6, 2), F32) == values[:2, 1::2]).all()
    assert (memory.load_box(base, (6, 4), (1, 6), F32) == values.T).all()
    assert memory.load_box(base + 92, (3,), (-1,), F32).tolist() == [23, 22, 21]
    assert memory.load_box(base, (2, 2), (0, 1), F32).tolist() == [[0, 1], [0, 1]]
    memory.store_box(base, (6, 1), np.full((2, 2), -1, np.float32), F32)
    assert (values[:2, :2] == -1).all() and values[0, 2] == 2 and values[2, 0] == 12


def test_a_loaded_box_is_a_copy() -> None:
    values = np.zeros(4, np.float32)
    memory, (base,) = _space(values)
    box = memory.load_box(base, (4,), (1,), F32)
    values[:] = 1
    assert box.tolist() == [0] * 4


@pytest.mark.parametrize(
    ("base_offset", "shape", "strides", "index"),
    [
        (0, (2, 4), (4, 1), None),
        (4, (2, 4), (4, 1), (1, 3)),
        (0, (3, 2), (4, 1), (2, 0)),
        (8, (2, 2), (-4, 1), (1, 0)),
        (0, (1 << 20,), (1 << 40,), (1,)),
    ],
)
def test_a_box_is_checked_as_a_whole(
    base_offset: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    index: tuple[int, ...] | None,
) -> None:
    memory, (base,) = _space(np.zeros(8, np.float32))
    if index is None:
        memory.load_box(base + base_offset, shape, strides, F32)
        return
    with pytest.raises(MemoryAccessError) as error:
        memory.load_box(base + base_offset, shape, strides, F32)
    assert error.value.index == index


def test_an_empty_box_touches_nothing() -> None:
    memory = AddressSpace()
    assert memory.load_box(0, (0, 4), (4, 1), F32).shape == (0, 4)
    memory.store_box(0, (4, 1), np.zeros((0, 4), np.float32), F32)
    assert memory.load(np.zeros(0, np.int64), F32).shape == (0,)
