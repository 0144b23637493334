"""Tiles at offsets around 2**31 and 2**32, and at no tile at all: every level, target and view."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.road.accesses.far_tiles import BITS, Tile, check_everywhere
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
DYNAMIC = (frozenset[str](), frozenset({"indices"}), frozenset({"sizes", "strides", "indices"}))

GIB = 1 << 30
POWERS = (31, 32, 33)


@pytest.mark.parametrize("dynamic", DYNAMIC)
@pytest.mark.parametrize("gpu", GPUS)
def test_the_last_tile_of_three_gibibytes(gpu: str, dynamic: frozenset[str]):
    check_everywhere(
        Tile((3 * GIB,), (1,), (1024,), (3 * GIB // 1024 - 1,), dynamic=dynamic), [gpu]
    )


@pytest.mark.one_in(23)
@pytest.mark.parametrize(
    ("element", "power", "tiles", "dynamic"),
    tuple(itertools.product(tuple(BITS), POWERS, (-1, 0, 1), DYNAMIC)),
)
def test_offsets_close_to_powers_of_two(
    element: str, power: int, tiles: int, dynamic: frozenset[str]
):
    """Of elements, and of bytes; the object ends inside of the tile behind."""
    for count in (1 << power, (1 << power) * 8 // BITS[element]):
        tile = Tile((count + 72,), (1,), (64,), (count // 64 + tiles,), element, dynamic=dynamic)
        check_everywhere(tile, ["sm_90a"])


STRIDES = [(1 << power) + rest for power in POWERS for rest in (-16, 0, 16)]


@pytest.mark.one_in(14)
@pytest.mark.parametrize(
    ("stride", "gpu", "dynamic"), tuple(itertools.product(STRIDES, GPUS, DYNAMIC))
)
def test_large_strides(stride: int, gpu: str, dynamic: frozenset[str]):
    check_everywhere(Tile((7, 100), (stride, 1), (4, 64), (1, 0), dynamic=dynamic), [gpu])


NEGATIVE = (-1, -2, -(1 << 31), (1 << 31) - 1)


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("index", "gpu", "dynamic"), tuple(itertools.product(NEGATIVE, GPUS, DYNAMIC))
)
def test_coordinates_that_name_no_tile(index: int, gpu: str, dynamic: frozenset[str]):
    """A static halo, say."""
    tile = Tile((100, 200), (208, 1), (8, 32), (3, index), "f32", dynamic=dynamic)
    check_everywhere(tile, [gpu])
    check_everywhere(replace(tile, indices=(index, 1), element="i8"), [gpu])


STEPS = (1, 256, 1024)
BORDERS = ("narrow", "wide", "wide and static")


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    ("step", "tiles", "border"), list(itertools.product(STEPS, (-1, 0, 1), BORDERS))
)
def test_tiles_that_start_close_to_the_largest_index(step: int, tiles: int, border: str):
    """At 2**31 the first element of a tile is one of 32 bits no more; the object ends long before.

    A whole tile is tested at once, by its first element and its last.
    """
    narrow = border == "narrow"
    dynamic = frozenset({"indices"} if border == "wide and static" else {"indices", "sizes"})
    for power in (31, 32):
        index = (1 << power) // step + tiles
        if index < 1 << 32:
            for size in (37, 1021):
                tile = Tile((size,), (1,), (step,), (index,), "f32", dynamic=dynamic)
                check_everywhere(replace(tile, size_type="i32" if narrow else "i64"), ["sm_90a"])


WIDE = (-1, -16, 1 << 32, 1 << 58, (1 << 58) - 1, (1 << 57) + 1, -(1 << 63), (1 << 63) - 1)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("index", WIDE)
def test_coordinates_of_64_bits(index: int):
    """Products that wrap around at 64 bits, to element 0 or close by."""
    for dynamic in DYNAMIC:
        tile = Tile((4096,), (1,), (64,), (index,), index_type="i64", dynamic=dynamic)
        check_everywhere(tile, ["sm_90a"])
        check_everywhere(replace(tile, steps=(48,)), ["sm_80"])


@pytest.mark.parametrize("index", [1 << 32, 1 << 58])
def test_static_coordinates_whose_low_words_are_zero(index: int):
    tile = Tile((4096,), (1,), (64,), (index,), index_type="i64", size_type="i32")
    check_everywhere(tile, ["sm_90a"])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("index", [-1, -100, 127, 3])
def test_narrow_coordinates(index: int, monkeypatch: pytest.MonkeyPatch):
    for prefer in ("false", "true"):
        monkeypatch.setenv(PREFER_TMA_VARIABLE, prefer)
        for dynamic in DYNAMIC:
            tile = Tile((1 << 16,), (1,), (64,), (index,), index_type="i8", dynamic=dynamic)
            check_everywhere(replace(tile, size_type="i32"), ["sm_90a"])


@pytest.mark.one_in(5)
@pytest.mark.parametrize("index", [-1, -2, -3, (1 << 31) // 3, (1 << 32) // 3 + 1, 0])
def test_overlapping_tiles(index: int, monkeypatch: pytest.MonkeyPatch):
    """A tile longer than its step would reach into the object if its coordinate were signed."""
    tile = Tile((3 * GIB,), (1,), (64,), (index,), steps=(3,))
    for prefer in ("false", "true"):
        monkeypatch.setenv(PREFER_TMA_VARIABLE, prefer)
        for sizes in ((3 * GIB,), (200,)):
            for dynamic in DYNAMIC:
                check_everywhere(replace(tile, sizes=sizes, dynamic=dynamic), ["sm_90a"])


ROWS = ((0, 1, 2, 3), (3, -1, 1, -2), (6, 5, 1 << 30, -(1 << 31)))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", GPUS[::2])
@pytest.mark.parametrize("stride", STRIDES[::4])
def test_gathered_rows(stride: int, gpu: str):
    for rows in ROWS:
        for column in (0, 48, -1, -60):
            tile = Tile((7, 100), (stride, 1), (4, 64), (rows, column), sparse=0)
            check_everywhere(tile, [gpu])


def test_gathered_elements_of_a_large_object():
    rows = tuple((1 << 31) + place * (1 << 29) - 2 for place in range(4))
    for index_type in ("i32", "i64"):
        tile = Tile((7 * GIB // 2,), (1,), (4,), (rows,), sparse=0, index_type=index_type)
        signed = tuple((r + (1 << 31)) % (1 << 32) - (1 << 31) for r in rows)
        chosen = signed if index_type == "i32" else rows
        check_everywhere(replace(tile, indices=(chosen,)), ["sm_80", "sm_90a"])


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("power", [30, 31, 32])
def test_tma_at_the_end_of_its_coordinates(power: int, gpu: str, monkeypatch: pytest.MonkeyPatch):
    """Objects of up to 2**31 elements along a dimension go by TMA, larger ones do not."""
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    size = 1 << power
    for index in (size // 64 - 1, size // 64, -1):
        for dynamic in DYNAMIC:
            tile = Tile((size,), (1,), (64,), (index,), size_type="i32", dynamic=dynamic)
            if "sizes" in dynamic and power > 31:
                continue
            by_tma = power <= 31
            check_everywhere(tile, [gpu], "cp.async.bulk.tensor" if by_tma else "ld.global")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("stride", "gpu", "dynamic"),
    tuple(itertools.product(STRIDES[1::3], ("sm_90a", "sm_100a"), DYNAMIC[:2])),
)
def test_tma_with_large_strides(
    stride: int, gpu: str, dynamic: frozenset[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "true")
    tile = Tile((12, 100), (stride, 1), (8, 64), (1, 0), "f16", size_type="i32", dynamic=dynamic)
    for indices in ((1, 0), (2, 1), (-1, 0), (0, -1), (1 << 28, 0)):
        check_everywhere(replace(tile, indices=indices), [gpu], "cp.async.bulk.tensor")


def near_powers(low: int, high: int) -> st.SearchStrategy[int]:
    """Numbers in a range, most of them close to powers of two."""
    powers = st.integers(0, high.bit_length()).map(lambda power: 1 << power)
    close = st.tuples(powers, st.integers(-3, 3)).map(sum)
    return st.one_of(close, st.integers(low, high)).map(lambda n: min(max(n, low), high))


@st.composite
def tiles(draw: st.DrawFn) -> Tile:
    """Objects of rank 1 and 2 of up to 64 GiB, and coordinates close to powers of two."""
    rank = draw(st.integers(1, 2))
    element = draw(st.sampled_from(list(BITS)))
    room = (1 << 36) // (BITS[element] // 8)
    rows = draw(near_powers(1, 40)) if rank == 2 else 1
    columns = draw(near_powers(1, room // rows if rank == 1 else 1 << 20))
    pitch = 16 * draw(near_powers(-(-columns // 16), max(-(-columns // 16), room // rows // 16)))
    sizes, strides = ((columns,), (1,)) if rank == 1 else ((rows, columns), (pitch, 1))
    extents = tuple(1 << draw(st.integers(0, 4)) for _ in range(rank))
    if rank == 2 and draw(st.booleans()):
        sizes, strides = sizes[::-1], strides[::-1]
    steps = None
    if draw(st.booleans()):
        steps = tuple(draw(st.integers(1, 2 * extent)) for extent in extents)
    index_type = draw(st.sampled_from(["i32", "i64", "i16"]))
    half = 1 << int(index_type[1:]) - 1
    indices: list[int] = []
    for axis, size in enumerate(sizes):
        count = -(-size // (steps or extents)[axis])
        index = draw(st.one_of(st.integers(0, count), near_powers(0, count), near_powers(0, half)))
        index = -index if draw(st.integers(0, 4)) == 0 else index
        indices.append(min(max(index, -half), half - 1))
    dynamic = frozenset(draw(st.sets(st.sampled_from(["sizes", "strides", "indices"]))))
    return Tile(
        sizes, strides, extents, tuple(indices), element, steps, None, index_type, "i64", dynamic
    )


@pytest.mark.parametrize("examples", (25, pytest.param(250, marks=pytest.mark.soak)))
def test_addresses_are_those_of_integers(monkeypatch: pytest.MonkeyPatch, examples: int):
    @settings(max_examples=examples, deadline=None, database=None)
    @given(tiles(), st.sampled_from(GPUS), st.sampled_from(["true", "false"]))
    def check(tile: Tile, gpu: str, prefer_tma: str) -> None:
        monkeypatch.setenv(PREFER_TMA_VARIABLE, prefer_tma)
        check_everywhere(tile, [gpu])

    check()
