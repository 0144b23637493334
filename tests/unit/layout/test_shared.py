"""Shared-memory images against a byte-by-byte model of TMA and of the swizzle formulas."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from pytest import mark, raises

from tests.unit.layout.enumeration import addresses_of
from tileir_xdsl.layout.constructors import fastest_first
from tileir_xdsl.layout.cute import (
    NO_SWIZZLE,
    SWIZZLE_32B,
    SWIZZLE_64B,
    SWIZZLE_128B,
    SWIZZLE_128B_ATOM_32B,
    SWIZZLES,
    Layout,
    LayoutError,
    Swizzle,
)
from tileir_xdsl.layout.shared import (
    AddressMap,
    SharedLayout,
    TMABoxes,
    boxes_of,
    divided_over_pair,
    part_in_cta,
    shared,
    tma_boxes,
    widest_swizzle,
)


def written_by_tma(boxes: TMABoxes) -> np.ndarray:
    """The bit address of every element after copying each box densely and swizzling its bytes."""
    element_bits, swizzle = boxes.shared.element_bits, boxes.shared.swizzle
    image = np.full(boxes.shared.shape, -1)
    for start, base in boxes.positions():
        for inside in itertools.product(*map(range, boxes.box)):
            offset, stride = 0, 1
            for dimension in boxes.order:
                offset += inside[dimension] * stride
                stride *= boxes.box[dimension]
            coordinate = tuple(first + step for first, step in zip(start, inside, strict=True))
            byte, bit = divmod(offset * element_bits, 8)
            assert image[coordinate] == -1
            image[coordinate] = swizzle(base + byte) * 8 + bit
    return image


TILES = [
    ((64, 128), 16, None),
    ((128, 64), 16, (0, 1)),
    ((16, 256), 8, None),
    ((8, 512), 32, None),
    ((512, 64), 16, None),
    ((2, 8, 64), 16, None),
    ((8, 2, 64), 16, (2, 0, 1)),
    ((2, 512, 64), 16, None),
    ((256,), 16, None),
]
"""Shapes, bits of an element, and the order of dimensions."""


@mark.one_in(5)
@mark.parametrize("swizzle", SWIZZLES, ids=str)
@mark.parametrize(("shape", "element_bits", "order"), TILES)
def test_divided_boxes_leave_the_same_image(
    shape: tuple[int, ...], element_bits: int, order: tuple[int, ...] | None, swizzle: Swizzle
):
    whole = tma_boxes(shape, element_bits, swizzle, order)
    for parts in (2, 4, 8):
        boxes = whole.divided(parts)
        if boxes is None:
            continue
        places = list(boxes.positions())
        assert len(places) == math.prod(boxes.counts) and len(places) % parts == 0
        assert boxes.bytes_per_box % boxes.shared.alignment == 0
        for number, (start, offset) in zip(np.ndindex(*boxes.counts), places, strict=True):
            assert start == tuple(np.multiply(number, boxes.box).tolist())
            assert offset == sum(np.multiply(number, boxes.distances))
        assert np.array_equal(written_by_tma(boxes), written_by_tma(whole))


def test_boxes_that_are_not_divided():
    """Parts of a swizzled box begin where its pattern does."""
    assert tma_boxes((8, 64), 16, SWIZZLE_128B).divided(2) is None
    assert tma_boxes((64,), 16).divided(1) == tma_boxes((64,), 16)


@mark.one_in(3)
@mark.parametrize("swizzle", SWIZZLES, ids=str)
@mark.parametrize(("shape", "element_bits", "order"), TILES)
def test_tma_boxes_leave_the_image_of_their_layout(
    shape: Sequence[int], element_bits: int, order: Sequence[int] | None, swizzle: Swizzle
):
    boxes = tma_boxes(shape, element_bits, swizzle, order)
    image = written_by_tma(boxes)
    assert np.array_equal(addresses_of(boxes.shared.address_map()).reshape(shape), image)
    assert len(np.unique(image)) == image.size
    assert boxes.shared.address_map().bytes == image.size * element_bits // 8
    assert boxes.bytes_per_box * len(list(boxes.positions())) == image.size * element_bits // 8
    assert max(boxes.box) <= 256
    inner = boxes.box[boxes.order[0]] * element_bits // 8
    assert inner % 16 == 0 and (not swizzle.bits or inner == swizzle.span)


@mark.one_in(3)
@mark.parametrize("swizzle", SWIZZLES, ids=str)
def test_shared_rows_follow_the_swizzle_formula(swizzle: Swizzle):
    image = shared((32, 128), 16, swizzle).address_map()
    chunk = swizzle.span // 2 if swizzle.bits else 128
    addresses = addresses_of(image)
    for row, column in itertools.product(range(32), range(128)):
        offset = 2 * (column // chunk * 32 * chunk + row * chunk + column % chunk)
        assert addresses[row * 128 + column] == 8 * swizzle(offset)


def test_the_text_form_of_swizzled_images():
    assert shared((128, 64), 16, SWIZZLE_128B).layout == Layout((128, 64), (64, 1))
    assert shared((64, 256), 16, SWIZZLE_128B).layout == Layout((64, (64, 4)), (64, (1, 4096)))
    assert shared((64, 128), 16, SWIZZLE_64B, order=(0, 1)).layout == Layout(
        ((32, 2), 128), ((1, 4096), 32)
    )


@mark.parametrize("swizzle", SWIZZLES, ids=str)
@mark.parametrize("order", [None, (0, 2, 1), (1, 2, 0)])
@mark.parametrize("element_bits", [4, 8, 16, 32, 64])
def test_images_are_read_back_from_their_addresses(
    element_bits: int, order: Sequence[int] | None, swizzle: Swizzle
):
    image = shared((256, 256, 256), element_bits, swizzle, order)
    again = SharedLayout.from_address_map(image.address_map(), image.shape)
    assert again.address_map() == image.address_map()
    assert again == image


def test_addresses_without_a_text_form_are_refused():
    with raises(LayoutError, match="no swizzle turns these addresses"):
        SharedLayout.from_address_map(AddressMap((16, 32, 48 | 64), 16), (8,))
    with raises(LayoutError, match="no swizzle turns these addresses"):
        SharedLayout.from_address_map(AddressMap((8, 16, 32), 16), (8,))


def test_four_bit_elements_have_addresses():
    image = shared((8, 256), 4, SWIZZLE_128B).address_map()
    assert sorted(addresses_of(image)) == list(range(0, 8 * 256 * 4, 4))
    assert image.bytes == 1024


def test_alignment_covers_tma_and_the_swizzle():
    expected = {
        NO_SWIZZLE: 128,
        SWIZZLE_32B: 256,
        SWIZZLE_64B: 512,
        SWIZZLE_128B: 1024,
        SWIZZLE_128B_ATOM_32B: 512,
    }
    for swizzle, alignment in expected.items():
        assert shared((32, 64), 16, swizzle).alignment == alignment


@mark.parametrize(
    ("columns", "swizzle"),
    [
        (128, SWIZZLE_128B),
        (64, SWIZZLE_128B),
        (32, SWIZZLE_64B),
        (16, SWIZZLE_32B),
        (8, NO_SWIZZLE),
    ],
)
def test_the_widest_swizzle_fits_the_row(columns: int, swizzle: Swizzle):
    assert widest_swizzle((64, columns), 16) == swizzle
    assert widest_swizzle((columns, 64), 16, order=(0, 1)) == swizzle


def test_images_that_cannot_be_are_refused():
    with raises(LayoutError, match="rows of 64 bytes are shorter than 128 bytes"):
        shared((64, 32), 16, SWIZZLE_128B)
    with raises(LayoutError, match="TMA box rows must be multiples of 16 bytes, got 8"):
        tma_boxes((64, 4), 16)
    with raises(LayoutError, match="TMA boxes have 1 to 5 dimensions, got 6"):
        tma_boxes((2, 2, 2, 2, 2, 16), 16)
    with raises(LayoutError, match="need elements of at least a byte, got 4 bits"):
        tma_boxes((64, 64), 4)
    with raises(LayoutError, match="sums of its strides carry"):
        SharedLayout(Layout((16, 16), (8, 1)), 16).address_map()
    with raises(LayoutError, match="expected a power of two, got 24"):
        shared((24, 64), 16)


def wgmma_operand_addresses(
    shape: Sequence[int], element_bits: int, swizzle: Swizzle, *, k_major: bool
) -> np.ndarray:
    """The byte address of element (mn, k) by the matrix descriptor of wgmma.

    K-major: SBO = 8 rows, and a new chunk of columns per span bytes of k. MN-major: LBO between
    the chunks of span bytes along mn, SBO = 8 rows of k.
    """
    size, span = element_bits // 8, swizzle.span
    rows, depth = shape
    image = np.zeros(shape, int)
    for mn, k in itertools.product(range(rows), range(depth)):
        if k_major:
            chunk, inside = divmod(k * size, span)
            offset = chunk * rows * span + mn // 8 * (8 * span) + mn % 8 * span + inside
        else:
            chunk, inside = divmod(mn * size, span)
            offset = chunk * depth * span + k // 8 * (8 * span) + k % 8 * span + inside
        image[mn, k] = swizzle(offset)
    return image


@mark.parametrize("swizzle", [SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B], ids=str)
@mark.parametrize("k_major", [True, False])
def test_matrix_descriptors_read_the_image_that_tma_wrote(swizzle: Swizzle, k_major: bool):
    shape = (128, 64)
    order = None if k_major else (0, 1)
    image = tma_boxes(shape, 16, swizzle, order).shared.address_map()
    expected = wgmma_operand_addresses(shape, 16, swizzle, k_major=k_major)
    assert np.array_equal(addresses_of(image).reshape(shape), 8 * expected)


def test_sizes_multiply():
    image = shared((4, 8, 16), 32)
    assert image.shape == (4, 8, 16)
    assert image.address_map().bytes == 4 * math.prod(image.shape)


@mark.parametrize("count", [8, 64, 256])
def test_one_dimension_is_written_in_either_way(count: int):
    """`(64)` and `64`: a type has the second one, and its boxes are those of the first."""
    whole = SharedLayout(Layout((count,), (1,)), 16)
    assert whole == SharedLayout(Layout(count, 1), 16)
    assert boxes_of(SharedLayout(Layout(count, 1), 16)).shared == whole


@mark.parametrize("fastest", [0, 1, 2])
@mark.parametrize("swizzle", SWIZZLES, ids=str)
def test_boxes_of_an_image(fastest: int, swizzle: Swizzle):
    order = fastest_first(3, fastest)
    boxes = tma_boxes((128, 64, 128), 16, swizzle, order)
    assert boxes_of(boxes.shared) == boxes


def test_an_image_that_no_boxes_leave():
    """Rows are apart, or swizzled without being cut."""
    for layout, swizzle in (
        (Layout((64, 64), (128, 1)), NO_SWIZZLE),
        (Layout((64, 128), (128, 1)), SWIZZLE_128B),
    ):
        with raises(LayoutError, match="no TMA boxes write a tile in this shared layout"):
            boxes_of(SharedLayout(layout, 16, swizzle))


@mark.parametrize("element_bits", (8, 16, 32))
@mark.parametrize("shape", ((64, 128), (128, 64), (32, 256), (256, 256)), ids=str)
@mark.parametrize("order", ((1, 0), (0, 1)), ids=str)
def test_each_cta_of_a_pair_has_half_of_a_tile(
    shape: tuple[int, int], order: tuple[int, int], element_bits: int
):
    swizzle = widest_swizzle(shape, element_bits, order)
    whole = shared(shape, element_bits, swizzle, order)
    for dimension in range(2):
        halves = list(shape)
        halves[dimension] //= 2
        row = halves[order[0]] * element_bits // 8
        if row < swizzle.span:
            with raises(LayoutError):
                divided_over_pair(whole, dimension)
            continue
        divided = divided_over_pair(whole, dimension)
        assert divided.shape == shape
        part, found = part_in_cta(divided)
        assert found == dimension
        # As a tile of its own, which copies and matrix descriptors describe.
        assert part == shared(halves, element_bits, swizzle, order)
        # Both halves are at the same addresses, each in its CTA.
        for index in np.ndindex(*(extent // 16 for extent in halves)):
            coordinate = [16 * each for each in index]
            other = list(coordinate)
            other[dimension] += halves[dimension]
            assert divided.layout(tuple(other)) == divided.layout(tuple(coordinate))
        assert divided.address_map().bytes * 2 == whole.address_map().bytes
    assert part_in_cta(whole) == (whole, None)
