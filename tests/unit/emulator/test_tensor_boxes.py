"""Tensor copies that are not of tiles: rows of a matrix, and pixels of images (im2col)."""

from typing import Any

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array
from tests.unit.emulator.instructions.test_bulk_copy import (
    ADDRESS,
    COMMIT,
    EXPECT,
    MAP,
    kernel,
    run,
)
from tests.unit.emulator.instructions.test_tensor_memory import HEADER as BLACKWELL_HEADER
from tests.unit.emulator.kernels import HOPPER_HEADER
from tileir_xdsl import emulator
from tileir_xdsl.emulator import TensorMap

_COUNTED = "mbarrier::complete_tx::bytes"
GATHER = (
    f"{ADDRESS} {EXPECT.format(256)} cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4"
    " [%t, {2, 7, 0, 31, 7}]; cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4."
    f"{_COUNTED} [%s], [%t, {{2, 7, 0, 31, 7}}], [%m]; // dump"
)
PAIR = GATHER.replace(f"{_COUNTED} ", f"{_COUNTED}.cta_group::1 ")
_ONE = ".reg .b16 %one; mov.b16 %one, 1; "
GATHER_FOR_BLOCKS = _ONE + (
    GATHER.replace("tensor.2d.shared::cta", "tensor.2d.shared::cluster")
    .replace(f"{_COUNTED} [%s]", f"{_COUNTED}.multicast::cluster [%s]")
    .replace("[%m]; // dump", "[%m], %one; // dump")
)
SCATTER = (
    f"{ADDRESS} {EXPECT.format(256)} cp.async.bulk.shared::cluster.global.{_COUNTED} [%s], [%i],"
    " 256, [%m]; cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
    f" [%t, {{2, 7, 0, 40, -1}}], [%s]; {COMMIT}"
)


def run_on_blackwell(body: str, *args: emulator.Argument) -> None:
    text = kernel(body, MAP).replace(HOPPER_HEADER, BLACKWELL_HEADER)
    emulator.load(text).launch("k", (1, 1, 1), list(args), step_limit=50_000)


@pytest.mark.parametrize("body", [GATHER, PAIR, GATHER_FOR_BLOCKS])
def test_rows_are_gathered(body: str):
    array = np.arange(32 * 20, dtype=np.float32).reshape(32, 20)
    out = np.zeros(4096, np.float32)
    run_on_blackwell(body, array, out, TensorMap(array, (1, 16)))
    np.testing.assert_array_equal(out[:64].reshape(4, 16), array[[7, 0, 31, 7], 2:18])


def test_rows_are_scattered():
    array, data = np.zeros((32, 20), np.float32), np.arange(64, dtype=np.float32)
    run_on_blackwell(SCATTER, data, np.zeros(4096), TensorMap(array, (1, 16)))
    expected = np.zeros_like(array)
    # Rows 40 and -1 do not exist.
    expected[[7, 0], 2:18] = data[:32].reshape(2, 16)
    np.testing.assert_array_equal(array, expected)


def im2col(
    images: Array,
    box: tuple[int, int],
    corners: tuple[tuple[int, ...], tuple[int, ...]],
    start: tuple[int, ...],
    offsets: tuple[int, ...],
    steps: tuple[int, ...] | None = None,
) -> Array:
    """`[pixels, channels]`: pixels one after the other, the last axis of places fastest.

    `start` is image, places, first channel; `offsets` are in the order of the axes.
    """
    axes = images.ndim - 2
    steps = steps or (1,) * images.ndim
    lower, upper = corners
    result = np.zeros(box, images.dtype)
    image, *place, channel = start
    for pixel in range(box[0]):
        for c in range(box[1]):
            at = [image, *(p + o for p, o in zip(place, offsets, strict=True)), channel + c]
            inside = all(0 <= x < extent for x, extent in zip(at, images.shape, strict=True))
            result[pixel, c] = images[tuple(at)] if inside else 0
        for axis in reversed(range(axes)):
            place[axis] += steps[1 + axis]
            if place[axis] <= images.shape[1 + axis] - 1 + upper[axis]:
                break
            place[axis] = lower[axis]
        else:
            image += steps[0]
    return result


def im2col_rows(
    images: Array,
    box: tuple[int, int],
    corners: tuple[int, int],
    start: tuple[int, ...],
    halo: int,
    offset: int,
    group: int,
    step: int = 1,
    image_step: int = 1,
) -> Array:
    """`[pixels, channels]` along the last axis of places, of which a halo follows every `group`."""
    image, *place, channel = start
    found: list[tuple[int, int]] = []
    column = place[-1]
    for pixel in range(box[0]):
        found.append((image, column))
        if pixel % group == group - 1:
            found += [(image, column + (x + 1) * step) for x in range(halo)]
        column += step
        if column > images.shape[-2] - 1 + corners[1]:
            image, column = image + image_step, corners[0]
    result = np.zeros((len(found), box[1]), images.dtype)
    for pixel, (image, column) in enumerate(found):
        for c in range(box[1]):
            at = (image, *place[:-1], column + offset, channel + c)
            if all(0 <= x < extent for x, extent in zip(at, images.shape, strict=True)):
                result[pixel, c] = images[at]
    return result


# Extents of the images, pixels and channels, corners, coordinates and offsets, as in numpy.
_Case = tuple[
    tuple[int, ...],
    tuple[int, int],
    tuple[tuple[int, ...], tuple[int, ...]],
    tuple[int, ...],
    tuple[int, ...],
]
IMAGES: tuple[_Case, ...] = (
    ((2, 9, 12), (20, 8), ((0,), (0,)), (0, 3, 0), (0,)),
    ((2, 5, 6, 12), (32, 8), ((-1, -1), (-1, -1)), (0, -1, -1, 4), (0, 0)),
    ((2, 5, 6, 12), (32, 8), ((-1, -1), (-1, -1)), (0, 2, 4, 0), (2, 1)),
    ((3, 5, 6, 16), (64, 16), ((-2, 0), (2, -3)), (1, 4, 2, 0), (1, 2)),
    ((2, 3, 4, 5, 8), (70, 8), ((0, -1, -1), (0, -1, -1)), (0, 1, 0, 2, 0), (0, 2, 1)),
)


def pixels_body(case: _Case, *, stores: bool = False) -> str:
    shape, (pixels, channels), _, start, offsets = case
    rank = len(shape)
    coordinates = ", ".join(str(x) for x in reversed(start))
    halves = "".join(
        f".reg .b16 %h{i}; mov.b16 %h{i}, {x};" for i, x in enumerate(reversed(offsets))
    )
    vector = "{" + ", ".join(f"%h{i}" for i in range(len(offsets))) + "}"
    size = pixels * channels * 4
    if stores:
        return (
            f"{ADDRESS} {EXPECT.format(size)} cp.async.bulk.shared::cluster.global.{_COUNTED} [%s],"
            f" [%i], {size}, [%m]; cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add"
            f".im2col_no_offs.bulk_group [%t, {{{coordinates}}}], [%s];"
            f"cp.async.bulk.tensor.{rank}d.global.shared::cta.im2col_no_offs.bulk_group"
            f" [%t, {{{coordinates}}}], [%s]; {COMMIT}"
        )
    return (
        f"{halves} {ADDRESS} {EXPECT.format(size)}"
        f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.im2col [%t, {{{coordinates}}}], {vector};"
        f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.im2col.{_COUNTED}"
        f" [%s], [%t, {{{coordinates}}}], [%m], {vector}; // dump"
    )


def values(shape: tuple[int, ...]) -> Array:
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("case", IMAGES, ids=str)
def test_pixels(case: _Case):
    shape, box, corners, start, offsets = case
    images, out = values(shape), np.zeros(4096, np.float32)
    run(pixels_body(case), images, out, TensorMap(images, box, corners=corners), parameters=MAP)
    expected = im2col(images, box, corners, start, offsets)
    np.testing.assert_array_equal(out[: expected.size].reshape(box), expected)
    assert expected.any()


@pytest.mark.parametrize("steps", ((1, 2, 2, 1), (1, 3, 1, 1), (1, 1, 2, 1), (2, 3, 2, 1)), ids=str)
def test_pixels_with_steps(steps: tuple[int, ...]):
    """CUDA driver API, cuTensorMapEncodeIm2col: every dimension has a traversal stride."""
    case = ((4, 9, 12, 8), (64, 8), ((-1, -1), (-1, -1)), (0, 5, 1, 0), (1, 2))
    shape, box, corners, start, offsets = case
    images, out = values(shape), np.zeros(4096, np.float32)
    tensor = TensorMap(images, box, element_strides=steps, corners=corners)
    run(pixels_body(case), images, out, tensor, parameters=MAP)
    expected = im2col(images, box, corners, start, offsets, steps)
    np.testing.assert_array_equal(out[: expected.size].reshape(box), expected)
    # Pixels are of more than one image.
    assert expected[:, 0].min() < shape[1] * shape[2] * shape[3] * steps[0] < expected[:, 0].max()


def test_pixels_are_stored():
    case = ((2, 5, 6, 12), (32, 8), ((-1, -1), (-1, -1)), (0, -1, -1, 4), (0, 0))
    shape, box, corners, start, _ = case
    images, data = np.zeros(shape, np.float32), values((32, 8))
    tensor = TensorMap(images, box, corners=corners)
    run(pixels_body(case, stores=True), data, np.zeros(4096), tensor, parameters=MAP)
    stored = im2col(images, box, corners, start, (0, 0))
    places = im2col(values(shape), box, corners, start, (0, 0))
    np.testing.assert_array_equal(stored, np.where(places != 0, data, 0))
    assert np.count_nonzero(images) == np.count_nonzero(places)


PIXELS_FOR_BLOCKS = _ONE + (
    pixels_body(IMAGES[0])
    .replace(f"{_COUNTED} ", f"{_COUNTED}.multicast::cluster ")
    .replace("{%h0}; // dump", "{%h0}, %one; // dump")
)


def test_pixels_for_several_blocks():
    shape, box, corners, start, offsets = IMAGES[0]
    images, out = values(shape), np.zeros(4096, np.float32)
    tensor = TensorMap(images, box, corners=corners)
    run(PIXELS_FOR_BLOCKS, images, out, tensor, parameters=MAP)
    expected = im2col(images, box, corners, start, offsets)
    np.testing.assert_array_equal(out[: expected.size].reshape(box), expected)


def row_body(
    rank: int, start: tuple[int, ...], mode: str, halo: int, offset: int, size: int
) -> str:
    coordinates = ", ".join(str(x) for x in reversed(start))
    return (
        f".reg .b16 %h<2>; mov.b16 %h0, {halo}; mov.b16 %h1, {offset}; {ADDRESS} "
        f"{EXPECT.format(size)}"
        f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{mode} [%t, {{{coordinates}}}], "
        f"{{%h0, %h1}}; cp.async.bulk.tensor.{rank}d.shared::cluster.global.{mode}.{_COUNTED}"
        f" [%s], [%t, {{{coordinates}}}], [%m], {{%h0, %h1}}; // dump"
    )


# Extents, pixels, corners along W, first pixel, halo, offset, steps along W and from image to image.
_ROW_CASES = (
    ((6, 9, 7, 8), 20, (0, 0), (1, 2, 3, 0), 2, 0, 1, 1),
    ((9, 9, 11, 8), 30, (-1, 0), (2, 2, -1, 0), 1, 0, 2, 1),
    ((9, 9, 11, 8), 30, (-1, 0), (2, 2, -1, 0), 0, 1, 2, 3),
    ((3, 7, 7, 8), 7, (-1, -1), (0, 2, -1, 0), 0, 2, 3, 1),
    ((4, 9, 12), 16, (1, -1), (0, -1, 4), 5, 0, 1, 2),
)


def unswizzled(tile: Array) -> Array:
    """Rows of 32 bytes whose 16-byte halves change places in every other four rows."""
    halves = tile.reshape(-1, 2, 4).copy()
    turned = np.arange(len(halves)) // 4 % 2 == 1
    halves[turned] = halves[turned][:, ::-1]
    return halves.reshape(tile.shape)


@pytest.mark.parametrize("mode", ["im2col::w", "im2col::w::128"])
@pytest.mark.parametrize("case", _ROW_CASES, ids=str)
def test_pixels_of_rows(case: tuple[Any, ...], mode: str):
    shape, pixels, corners, start, halo, offset, step, image_step = case
    images, rank = values(shape), len(shape)
    count, group = (128, 32) if mode.endswith("128") else (pixels, pixels)
    expected = im2col_rows(
        images, (count, 8), corners, start, halo, offset, group, step, image_step
    )
    steps = (image_step, *(1,) * (rank - 3), step, 1)
    places = tuple((*(0,) * (rank - 3), corner) for corner in corners)
    tensor = TensorMap(
        images, (pixels, 8), swizzle=32, element_strides=steps, corners=(places[0], places[1])
    )
    out = np.zeros(4096, np.float32)
    run_on_blackwell(
        row_body(rank, start, mode, halo, offset, expected.nbytes), images, out, tensor
    )
    found = unswizzled(out[: expected.size].reshape(expected.shape))
    np.testing.assert_array_equal(found, expected)
    assert np.count_nonzero(expected) > 16


def built_kernels() -> list[str]:
    hopper = [*map(pixels_body, IMAGES), pixels_body(IMAGES[1], stores=True), PIXELS_FOR_BLOCKS]
    rows = [row_body(4, (0, 0, 0, 0), mode, 1, 0, 512) for mode in ("im2col::w", "im2col::w::128")]
    blackwell = [GATHER, PAIR, GATHER_FOR_BLOCKS, SCATTER, *rows]
    texts = [kernel(body, MAP) for body in (*hopper, *blackwell)]
    texts[len(hopper) :] = [
        text.replace(HOPPER_HEADER, BLACKWELL_HEADER) for text in texts[len(hopper) :]
    ]
    return texts


_MATRIX = np.zeros((32, 20), np.float32)
_IMAGES = np.zeros((2, 5, 6, 12), np.float32)
_CORNERS = ((0, 0), (0, 0))
FAULTS: dict[str, tuple[str, TensorMap, str]] = {
    "box of rows": (
        GATHER,
        TensorMap(_MATRIX, (2, 16)),
        "needs a tensor map of rank 2 with boxes of one row",
    ),
    "rank": (
        pixels_body(IMAGES[0]),
        TensorMap(_IMAGES, (8, 8), corners=_CORNERS),
        "the tensor map has 4 dimensions, but the coordinates are for 3",
    ),
    "a map for tiles": (
        pixels_body(IMAGES[1]),
        TensorMap(_IMAGES, (1, 1, 1, 8)),
        "the tensor map is for tiles, not for im2col",
    ),
    "a map without swizzling": (
        row_body(4, (0, 0, 0, 0), "im2col::w", 1, 0, 512),
        TensorMap(_IMAGES, (8, 8), corners=_CORNERS),
        "im2col::w needs a tensor map with swizzling",
    ),
    "halo": (
        row_body(4, (0, 0, 0, 0), "im2col::w::128", 32, 0, 512),
        TensorMap(_IMAGES, (8, 8), swizzle=32, corners=_CORNERS),
        "wHalo must be 0 to 31 and wOffset 0 to 31, not 32 and 0",
    ),
    "offset": (
        row_body(4, (0, 0, 0, 0), "im2col::w", 511, 32, 512),
        TensorMap(_IMAGES, (8, 8), swizzle=32, corners=_CORNERS),
        "wHalo must be 0 to 511 and wOffset 0 to 31, not 511 and 32",
    ),
    "rows of a map for tiles": (
        row_body(4, (0, 0, 0, 0), "im2col::w", 1, 0, 512),
        TensorMap(_IMAGES, (1, 1, 1, 8), swizzle=32),
        "the tensor map is for tiles, not for im2col",
    ),
    "a map for pixels": (
        f"{ADDRESS} {EXPECT.format(256)} cp.async.bulk.tensor.4d.shared::cluster.global.{_COUNTED}"
        " [%s], [%t, {0, 0, 0, 0}], [%m];",
        TensorMap(_IMAGES, (8, 8), corners=_CORNERS),
        "the tensor map is for im2col, not for tiles",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str):
    body, tensor, message = FAULTS[name]
    with pytest.raises(emulator.EmulatorError) as raised:
        run_on_blackwell(body, np.zeros(1024), np.zeros(4096), tensor)
    assert message in raised.value.message


MAPS: tuple[tuple[TensorMap, str], ...] = (
    (TensorMap(_MATRIX, (8, 8), corners=((), ())), "im2col takes 3 to 5 dimensions"),
    (TensorMap(_IMAGES, (1025, 8), corners=_CORNERS), "a box has 1 to 1024 elements"),
    (
        TensorMap(_IMAGES, (8, 8), corners=((0,), (0,))),
        "each corner to have a number for every spatial axis",
    ),
    (TensorMap(_IMAGES, (1, 1, 8, 8), corners=_CORNERS), "1 to 5 dimensions, 2 box extents"),
)


@pytest.mark.parametrize(("tensor", "message"), MAPS, ids=[message for _, message in MAPS])
def test_maps_that_cannot_be(tensor: TensorMap, message: str):
    with pytest.raises(emulator.EmulatorError, match=message):
        run_on_blackwell(GATHER, np.zeros(1024), np.zeros(4096), tensor)
