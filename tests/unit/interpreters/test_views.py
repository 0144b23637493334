"""Tiles of a tensor against slices of the padded array."""

from __future__ import annotations

import math

import numpy as np
import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX

from tileir_xdsl.interpreters.address_space import AddressSpace
from tileir_xdsl.interpreters.errors import MemoryAccessError
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array
from tileir_xdsl.interpreters.views import (
    Padding,
    TensorView,
    TileView,
    load_tile,
    load_tile_grid,
    store_tile,
    strides_of,
)

F32 = ELEMENTS["f32"]


def _tensor(values: Array, memory: AddressSpace) -> TensorView:
    base = memory.allocate("tensor", values.reshape(-1).view(np.uint8))
    strides = tuple(s // values.itemsize for s in values.strides)
    return TensorView(base, values.shape, strides, F32)


def _indices(*indices: int) -> list[Array]:
    return [np.array(i, np.uint64) for i in indices]


def test_partial_tiles_are_padded_and_only_their_inside_is_stored() -> None:
    values = np.arange(15, dtype=np.float32).reshape(3, 5)
    memory = AddressSpace()
    view = TileView(_tensor(values, memory), (2, 4), (2, 4), ((0,), (1,)), Padding.ZERO)
    assert view.index_space() == (2, 2)
    padded = np.zeros((4, 8), np.float32)
    padded[:3, :5] = values
    for i in range(2):
        for j in range(2):
            tile = load_tile(memory, view, _indices(i, j))
            assert (tile == padded[2 * i : 2 * i + 2, 4 * j : 4 * j + 4]).all()
    store_tile(memory, view, _indices(1, 1), np.full((2, 4), 100, np.float32))
    padded[2:, 4:] = 100
    assert (values == padded[:3, :5]).all()


def _grid_indices(random: np.random.Generator) -> list[Array]:
    """Indices of a tile: each a number, or in equal steps along one of three axes."""
    extents, found = random.integers(1, 4, 3), list[Array]()
    for _ in range(2):
        axis, first, advance = (int(n) for n in random.integers(0, 3, 3))
        shape = [1, 1, 1]
        shape[axis] = int(extents[axis])
        steps = first + advance * np.arange(shape[axis], dtype=np.uint64)
        found.append(steps.reshape(shape) if random.random() < 0.7 else steps[0])
    return found


@pytest.mark.parametrize("seed", range(60))
def test_a_grid_of_tiles_is_each_of_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.arange(24 * 30, dtype=np.float32).reshape(24, 30)
    if seed % 3 == 0:
        values = values.T.copy().T
    memory, dims = AddressSpace(), ((0,), (1,)) if seed % 2 else ((1,), (0,))
    base = memory.allocate("tensor", values.reshape(-1, order="A").view(np.uint8))
    strides = tuple(s // values.itemsize for s in values.strides)
    tensor = TensorView(base, values.shape, strides, F32)
    steps = tuple(int(n) for n in random.integers(1, 4, 2))
    view = TileView(tensor, (2, 4), steps, dims, Padding.ZERO)
    indices = _grid_indices(random)
    outer = np.broadcast_shapes(*(index.shape for index in indices))
    found = load_tile_grid(memory, view, indices)
    assert found is not None and found.shape == (*outer, 2, 4)
    for position in np.ndindex(outer):
        own = [np.broadcast_to(index, outer)[position] for index in indices]
        assert found[position].tolist() == load_tile(memory, view, own).tolist()


@pytest.mark.parametrize(
    ("size", "numbers"),
    [(16, [0, 1, 3]), (16, [0, 2, 1]), (5, [0, 1, 2]), (16, [2**64 - 1]), (16, [2**63])],
)
def test_tiles_that_are_no_box_are_no_grid(size: int, numbers: list[int]) -> None:
    """Unequal steps, and tiles that are not all inside."""
    memory = AddressSpace()
    view = TileView(_tensor(np.arange(size, dtype=np.float32), memory), (2,), (2,), ((0,),))
    index = np.array(numbers, np.uint64).reshape(1, 1, -1)
    assert load_tile_grid(memory, view, [index]) is None


def test_a_grid_of_tiles_beyond_its_allocation_is_refused() -> None:
    memory = AddressSpace()
    base = memory.allocate("tensor", np.zeros(28, np.uint8))
    view = TileView(TensorView(base, (8,), (1,), F32), (2,), (2,), ((0,),))
    inside, all_of_it = (np.arange(n, dtype=np.uint64).reshape(1, 1, n) for n in (3, 4))
    found = load_tile_grid(memory, view, [inside])
    assert found is not None and found.shape == (1, 1, 3, 2)
    with pytest.raises(MemoryAccessError):
        load_tile_grid(memory, view, [all_of_it])


@pytest.mark.parametrize("index", [2, 1000, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
def test_tiles_outside_of_the_tensor(index: int) -> None:
    values = np.arange(7, dtype=np.float32)
    memory = AddressSpace()
    view = TileView(_tensor(values, memory), (4,), (4,), ((0,),), Padding.NEG_INF)
    assert load_tile(memory, view, _indices(index)).tolist() == [-math.inf] * 4
    store_tile(memory, view, _indices(index), np.ones(4, np.float32))
    assert values.tolist() == list(range(7))


def test_elements_of_four_bits() -> None:
    numbers = np.arange(16, dtype=np.uint8)
    data = np.asarray(numbers[0::2] | numbers[1::2] << 4, np.uint8)
    memory, f4 = AddressSpace(), ELEMENTS["f4E2M1FN"]
    base = memory.allocate("tensor", data)
    view = TileView(TensorView(base, (3, 4), (5, 1), f4), (2, 4), (2, 4), ((0,), (1,)))
    inside = numbers[[[0, 1, 2, 3], [5, 6, 7, 8]]]
    assert (load_tile(memory, view, _indices(0, 0)).view(np.uint8) == inside).all()
    row = load_tile(memory, view, _indices(1, 0)).view(np.uint8)
    assert row.tolist() == [[10, 11, 12, 13], [0] * 4]
    store_tile(memory, view, _indices(1, 0), np.full((2, 4), 15, np.uint8).view(f4.dtype))
    changed = np.stack([data & 15, data >> 4], axis=-1).reshape(-1)
    assert changed.tolist() == [*range(10), 15, 15, 15, 15, 14, 15]


def test_padding_values() -> None:
    memory = AddressSpace()
    tensor = _tensor(np.zeros(0, np.float32), memory)
    texts = {
        p: str(load_tile(memory, TileView(tensor, (1,), (1,), ((0,),), p), _indices(0))[0])
        for p in (None, *Padding)
    }
    assert texts == {
        None: "0.0",
        Padding.ZERO: "0.0",
        Padding.NEG_ZERO: "-0.0",
        Padding.NAN: "nan",
        Padding.POS_INF: "inf",
        Padding.NEG_INF: "-inf",
    }


def test_dimensions_may_be_permuted() -> None:
    values = np.arange(32, dtype=np.float32).reshape(4, 8)
    memory = AddressSpace()
    view = TileView(_tensor(values, memory), (4, 2), (4, 2), ((1,), (0,)), Padding.ZERO)
    assert view.index_space() == (2, 2)
    assert (load_tile(memory, view, _indices(1, 0)) == values[:2, 4:].T).all()
    store_tile(memory, view, _indices(0, 1), np.zeros((4, 2), np.float32))
    assert (values[2:, :4] == 0).all() and values[1, 3] == 11 and values[2, 4] == 20


def test_tiles_may_overlap_or_leave_gaps() -> None:
    values = np.arange(10, dtype=np.float32)
    memory = AddressSpace()
    tensor = _tensor(values, memory)
    overlapping = TileView(tensor, (4,), (3,), ((0,),), Padding.ZERO)
    assert overlapping.index_space() == (4,)
    assert load_tile(memory, overlapping, _indices(1)).tolist() == [3, 4, 5, 6]
    assert load_tile(memory, overlapping, _indices(3)).tolist() == [9, 0, 0, 0]
    sparse = TileView(tensor, (2,), (5,), ((0,),), Padding.ZERO)
    assert load_tile(memory, sparse, _indices(1)).tolist() == [5, 6]


def test_gathered_rows() -> None:
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    memory = AddressSpace()
    view = TileView(
        _tensor(values, memory), (4, 2), (1, 1), ((0,), (1,)), Padding.NAN, sparse_dim=0
    )
    rows = np.array([3, 0, 4, 2**64 - 1], np.uint64)
    tile = load_tile(memory, view, [rows, np.array(5, np.uint64)])
    assert tile[:2, 0].tolist() == [23, 5]
    assert np.isnan(tile[2:]).all() and np.isnan(tile[:, 1]).all()
    store_tile(memory, view, [rows, np.array(4, np.uint64)], np.full((4, 2), -1, np.float32))
    assert values[3, 4:].tolist() == [-1, -1] and values[0, 4:].tolist() == [-1, -1]
    assert (values[1:3] == np.arange(6, 18).reshape(2, 6)).all()


def test_grouped_dimensions_are_walked_as_one() -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    memory = AddressSpace()
    view = TileView(_tensor(values, memory), (4, 2), (4, 2), ((0, 1), (2,)), Padding.ZERO)
    assert view.index_space() == (2, 2)
    rows = values.reshape(6, 4)
    assert (load_tile(memory, view, _indices(0, 1)) == rows[:4, 2:]).all()
    last = load_tile(memory, view, _indices(1, 0))
    assert (last[:2] == rows[4:, :2]).all() and not last[2:].any()
    store_tile(memory, view, _indices(1, 0), np.full((4, 2), -1, np.float32))
    assert (values[1, 1:, :2] == -1).all() and (values >= 0).sum() == 20


def test_a_tensor_larger_than_its_allocation_is_refused_where_it_ends() -> None:
    memory = AddressSpace()
    base = memory.allocate("argument 0", np.zeros(24, np.uint8))
    view = TileView(TensorView(base, (10,), (1,), F32), (4,), (4,), ((0,),), Padding.ZERO)
    load_tile(memory, view, _indices(0))
    with pytest.raises(
        MemoryAccessError, match="byte 24 of argument 0, which has 24 bytes"
    ) as error:
        load_tile(memory, view, _indices(1))
    assert error.value.index == (2,)


@pytest.mark.parametrize("groups", [((0,), (1,)), ((0, 1),)])
def test_strides_are_modulo_two_to_the_64(groups: tuple[tuple[int, ...], ...]) -> None:
    """A stride of -1 as unsigned goes back by one, as in 64-bit registers."""
    memory = AddressSpace()
    base = memory.allocate("argument 0", np.arange(40, dtype=np.float32).view(np.uint8))
    strides = strides_of([DYNAMIC_INDEX] * 2, [np.array(-10, np.int64), np.array(-1, np.int64)])
    tensor = TensorView(base + 4 * 39, (4, 10), strides, F32)
    tile = (2, 4) if len(groups) == 2 else (8,)
    view = TileView(tensor, tile, tile, groups, Padding.ZERO)
    found = load_tile(memory, view, _indices(*[0] * len(tile)))
    wanted = np.arange(40)[::-1].reshape(4, 10)[:2, :4] if len(tile) == 2 else np.arange(39, 31, -1)
    assert (found == wanted).all()


def test_the_stride_of_a_single_element_does_not_matter() -> None:
    memory = AddressSpace()
    base = memory.allocate("argument 0", np.arange(8, dtype=np.float32).view(np.uint8))
    view = TileView(TensorView(base, (1, 8), (1 << 62, 1), F32), (4, 8), (4, 8), ((0,), (1,)))
    assert (load_tile(memory, view, _indices(0, 0))[0] == np.arange(8)).all()
