"""Layouts as pictures, for reports, documentation and notebooks.

A picture prints as text; a notebook shows it in colours, one for each thread or bank.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import (
    BANKS,
    ROW_BYTES,
    WORD_BYTES,
    MatrixAccess,
    VectorAccess,
    phase_bits,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout

HUE_STEP = 137.508
"""Degrees between the colours of neighbouring groups: the golden angle keeps them apart."""

CHARACTER_WIDTH = 8
LINE_HEIGHT = 22


@dataclass(frozen=True)
class Cell:
    """One field of a picture; all fields of a group have the same colour."""

    text: str
    group: int


@dataclass(frozen=True, repr=False)
class Picture:
    """Rows of fields under column titles, with the row number in front."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell | None, ...], ...]

    def corner(self, rows: int, columns: int) -> Picture:
        """The first rows and columns of a picture."""
        return Picture(self.columns[:columns], tuple(row[:columns] for row in self.rows[:rows]))

    def texts(self) -> list[list[str]]:
        """The fields as text, row by row."""
        return [["" if cell is None else cell.text for cell in row] for row in self.rows]

    def _widths(self) -> tuple[int, int]:
        """The characters of a row number and of a field."""
        longest = max(len(text) for row in (self.columns, *self.texts()) for text in row)
        return len(str(len(self.rows) - 1)), longest

    def __str__(self) -> str:
        margin, width = self._widths()
        lines = [" " * margin + " |" + "".join(f" {title:>{width}}" for title in self.columns)]
        lines.append("-" * (margin + 1) + "+" + "-" * ((width + 1) * len(self.columns)))
        for number, row in enumerate(self.texts()):
            fields = "".join(f" {text:>{width}}" for text in row)
            lines.append(f"{number:>{margin}} |{fields}".rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        """The picture as SVG, which Jupyter shows in place of the text."""
        margin, characters = self._widths()
        left, width = (margin + 2) * CHARACTER_WIDTH, (characters + 2) * CHARACTER_WIDTH
        size = (left + width * len(self.columns), LINE_HEIGHT * (1 + len(self.rows)))
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
            'font-family="monospace" font-size="12" text-anchor="middle">'
        ]

        def position(text: str, column: float, row: int) -> None:
            x, y = left + (column + 0.5) * width, (row + 0.7) * LINE_HEIGHT
            parts.append(f'<text x="{x:g}" y="{y:g}">{escape(text)}</text>')

        for column, title in enumerate(self.columns):
            position(title, column, 0)
        for row, cells in enumerate(self.rows, 1):
            position(str(row - 1), -0.5 - left / 2 / width, row)
            for column, cell in enumerate(cells):
                if cell is None:
                    continue
                hue = cell.group * HUE_STEP % 360
                parts.append(
                    f'<rect x="{left + column * width}" y="{row * LINE_HEIGHT}" width="{width}" '
                    f'height="{LINE_HEIGHT}" fill="hsl({hue:.0f}, 70%, 82%)" stroke="white"/>'
                )
                position(cell.text, column, row)
        return "\n".join([*parts, "</svg>"])


def _rows_and_columns(shape: tuple[int, ...]) -> tuple[int, int]:
    if len(shape) != 2:
        raise LayoutError(f"expected a layout of two dimensions for a picture, got shape {shape}")
    return shape[0], shape[1]


def distributed_picture(layout: LinearLayout) -> Picture:
    """A matrix with ``thread:register`` in every field; of several copies the first is shown.

    Raises:
        LayoutError: the tile has other than two dimensions, or elements that nobody holds.
    """
    rows, columns = _rows_and_columns(layout.shape)
    if not layout.is_surjective:
        raise LayoutError("expected a layout that holds every element for a picture")
    span = f2.Span(layout.bases())

    def cell(element: int) -> Cell:
        position = span.reduce(element)[1]
        thread = position >> len(layout.register)
        return Cell(f"{thread}:{position & (layout.registers - 1)}", thread)

    return Picture(
        tuple(map(str, range(columns))),
        tuple(
            tuple(cell(row * columns + column) for column in range(columns)) for row in range(rows)
        ),
    )


def banks_picture(layout: SharedLayout) -> Picture:
    """A matrix with the first bank of every 16-byte chunk of every row.

    Raises:
        LayoutError: the tile has other than two dimensions, or rows that 16 bytes do not divide.
    """
    rows, columns = _rows_and_columns(layout.shape)
    chunk = 8 * ROW_BYTES // layout.element_bits
    if columns % chunk:
        raise LayoutError(f"rows of {columns} elements do not fill a multiple of 16 bytes")
    bases = layout.address_map().bases

    def cell(element: int) -> Cell:
        bank = f2.apply(bases, element) // 8 // WORD_BYTES % BANKS
        return Cell(str(bank), bank)

    return Picture(
        tuple(f"+{ROW_BYTES * index}B" for index in range(columns // chunk)),
        tuple(
            tuple(cell(row * columns + column) for column in range(0, columns, chunk))
            for row in range(rows)
        ),
    )


def wavefronts_picture(access: VectorAccess | MatrixAccess) -> Picture:
    """The lanes that each wavefront of the first phase serves, below the first bank they access.

    A row is a wavefront. Of lanes that read the same words, only the first is shown. For ldmatrix
    and stmatrix the lanes are those that supply the rows of the first matrix.
    """
    if isinstance(access, VectorAccess):
        offsets, size = access.lane_offsets, max(WORD_BYTES, access.vector_bytes)
    else:
        offsets, size = access.row_offsets, ROW_BYTES
    units_per_wavefront = BANKS * WORD_BYTES // size
    waiting: list[list[Cell]] = [[] for _ in range(units_per_wavefront)]
    served: set[int] = set()
    for lane, offset in enumerate(f2.table(offsets[: phase_bits(size)])):
        unit = offset // size
        if unit not in served:
            served.add(unit)
            waiting[unit % units_per_wavefront].append(Cell(str(lane), lane))
    waves = max(map(len, waiting))
    return Picture(
        tuple(str(unit * size // WORD_BYTES) for unit in range(units_per_wavefront)),
        tuple(
            tuple(lanes[wave] if wave < len(lanes) else None for lanes in waiting)
            for wave in range(waves)
        ),
    )
