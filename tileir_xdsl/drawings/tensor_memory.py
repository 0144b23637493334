"""Drawings of tensor memory: 128 lanes of 512 columns, its tiles, and the warps that access each
lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.drawings import svg as svg_elements
from tileir_xdsl.drawings.colours import colour_of, ink_on
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.fields import Field, drawn_fields
from tileir_xdsl.drawings.tile_panels import shown_of
from tileir_xdsl.layout.tensor_memory import COLUMNS, LANES, TensorMemoryLayout

KIND = "tensor_memory"
COLUMN_WIDTH, LANE_HEIGHT = 1.75, 1.5
LANES_OF_WARP = 32
LEFT = 110
MAX_COLUMNS, MAX_LANES = 16, 16


@dataclass(frozen=True)
class TensorAllocation:
    """Columns of tensor memory that an op allocates for a tile of `rows` rows; None means all
    lanes.
    """

    name: str
    first_column: int
    columns: int
    rows: int | None
    ids: tuple[str, ...] = ()


def lane_ranges(rows: int | None) -> tuple[tuple[int, int], ...]:
    """The lanes of a tile of this many rows: 64 rows use half of the lanes of each warp."""
    if rows == LANES // 2:
        half = LANES_OF_WARP // 2
        return tuple((first, first + half) for first in range(0, LANES, LANES_OF_WARP))
    return ((0, LANES),)


def tensor_memory_drawing(
    allocations: Sequence[TensorAllocation], title: str, ids: Sequence[str] = ()
) -> Drawing:
    """Draws the columns and lanes of each allocation."""
    width, height = LEFT + COLUMNS * COLUMN_WIDTH, LANES * LANE_HEIGHT
    top = svg_elements.LINE_HEIGHT
    parts = [
        svg_elements.element(
            "rect", x=LEFT, y=top, width=COLUMNS * COLUMN_WIDTH, height=height, fill="#f2f2f2"
        )
    ]
    faint = [
        svg_elements.text(LEFT + column * COLUMN_WIDTH, svg_elements.FONT_SIZE, str(column))
        for column in range(0, COLUMNS, 64)
    ]
    for warp in range(LANES // LANES_OF_WARP):
        y = top + warp * LANES_OF_WARP * LANE_HEIGHT
        lanes = f"{warp * LANES_OF_WARP}-{(warp + 1) * LANES_OF_WARP - 1}"
        faint.append(svg_elements.text(0, y + 22, f"lanes {lanes}"))
        faint.append(svg_elements.text(0, y + 22 + svg_elements.LINE_HEIGHT, f"warp {warp} of 4"))
    for index, allocation in enumerate(allocations):
        parts.append(_allocation(allocation, index, top))
    for warp in range(1, LANES // LANES_OF_WARP):
        y = top + warp * LANES_OF_WARP * LANE_HEIGHT
        parts.append(
            svg_elements.element("line", x1=LEFT, x2=width, y1=y, y2=y, stroke=svg_elements.RULE)
        )
    parts.append(svg_elements.element("g", *faint, fill=svg_elements.FAINT_INK))
    used = max((a.first_column + a.columns for a in allocations), default=0)
    lines = [
        f"{used} of {COLUMNS} columns are in use, each 32 bits of {LANES} lanes.",
        *(
            f"{a.name}: columns {a.first_column} to {a.first_column + a.columns - 1}, lanes "
            + ", ".join(f"{first} to {end - 1}" for first, end in lane_ranges(a.rows))
            + "."
            for a in allocations
        ),
    ]
    y = top + height + 8
    for line in lines:
        parts.append(svg_elements.note(line, y))
        y += svg_elements.LINE_HEIGHT
    words = "\n".join(lines)
    svg = svg_elements.document(
        max(width, *map(svg_elements.text_width, lines)), y, title, parts, words
    )
    return Drawing(KIND, title, tuple(ids), svg, words)


def _allocation(allocation: TensorAllocation, index: int, top: float) -> str:
    colour = colour_of(index)
    x, width = LEFT + allocation.first_column * COLUMN_WIDTH, allocation.columns * COLUMN_WIDTH
    boxes = (
        svg_elements.element(
            "rect",
            x=x,
            y=top + first * LANE_HEIGHT,
            width=width,
            height=(end - first) * LANE_HEIGHT,
            fill=colour,
            stroke=svg_elements.GROUND,
        )
        for first, end in lane_ranges(allocation.rows)
    )
    fits = svg_elements.text_width(allocation.name) + 8 <= width
    label = allocation.name if fits else ""
    return svg_elements.element(
        "g",
        svg_elements.titled(allocation.name),
        *boxes,
        svg_elements.text(x + 4, top + 16, label, fill=ink_on(colour)) if label else "",
        data_id=svg_elements.joined_ids(allocation.ids),
        data_columns=f"{allocation.first_column} {allocation.columns}",
    )


def accumulator_drawing(
    layout: TensorMemoryLayout, title: str = "", ids: Sequence[str] = ()
) -> Drawing:
    """Draws the lane and column, `l17 c3`, of the elements in a tile's corner."""
    shape = "x".join(map(str, layout.shape))
    title = title or f"{shape} in tensor memory"
    shown = shown_of(layout.shape, MAX_COLUMNS)
    (panel,) = shown.panels
    fields: list[Field] = []
    for row in range(panel.rows):
        for column in range(panel.columns):
            lane, at = divmod(layout.address(panel.element(row, column)), 1 << 16)
            colour = colour_of(lane // LANES_OF_WARP)
            fields.append(Field(column * 68, row * 20, 68, 20, colour, (f"l{lane} c{at}",)))
    height = panel.rows * 20 + 4
    rows = layout.shape[0]
    ends = [layout.address(row * layout.shape[1]) >> 16 for row in (0, rows - 1)]
    words = (
        f"A tile of {shape} in tensor memory: {layout.columns} columns, lanes {ends[0]} to "
        f"{ends[1]}. Each element has its lane and column, and the colour of its warp."
    )
    parts = [drawn_fields(fields, "tensor_memory"), svg_elements.note(words, height)]
    if shown.left_out:
        parts.append(svg_elements.note(shown.left_out, height + svg_elements.LINE_HEIGHT))
    width = max(panel.columns * 68, svg_elements.text_width(words))
    svg = svg_elements.document(width, height + 2 * svg_elements.LINE_HEIGHT, title, parts, words)
    return Drawing(KIND, title, tuple(ids), svg, words)
