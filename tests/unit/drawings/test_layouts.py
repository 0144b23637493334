"""Register layouts: every field that is drawn is what the layout says."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.drawings.svg_reading import check_drawing, columns_of, fields_of, lengths_of
from tests.unit.layout.enumeration import random_layout
from tileir_xdsl.drawings.colours import EMPTY, colour_of
from tileir_xdsl.drawings.layouts import MAX_BLOCKS, MAX_LABEL, layout_drawing
from tileir_xdsl.drawings.tile_panels import MAX_PANELS, MAX_ROWS
from tileir_xdsl.layout.constructors import blocked, mma_accumulator, wgmma_accumulator
from tileir_xdsl.layout.linear import LinearLayout, element_strides, index_bits

LABEL = re.compile(r"(?:b(\d+) )?t(\d+) r(\d+)(?:-(\d+))?")
COPY = re.compile(r"\+(?:b(\d+) ?)?(?:t(\d+) ?)?(?:r(\d+))?$")


def element_at(layout: LinearLayout, block: int, thread: int, register: int) -> int:
    return layout.element(register, thread % layout.lanes, thread // layout.lanes, block)


def check_fields(layout: LinearLayout) -> None:
    """Reads all panels of a drawing, and compares each label with the layout."""
    drawing = layout_drawing(layout)
    check_drawing(drawing)
    strides = element_strides(layout.shape)
    panels = fields_of(drawing.svg, "holders")
    outer = layout.size // (layout.shape[-1] * layout.shape[-2]) if len(layout.shape) > 1 else 1
    assert len(panels) == min(outer, MAX_PANELS)
    held = {
        element_at(layout, block, thread, register)
        for block in range(layout.blocks)
        for thread in range(layout.lanes * layout.warps)
        for register in range(layout.registers)
    }
    counts = columns_of(drawing.svg, "holders")
    for number, (rows, columns) in enumerate(zip(panels, counts, strict=True)):
        assert len(rows) <= MAX_ROWS
        for index, row in enumerate(rows):
            # A tile of one dimension is broken into rows; panels count the outer coordinates.
            first = index * columns
            if len(layout.shape) > 1:
                first = number * layout.shape[-1] * layout.shape[-2] + index * strides[-2]
            for field, length in zip(row, lengths_of(row, columns), strict=True):
                check_field(layout, field.lines, field.colour, first, length, held)
                first += length


def check_field(
    layout: LinearLayout,
    lines: tuple[str, ...],
    colour: str,
    first: int,
    length: int,
    held: set[int],
) -> None:
    if lines[0] == "-":
        assert first not in held
        assert colour == EMPTY
        return
    match = LABEL.fullmatch(lines[0])
    assert match
    block, thread, register = (int(part or 0) for part in match.groups()[:3])
    last = int(match[4] or register)
    assert last - register + 1 == length
    for step in range(length):
        assert element_at(layout, block, thread, register + step) == first + step
    assert colour == colour_of(thread // layout.lanes)
    below = " ".join(lines[1:])
    copies = re.findall(r"\+[^+.]+", below)
    assert len(copies) == min(layout.replication - 1, MAX_LABEL)
    seen: set[tuple[int, ...]] = {(block, thread, register)}
    for copy in copies:
        parts = COPY.fullmatch(copy.strip())
        assert parts
        there = tuple(
            int(given) if given else here
            for given, here in zip(parts.groups(), (block, thread, register), strict=True)
        )
        assert element_at(layout, *there) == first
        seen.add(there)
    assert len(seen) == len(copies) + 1
    if layout.replication - 1 > MAX_LABEL:
        assert below.endswith("..")


@pytest.mark.parametrize(
    "layout",
    [
        blocked((64, 64), 4, 4),
        blocked((16, 8), 1, 1, order=(0, 1)),
        blocked((1024,), 4, 4),
        blocked((1,), 1, 4),
        blocked((4, 8, 16), 2, 4),
        blocked((2, 4, 8, 8), 2, 8),
        wgmma_accumulator((128, 64), (2, 1)),
        mma_accumulator((16, 8), (1, 1)),
        LinearLayout((1, 2), (4, 8, 0, 0, 0), (16, 0), (), (32,)),
        LinearLayout((1, 0), (2, 4, 8, 16, 32), (), (64,), (8, 16)),
        LinearLayout((1,), (4, 8), (), (), (4, 8)),
        LinearLayout((3, 1), (2, 6), (), (), (8,)),
    ],
    ids=str,
)
def test_fields_are_what_the_layout_says(layout: LinearLayout):
    check_fields(layout)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    bits=st.lists(st.integers(0, 4), min_size=1, max_size=4),
    register=st.integers(0, 4),
    warp=st.integers(0, 3),
    unit=st.booleans(),
)
def test_generated_layouts(seed: int, bits: list[int], register: int, warp: int, unit: bool):
    # Registers for all bits that lanes and warps leave, and up to four more for copies.
    needed = max(0, sum(bits) - 5 - warp) + register
    flat = random_layout(random.Random(seed), sum(bits), needed, warp, unit=unit or sum(bits) < 2)
    shape = tuple(1 << extent for extent in bits)
    check_fields(LinearLayout(flat.register, flat.lane, flat.warp, (), shape))


@pytest.mark.parametrize(
    "layout",
    [blocked((64, 64), 4, 4), wgmma_accumulator((128, 64), (2, 1)), blocked((4096,), 2, 8)],
    ids=str,
)
def test_the_part_by_warps(layout: LinearLayout):
    (rows,) = fields_of(layout_drawing(layout).svg, "warps")
    bits = index_bits(layout.shape)
    height = layout.shape[0] if len(bits) > 1 else 1
    width = layout.shape[-1]
    warps = {
        layout.element(register, lane, warp): warp
        for warp in range(layout.warps)
        for lane in range(layout.lanes)
        for register in range(layout.registers)
    }
    said = re.search(r"a field is (?:(\d+) x )?(\d+) elements", layout_drawing(layout).svg)
    assert said
    tall, wide = int(said[1] or 1), int(said[2])
    assert len(rows) == min(height // tall, MAX_BLOCKS)
    for row, fields in enumerate(rows):
        assert len(fields) == min(width // wide, MAX_BLOCKS)
        for column, field in enumerate(fields):
            covered = {
                warps[(row * tall + i) * width + column * wide + j]
                for i in range(tall)
                for j in range(wide)
            }
            assert field.lines == (f"w{covered.pop()}",)
            assert not covered


def test_words_say_what_is_shown():
    text = layout_drawing(LinearLayout((1, 2), (4, 8, 0, 0, 0), (16, 0), (), (32,))).text
    assert "A tile of 32 over 4 warps of 32 lanes, 4 registers each." in text
    assert "Thread 0 holds (0) (1) (2) (3), in the order of its registers." in text
    assert "Lane 1 starts at (4)." in text
    assert (
        "Every element is held 16 times: lanes that differ in bits 2, 3, 4 and warps that differ "
        "in bit 1 hold the same." in text
    )


def test_titles_are_escaped():
    check_drawing(layout_drawing(blocked((4, 8), 1, 1, lanes=32), 'a <b> & "c"'))
