"""Shared memory: which bank holds which element of a tile, and what an access costs.

A field of a tile is a run of adjacent elements in one 16-byte chunk. Its label, `b4-7 +144`, is its
banks and the byte offset of the first element. A drawing of an access has a row for each wavefront
and a column for each bank. A lane that waits for a later wavefront has a bank conflict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from tileir_xdsl.drawings import svg as svg_elements
from tileir_xdsl.drawings.colours import CONFLICT, EMPTY, colour_of
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.fields import Field, drawn_fields
from tileir_xdsl.drawings.tile_panels import Panel, Shown, shown_of
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import (
    BANKS,
    ROW_BYTES,
    WORD_BYTES,
    MatrixAccess,
    VectorAccess,
    phase_bits,
)
from tileir_xdsl.layout.pictures import wavefronts_picture
from tileir_xdsl.layout.shared import SharedLayout

KIND = "shared_memory"
CHUNK_BITS = 8 * ROW_BYTES
BANKS_PER_COLOUR = ROW_BYTES // WORD_BYTES
GAP = 14
MAX_WIDTH = 960
BANK_WIDTH = 34


class BankRun:
    """Adjacent row elements with consecutive addresses in one 16-byte chunk."""

    def __init__(self, row: int, column: int, length: int, address: int, bits: int) -> None:
        self.row, self.column, self.length = row, column, length
        self.address = address
        """The address of the first element, in bits."""
        self.bits = bits
        """The bits of one element."""

    @property
    def banks(self) -> tuple[int, int]:
        """The first and the last bank."""
        last = self.address + self.length * self.bits - 1
        return self.address // 8 // WORD_BYTES % BANKS, last // 8 // WORD_BYTES % BANKS

    @property
    def label(self) -> str:
        """The label `b4-7 +144`; the byte offset may be half, `+3.5`."""
        first, last = self.banks
        banks = f"b{first}" if first == last else f"b{first}-{last}"
        whole, half = divmod(self.address, 8)
        return f"{banks} +{whole}{'.5' if half else ''}"


def bank_runs(layout: SharedLayout, panel: Panel) -> Iterator[BankRun]:
    """The runs of a panel, row by row."""
    bases, bits = layout.address_map().bases, layout.element_bits
    for row in range(panel.rows):
        addresses = [f2.apply(bases, panel.element(row, c)) for c in range(panel.columns)]
        column = 0
        while column < panel.columns:
            first = addresses[column]
            length = 1
            while column + length < panel.columns:
                following = addresses[column + length]
                if following != first + length * bits or following % CHUNK_BITS == 0:
                    break
                length += 1
            yield BankRun(row, column, length, first, bits)
            column += length


@lru_cache(maxsize=256)
def shared_drawing(layout: SharedLayout, title: str = "") -> Drawing:
    """Draws the banks of a tile in shared memory.

    Raises:
        LayoutError: an extent is not a power of two, or the modes overlap.
    """
    shape = "x".join(map(str, layout.shape)) or "one element"
    swizzle = layout.swizzle if layout.swizzle.bits else "no swizzle"
    title = title or f"{shape} of {layout.element_bits} bits in shared memory, {swizzle}"
    shown = _fitting(layout)
    parts: list[str] = []
    height = width = 0.0
    for panel in shown.panels:
        drawn, panel_width, panel_height = _panel(layout, panel, height)
        parts += drawn
        width = max(width, panel_width)
        height += panel_height + GAP
    names = [
        (colour_of(group), f"banks {group * BANKS_PER_COLOUR}-{(group + 1) * BANKS_PER_COLOUR - 1}")
        for group in range(BANKS // BANKS_PER_COLOUR)
    ]
    width = max(width, 480)
    swatches, swatch_height = svg_elements.legend(names, height, width)
    parts += swatches
    height += swatch_height
    if shown.left_out:
        parts.append(svg_elements.note(shown.left_out, height))
        height += svg_elements.LINE_HEIGHT
    words = _describe(layout, shown.left_out)
    svg = svg_elements.document(
        max(width, svg_elements.text_width(shown.left_out)), height, title, parts, words
    )
    return Drawing(KIND, title, (), svg, words)


def _fitting(layout: SharedLayout) -> Shown:
    """The shown panels, with at most 128 bytes per row, and as many columns as fit."""
    shown = shown_of(layout.shape, 8 * WORD_BYTES * BANKS // layout.element_bits)
    columns = shown.panels[0].columns
    unit = _unit(list(bank_runs(layout, shown.panels[0])))
    while columns > 1 and columns * unit > MAX_WIDTH:
        columns //= 2
    return shown_of(layout.shape, columns)


def _unit(runs: Sequence[BankRun]) -> float:
    return max(14.0, *((svg_elements.text_width(run.label) + 8) / run.length for run in runs))


def _panel(layout: SharedLayout, panel: Panel, top: float) -> tuple[list[str], float, float]:
    runs = list(bank_runs(layout, panel))
    unit, start = _unit(runs), top
    left = svg_elements.text_width(panel.row_label(panel.rows - 1)) + 8
    faint: list[str] = []
    if panel.title:
        faint.append(svg_elements.text(0, top + svg_elements.FONT_SIZE, panel.title))
        top += svg_elements.LINE_HEIGHT
    for run in runs:
        if run.row == 0:
            faint.append(
                svg_elements.text(
                    left + run.column * unit + 2, top + svg_elements.FONT_SIZE, str(run.column)
                )
            )
    grid, row_height = top + svg_elements.LINE_HEIGHT, svg_elements.LINE_HEIGHT + 4
    for row in range(panel.rows):
        faint.append(svg_elements.text(0, grid + row * row_height + 14, panel.row_label(row)))
    fields = [
        Field(
            left + run.column * unit,
            grid + run.row * row_height,
            run.length * unit,
            row_height,
            colour_of(run.banks[0] // BANKS_PER_COLOUR),
            (run.label,),
        )
        for run in runs
    ]
    parts = [
        svg_elements.element("g", *faint, fill=svg_elements.FAINT_INK),
        drawn_fields(fields, "banks", panel.columns),
    ]
    return parts, left + panel.columns * unit, grid - start + panel.rows * row_height


def _describe(layout: SharedLayout, left_out: str) -> str:
    shape = "x".join(map(str, layout.shape)) or "one element"
    addresses = layout.address_map()
    lines = [
        f"A tile of {shape} with elements of {layout.element_bits} bits in {addresses.bytes} bytes "
        f"of shared memory: {layout.layout}, {layout.swizzle}, aligned to {layout.alignment} bytes."
    ]
    if layout.swizzle.bits:
        lines.append(
            f"The swizzle permutes chunks of {1 << layout.swizzle.base} bytes within "
            f"{layout.swizzle.span} bytes and repeats every {layout.swizzle.period}."
        )
    if len(layout.shape) > 1 and layout.shape[-2] > 1:
        rows = min(8, layout.shape[-2])
        stride = layout.shape[-1]
        starts = (f2.apply(addresses.bases, row * stride) // 8 for row in range(rows))
        first = [start // WORD_BYTES % BANKS for start in starts]
        lines.append(f"The first column of rows 0 to {rows - 1} is in banks {first}.")
    if left_out:
        lines.append(f"{left_out}.")
    return "\n".join(lines)


@lru_cache(maxsize=256)
def access_drawing(access: VectorAccess | MatrixAccess, title: str) -> Drawing:
    """Draws the wavefronts of the first phase of a warp's access, and marks bank conflicts."""
    picture = wavefronts_picture(access)
    size = ROW_BYTES
    if isinstance(access, VectorAccess):
        size = max(WORD_BYTES, access.vector_bytes)
    unit = BANK_WIDTH if size == WORD_BYTES else 2 * BANK_WIDTH
    left = svg_elements.text_width("wavefront 00 ") + 4
    faint = [
        svg_elements.text(left + column * unit + 4, svg_elements.FONT_SIZE, f"b{bank}")
        for column, bank in enumerate(picture.columns)
    ]
    fields: list[Field] = []
    for row, cells in enumerate(picture.rows):
        y = svg_elements.LINE_HEIGHT + row * 20
        faint.append(svg_elements.text(0, y + 14, f"wavefront {row}"))
        for column, cell in enumerate(cells):
            colour = EMPTY if cell is None else CONFLICT if row else colour_of(0)
            lines = () if cell is None else (f"l{cell.text}",)
            fields.append(Field(left + column * unit, y, unit, 20, colour, lines))
    height = svg_elements.LINE_HEIGHT + len(picture.rows) * 20 + GAP
    width = left + len(picture.columns) * unit
    names = [(colour_of(0), "served at once"), (CONFLICT, "bank conflict: waits")]
    swatches, swatch_height = svg_elements.legend(names, height, width)
    words = _describe_access(access, len(picture.rows), size)
    parts = [
        svg_elements.element("g", *faint, fill=svg_elements.FAINT_INK),
        drawn_fields(fields, "wavefronts"),
        *swatches,
    ]
    lines = words.split("\n")
    for line in lines:
        parts.append(svg_elements.note(line, height + swatch_height))
        height += svg_elements.LINE_HEIGHT
    width = max(width, *map(svg_elements.text_width, lines))
    svg = svg_elements.document(width, height + swatch_height, title, parts, words)
    return Drawing(KIND, title, (), svg, words)


def _describe_access(access: VectorAccess | MatrixAccess, wavefronts: int, size: int) -> str:
    if isinstance(access, VectorAccess):
        what = f"{access.instructions} accesses of {access.vector_bytes} bytes a thread"
        lanes = min(1 << phase_bits(size), 1 << len(access.lane_offsets))
        phase = f"The first {lanes} lanes are a phase"
    else:
        trans = " transposed" if access.transposed else ""
        what = f"{access.instructions} instructions of{trans} 8x8 matrices a warp"
        phase = "The 8 rows of a matrix are a phase"
    conflicts = (
        "free of bank conflicts" if wavefronts == 1 else f"bank conflicts make {wavefronts} of it"
    )
    return (
        f"{what}, {access.wavefronts_each} wavefronts each, {access.wavefronts} a warp in all.\n"
        f"{phase}, which takes one wavefront at best: {conflicts}."
    )
