"""Block scales in shared memory: where copies of 32x128b leave each of them in tensor memory."""

import numpy as np
import pytest

from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.matrix_descriptors import offset_of
from tileir_xdsl.layout.scale_factors import (
    before_renaming,
    identity,
    renamed,
    scale_buffer,
    scale_copies,
)
from tileir_xdsl.layout.shared import SharedLayout, shared

SHAPES = [(32, 4), (64, 8), (128, 4), (128, 16), (256, 8)]


def in_tensor_memory(layout: SharedLayout, *, rows_first: bool) -> dict[tuple[int, int], int]:
    """By lane and column, the byte of the buffer that begins a word there."""
    found: dict[tuple[int, int], int] = {}
    for copy in scale_copies(layout, rows_first=rows_first):
        for lane in range(32):
            for column in range(4):
                found[lane, copy.column + column] = copy.offset + 16 * lane + 4 * column
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_each_scale_comes_to_its_lane(shape: tuple[int, int]):
    """PTX ISA: lane `row mod 32`; the columns of 32 rows each follow each other."""
    layout = scale_buffer(*shape)
    words, groups = in_tensor_memory(layout, rows_first=True), 4 * -(-shape[0] // 128)
    for row in range(shape[0]):
        for block in range(shape[1]):
            word = words[row % 32, block // 4 * groups + row // 32]
            assert offset_of(layout, (row, block)) == word + block % 4


def test_the_order_of_arrays_in_memory():
    """[rows / 128, blocks / 4, 32, 16] is the order of copies, after a permutation alone."""
    dense = renamed(shared((2, 4, 32, 16), 8), (2, 4, 32, 4, 4))
    modes = [dense.layout.modes()[dim] for dim in (0, 3, 2, 1, 4)]
    layout = type(dense.layout)(tuple(m.shape for m in modes), tuple(m.stride for m in modes))
    rows = renamed(SharedLayout(layout, 8), (256, 16))
    offsets = [copy.offset for copy in scale_copies(rows, rows_first=True)]
    assert offsets == [512 * (4 * part + word) for word in range(4) for part in range(2)]


def test_a_row_major_buffer_has_no_copies():
    with pytest.raises(LayoutError, match=r"tcgen05\.cp cannot copy scales in the layout"):
        scale_copies(shared((128, 16), 8), rows_first=True)


@pytest.mark.parametrize("shape", [(16, 4), (128, 2)])
def test_columns_and_words_are_whole(shape: tuple[int, int]):
    with pytest.raises(
        LayoutError, match="copies of scales need 32 or more rows and a multiple of 4"
    ):
        scale_buffer(*shape)


def test_before_renaming():
    """A tile whose bytes are in an order once it is reshaped."""
    wanted, shape = scale_buffer(128, 8), (1, 128, 2, 4)
    before = before_renaming(renamed(identity(shape), (128, 8)), wanted, shape)
    assert renamed(before, (128, 8)).address_map() == wanted.address_map()
    elements = np.arange(1024).reshape(shape)
    assert elements[0, 5, 1, 2] == 5 * 8 + 6
    assert offset_of(before, (0, 5, 1, 2)) == offset_of(wanted, (5, 6))
