"""Layouts as text, for reports and documentation."""

from __future__ import annotations

from collections.abc import Sequence

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import BANKS, WORD_BYTES
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout


def _grid(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> str:
    """Right-aligned cells under column titles, with the row number in front."""
    numbers = [str(row) for row in range(len(rows))]
    margin = max(map(len, numbers))
    width = max(len(cell) for row in (columns, *rows) for cell in row)
    lines = [" " * margin + " |" + "".join(f" {title:>{width}}" for title in columns)]
    lines.append("-" * (margin + 1) + "+" + "-" * ((width + 1) * len(columns)))
    for number, row in zip(numbers, rows, strict=True):
        lines.append(f"{number:>{margin}} |" + "".join(f" {cell:>{width}}" for cell in row))
    return "\n".join(lines)


def distributed_picture(layout: LinearLayout) -> str:
    """A matrix with ``thread:register`` in every cell; of several copies the first is shown.

    Raises:
        LayoutError: the tile has other than two dimensions, or elements that nobody holds.
    """
    if len(layout.shape) != 2:
        raise LayoutError(f"pictures show two dimensions, got shape {layout.shape}")
    if not layout.is_surjective:
        raise LayoutError("pictures show layouts that hold every element")
    rows, columns = layout.shape
    span = f2.Span(layout.bases())
    cells: list[list[str]] = []
    for row in range(rows):
        places = [span.reduce(row * columns + column)[1] for column in range(columns)]
        cells.append(
            [
                f"{place >> len(layout.register)}:{place & (layout.registers - 1)}"
                for place in places
            ]
        )
    return _grid(cells, [str(column) for column in range(columns)])


def banks_picture(layout: SharedLayout) -> str:
    """A matrix with the first bank of every 16-byte chunk of every row.

    Raises:
        LayoutError: the tile has other than two dimensions, or rows that 16 bytes do not divide.
    """
    if len(layout.shape) != 2:
        raise LayoutError(f"pictures show two dimensions, got shape {layout.shape}")
    rows, columns = layout.shape
    chunk = 128 // layout.element_bits
    if columns % chunk:
        raise LayoutError(f"rows of {columns} elements are no multiple of 16 bytes")
    bases = layout.address_map().bases
    cells = [
        [
            str(f2.apply(bases, row * columns + column) // 8 // WORD_BYTES % BANKS)
            for column in range(0, columns, chunk)
        ]
        for row in range(rows)
    ]
    return _grid(cells, [f"+{16 * index}B" for index in range(columns // chunk)])
