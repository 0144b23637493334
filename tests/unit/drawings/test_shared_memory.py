"""Shared memory: banks, offsets and conflicts as the layout functions say."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.drawings.svg_reading import check_drawing, columns_of, fields_of, lengths_of
from tileir_xdsl.drawings.colours import CONFLICT, EMPTY, colour_of
from tileir_xdsl.drawings.shared_memory import access_drawing, shared_drawing
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import MatrixAccess, VectorAccess, matrix_access, vector_access
from tileir_xdsl.layout.constructors import mma_accumulator, wgmma_accumulator
from tileir_xdsl.layout.cute import SWIZZLE_128B, SWIZZLES, Layout, Swizzle
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.pictures import wavefronts_picture
from tileir_xdsl.layout.shared import SharedLayout, shared

LABEL = re.compile(r"b(\d+)(?:-(\d+))? \+(\d+)(\.5)?")


def check_banks(layout: SharedLayout) -> None:
    drawing = shared_drawing(layout)
    check_drawing(drawing)
    bases, bits = layout.address_map().bases, layout.element_bits
    shape = layout.shape
    matrix = shape[-1] * shape[-2] if len(shape) > 1 else 0
    counts = columns_of(drawing.svg, "banks")
    for number, (rows, columns) in enumerate(
        zip(fields_of(drawing.svg, "banks"), counts, strict=True)
    ):
        for index, row in enumerate(rows):
            element = index * (columns if len(shape) < 2 else shape[-1]) + number * matrix
            for field, length in zip(row, lengths_of(row, columns), strict=True):
                match = LABEL.fullmatch(field.lines[0])
                assert match
                first, last, offset, half = match.groups()
                address = f2.apply(bases, element)
                assert (int(offset), bool(half)) == (address // 8, bool(address % 8))
                assert int(first) == address // 32 % 32
                assert field.colour == colour_of(int(first) // 4)
                for step in range(length):
                    assert f2.apply(bases, element + step) == address + step * bits
                end = address + length * bits - 1
                assert int(last or first) == end // 32 % 32
                # No field reaches beyond its 16-byte chunk.
                assert address // 128 == end // 128
                element += length


@pytest.mark.parametrize("swizzle", SWIZZLES, ids=str)
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_swizzled_tiles(swizzle: Swizzle, bits: int):
    check_banks(shared((32, 1024 // bits), bits, swizzle))


@settings(max_examples=60, deadline=None)
@given(
    extents=st.lists(st.integers(0, 3), min_size=0, max_size=3),
    row=st.integers(0, 4),
    bits=st.sampled_from([4, 8, 16, 32, 64]),
    swizzle=st.sampled_from(SWIZZLES),
    turned=st.booleans(),
)
def test_generated_tiles(extents: list[int], row: int, bits: int, swizzle: Swizzle, turned: bool):
    # A row is at least the span of the swizzle.
    last = 1 << (row + 8).bit_length() if swizzle.bits else 1 << row
    last = max(last, swizzle.span * 8 // bits)
    shape = (*(1 << extent for extent in extents), last)
    order = tuple(range(len(shape))) if turned and not swizzle.bits else None
    check_banks(shared(shape, bits, swizzle, order))


def test_words_name_the_swizzle():
    text = shared_drawing(shared((64, 64), 16, SWIZZLE_128B)).text
    assert (
        "The swizzle permutes chunks of 16 bytes within 128 bytes and repeats every 1024." in text
    )
    assert "rows 0 to 7 is in banks [0, 4, 8, 12, 16, 20, 24, 28]." in text


ACCUMULATOR = wgmma_accumulator((64, 64), (1, 1))
COLUMN = LinearLayout((), (32, 64, 128, 256, 0), (), (), (16, 32))


def accesses() -> list[VectorAccess | MatrixAccess]:
    found: list[VectorAccess | MatrixAccess] = [
        vector_access(COLUMN, shared((16, 32), 32).address_map()),
        vector_access(mma_accumulator((64, 64), (4, 1)), shared((64, 64), 32).address_map()),
    ]
    for swizzle in SWIZZLES:
        addresses = shared((64, 64), 16, swizzle).address_map()
        found.append(vector_access(ACCUMULATOR, addresses))
        if (matrices := matrix_access(ACCUMULATOR, addresses)) is not None:
            found.append(matrices)
    return found


@pytest.mark.parametrize("access", accesses())
def test_wavefronts_are_drawn_with_their_conflicts(access: VectorAccess | MatrixAccess):
    drawing = access_drawing(access, "store")
    check_drawing(drawing)
    (rows,) = fields_of(drawing.svg, "wavefronts")
    picture = wavefronts_picture(access)
    assert len(rows) == len(picture.rows)
    for number, (row, cells) in enumerate(zip(rows, picture.rows, strict=True)):
        for field, cell in zip(row, cells, strict=True):
            expected = EMPTY if cell is None else CONFLICT if number else colour_of(0)
            assert field.colour == expected
            assert field.lines == (() if cell is None else (f"l{cell.text}",))
    phases = access.wavefronts_each // len(rows)
    assert phases * len(rows) == access.wavefronts_each
    assert f"{access.wavefronts} a warp in all" in drawing.text
    assert ("bank conflicts make" in drawing.text) == (len(rows) > 1)


def test_stages_of_a_buffer_are_panels():
    layout = SharedLayout(Layout((2, 8, 64), (512, 64, 1)), 16, SWIZZLE_128B)
    assert len(fields_of(shared_drawing(layout).svg, "banks")) == 2
    check_banks(layout)
