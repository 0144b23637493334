"""Register layouts: which thread and register holds which element of a tile; colours mark warps.

The first part shows the warps of the whole tile, the second the elements of its corner. A field of
the corner is a run of adjacent elements in consecutive registers of one thread, such as `t5 r0-3`.
The line below lists copies of the run's first element.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tileir_xdsl.drawings import svg as svg_elements
from tileir_xdsl.drawings.colours import EMPTY, colour_of
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.fields import Field, drawn_fields
from tileir_xdsl.drawings.holders import Holders, Run, runs_of
from tileir_xdsl.drawings.tile_panels import Panel, Shown, shown_of
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate, index_bits

MAX_WIDTH = 960
"""The most pixels of a row of a panel."""

MAX_LABEL = 3
"""The most copies that the label of a field lists."""

GAP = 14
MAX_BLOCKS = 16
"""The most rows and columns of the part that shows warps."""

BLOCK_WIDTH, BLOCK_HEIGHT = 30, 18
KIND = "layout"


@lru_cache(maxsize=256)
def layout_drawing(layout: LinearLayout, title: str = "") -> Drawing:
    """Draws a layout of a tile of any number of dimensions."""
    holders = Holders(layout)
    shape = "x".join(map(str, layout.shape)) or "scalar"
    title = title or f"layout of a tile of {shape}"
    shown = _fitting(holders, layout.shape)
    words = describe(layout, shown)
    parts, height, width = _by_warps(holders) if shown.left_out else ([], 0.0, 0.0)
    for panel in shown.panels:
        drawn, panel_width, panel_height = _panel(holders, panel, height)
        parts += drawn
        width = max(width, panel_width)
        height += panel_height + GAP
    names = [(colour_of(warp), f"warp {warp}") for warp in range(min(layout.warps, 16))]
    swatches, swatch_height = svg_elements.legend(names, height, max(width, 400))
    parts += swatches
    height += swatch_height
    for line in filter(None, (shown.left_out, *_remarks(layout))):
        parts.append(svg_elements.note(line, height))
        width = max(width, svg_elements.text_width(line))
        height += svg_elements.LINE_HEIGHT
    width = max(width, min(layout.warps, 5) * 80)
    svg = svg_elements.document(width, height, title, parts, words)
    return Drawing(KIND, title, (), svg, words)


def _fitting(holders: Holders, shape: Sequence[int]) -> Shown:
    """The shown panels, with as many columns as fit."""
    shown = shown_of(shape)
    panel = shown.panels[0]
    # The first row tells how wide labels are, about; numbers grow downwards.
    first_row = list(runs_of(holders, replace(panel, rows=1)))
    unit, columns = unit_width(first_row), panel.columns
    while columns > 1 and columns * unit > MAX_WIDTH:
        columns //= 2
    return shown if columns == panel.columns else shown_of(shape, columns)


def unit_width(runs: Sequence[Run]) -> float:
    """The width of an element in pixels, such that the labels of all runs fit."""
    return max(14.0, *((svg_elements.text_width(label_of(run)) + 8) / run.length for run in runs))


def label_of(run: Run) -> str:
    """The longer of the two label lines of a field."""
    return max(run.label, copies_line(run), key=len)


def copies_line(run: Run) -> str:
    """The text `+t16 +t32 ..` of the copies of the first element of a run."""
    labels = run.copy_labels()
    return " ".join(labels[:MAX_LABEL]) + (" .." if len(labels) > MAX_LABEL else "")


def _panel(holders: Holders, panel: Panel, top: float) -> tuple[list[str], float, float]:
    """The SVG elements of a panel below `top`, and the panel's width and height."""
    runs = list(runs_of(holders, panel))
    unit = unit_width(runs)
    has_copies = any(run.copies for run in runs)
    row_height = svg_elements.LINE_HEIGHT * (2 if has_copies else 1) + 4
    left = svg_elements.text_width(panel.row_label(panel.rows - 1)) + 8
    parts: list[str] = []
    if panel.title:
        parts.append(svg_elements.text(0, top + svg_elements.FONT_SIZE, panel.title))
        top += svg_elements.LINE_HEIGHT
    # Not every column number fits above columns of vectors.
    step = 1
    while step * unit < svg_elements.text_width(str(panel.columns)) + 6:
        step *= 2
    faint: list[str] = []
    for column in range(0, panel.columns, step):
        faint.append(
            svg_elements.text(left + column * unit + 2, top + svg_elements.FONT_SIZE, str(column))
        )
    grid = top + svg_elements.LINE_HEIGHT
    for row in range(panel.rows):
        faint.append(svg_elements.text(0, grid + row * row_height + 14, panel.row_label(row)))
    parts.append(svg_elements.element("g", *faint, fill=svg_elements.FAINT_INK))
    fields = (_field(holders, run, left, grid, unit, row_height) for run in runs)
    parts.append(drawn_fields(fields, "holders", panel.columns))
    total = grid - top + panel.rows * row_height + (svg_elements.LINE_HEIGHT if panel.title else 0)
    return parts, left + panel.columns * unit, total


def _field(
    holders: Holders, run: Run, left: float, top: float, unit: float, row_height: float
) -> Field:
    """The rectangle of a run with its labels."""
    fill = EMPTY
    if run.holder is not None:
        fill = colour_of(run.holder.thread // holders.layout.lanes)
    x, y = left + run.column * unit, top + run.row * row_height
    copies = copies_line(run)
    lines = (run.label, copies) if copies else (run.label,)
    return Field(x, y, run.length * unit, row_height, fill, lines)


def _by_warps(holders: Holders) -> tuple[list[str], float, float]:
    """The drawing of the warps of the whole tile or its first matrix; also its height and width."""
    layout = holders.layout
    if layout.warps == 1 or not layout.shape:
        return [], 0.0, 0.0
    bits = index_bits(layout.shape)
    columns, rows = bits[-1], bits[-2] if len(bits) > 1 else ()
    tall, wide = _same_warp(holders, rows), _same_warp(holders, columns)
    down, across = 1 << (len(rows) - tall), 1 << (len(columns) - wide)
    caption = f"warps: a field is {1 << tall} x {1 << wide} elements"
    if len(layout.shape) < 2:
        caption = f"warps: a field is {1 << wide} elements"
    if down > MAX_BLOCKS or across > MAX_BLOCKS:
        caption += f", of the first {min(down, MAX_BLOCKS)} x {min(across, MAX_BLOCKS)} fields"
    parts = [svg_elements.text(0, svg_elements.FONT_SIZE, caption, fill=svg_elements.FAINT_INK)]
    fields = [
        _warp_field(holders.warp((row << tall << len(columns)) | column << wide), column, row)
        for row in range(min(down, MAX_BLOCKS))
        for column in range(min(across, MAX_BLOCKS))
    ]
    parts.append(drawn_fields(fields, "warps"))
    width = max(min(across, MAX_BLOCKS) * BLOCK_WIDTH, svg_elements.text_width(caption))
    return parts, svg_elements.LINE_HEIGHT + min(down, MAX_BLOCKS) * BLOCK_HEIGHT + GAP, width


def _warp_field(warp: int | None, column: int, row: int) -> Field:
    fill = EMPTY if warp is None else colour_of(warp)
    x, y = column * BLOCK_WIDTH, svg_elements.LINE_HEIGHT + row * BLOCK_HEIGHT
    return Field(x, y, BLOCK_WIDTH, BLOCK_HEIGHT, fill, ("-" if warp is None else f"w{warp}",))


def _same_warp(holders: Holders, bits: Sequence[int]) -> int:
    """How many of the lowest bits of a coordinate do not change the warp."""
    count = 0
    for bit in bits:
        if holders.warp(1 << bit):
            break
        count += 1
    return count


def _remarks(layout: LinearLayout) -> list[str]:
    """Remarks for lines below the picture."""
    found: list[str] = []
    if layout.replication > 1:
        found.append(f"every element is held {layout.replication} times: {_replicated(layout)}")
    if not layout.is_surjective:
        found.append("elements without a label are held by nobody")
    return found


def _replicated(layout: LinearLayout) -> str:
    names = (
        ("registers", layout.replicated_registers),
        ("lanes", layout.replicated_lanes),
        ("warps", layout.replicated_warps),
    )
    masks = [f"{name} that differ in {_bits(mask)}" for name, mask in names if mask]
    return " and ".join(masks) + " hold the same" if masks else "some threads hold the same"


def _bits(mask: int) -> str:
    bits = [str(bit) for bit in range(mask.bit_length()) if mask >> bit & 1]
    return f"bit{'s' if len(bits) > 1 else ''} {', '.join(bits)}"


def describe(layout: LinearLayout, shown: Shown) -> str:
    """A layout in words: its sizes, the elements of thread 0, and the step from thread to
    thread.
    """
    shape = "x".join(map(str, layout.shape)) or "one element"
    lines = [
        f"A tile of {shape} over {layout.warps} warps of {layout.lanes} lanes, "
        f"{layout.registers} registers each"
        + (f", in {layout.blocks} thread blocks." if layout.blocks > 1 else "."),
    ]
    try:
        lines.append(f"As shape:stride of (register, lane, warp, block): {layout.to_cute()}.")
    except LayoutError:
        lines.append("It has no shape:stride form.")
    held = [_coordinate(layout, number) for number in layout.register_elements()[:8]]
    more = " .." if layout.registers > len(held) else ""
    lines.append(f"Thread 0 holds {' '.join(held)}{more}, in the order of its registers.")
    if layout.lanes > 1:
        lines.append(f"Lane 1 starts at {_coordinate(layout, layout.element(lane=1))}.")
    if layout.warps > 1:
        lines.append(f"Warp 1 starts at {_coordinate(layout, layout.element(warp=1))}.")
    lines += [
        f"{line[0].upper()}{line[1:]}." for line in (*_remarks(layout), shown.left_out) if line
    ]
    return "\n".join(lines)


def _coordinate(layout: LinearLayout, number: int) -> str:
    return f"({', '.join(map(str, element_coordinate(number, layout.shape)))})"
