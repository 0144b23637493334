"""Descriptors lead where the layout of the tile says that its elements are."""

import numpy as np
import pytest

from tileir_xdsl.emulator.matrix_descriptors import MatrixDescriptor
from tileir_xdsl.layout.cute import (
    NO_SWIZZLE,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    LayoutError,
    Swizzle,
)
from tileir_xdsl.layout.matrix_descriptors import UNIT_BYTES, MatrixOperand
from tileir_xdsl.layout.shared import SharedLayout, shared

CASES = {
    "K-major, 128 bytes": (shared((128, 128), 16, SWIZZLE_128B), 0, 64, 16, True),
    "K-major, 64 bytes": (shared((64, 32), 16, SWIZZLE_64B), 0, 64, 16, True),
    "K-major, 32 bytes": (shared((64, 8), 32, SWIZZLE_32B), 0, 64, 8, True),
    "bytes": (shared((64, 128), 8, SWIZZLE_128B), 0, 64, 32, True),
    "MN-major, 128 bytes": (shared((32, 256), 16, SWIZZLE_128B), 1, 256, 16, False),
    "part of a row": (shared((32, 64), 16, SWIZZLE_128B), 1, 32, 16, False),
    "MN-major, 32 bytes": (shared((16, 16), 16, SWIZZLE_32B), 1, 16, 16, False),
    "MN-major, not swizzled": (shared((16, 8), 16, NO_SWIZZLE), 1, 8, 16, False),
    "columns of K": (shared((32, 64), 8, SWIZZLE_32B, (0, 1)), 1, 64, 32, True),
}
"""An image, the dimension along M or N, what an instruction takes of it and of K, and its major."""


def addresses(layout: SharedLayout) -> dict[tuple[int, int], int]:
    """The byte address of every element."""
    rows, columns = (mode for mode in layout.layout.modes())
    size = layout.element_bits // 8
    swizzle: Swizzle = layout.swizzle
    return {
        (i, j): swizzle((rows(i) + columns(j)) * size)
        for i in range(layout.shape[0])
        for j in range(layout.shape[1])
    }


@pytest.mark.parametrize(
    ("layout", "outer", "extent", "depth", "k_major"), CASES.values(), ids=CASES
)
def test_descriptors_of_every_instruction(
    layout: SharedLayout, outer: int, extent: int, depth: int, k_major: bool
):
    operand = MatrixOperand.of(layout, outer, extent, 1 - outer, depth)
    assert operand.is_k_major == k_major
    wanted, size = addresses(layout), layout.element_bits // 8
    forms = (
        (operand.warpgroup_bits, MatrixDescriptor.decode),
        (operand.tensor_memory_bits, MatrixDescriptor.of_tensor_memory),
    )
    for mn in range(0, layout.shape[outer], extent):
        for k in range(0, layout.shape[1 - outer], depth):
            origin = (mn, k) if outer == 0 else (k, mn)
            start = operand.offset(origin) // UNIT_BYTES
            expected = [
                [wanted[(mn + i, k + j) if outer == 0 else (k + j, mn + i)] for j in range(depth)]
                for i in range(extent)
            ]
            for bits, decode in forms:
                found = decode(bits + start).addresses(extent, depth, size, k_major=k_major)
                np.testing.assert_array_equal(found, expected)


def test_rows_that_are_too_far_apart_have_no_descriptor():
    with pytest.raises(LayoutError, match="no matrix descriptor describes"):
        MatrixOperand.of(shared((64, 32), 16, NO_SWIZZLE), 0, 64, 1, 16)
