"""The part of a tile that a drawing shows: matrices of elements, and a text about omitted elements.

The last two dimensions are rows and columns; other dimensions number panels. A tile of one
dimension is wrapped into rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.layout.cute import product
from tileir_xdsl.layout.linear import element_strides

MAX_ROWS, MAX_COLUMNS, MAX_PANELS = 16, 32, 4


@dataclass(frozen=True)
class Panel:
    """A matrix of elements."""

    index: tuple[int, ...]
    """The coordinates of the panel in all dimensions except the last two."""
    first: int
    """The row-major index of the element in the upper left corner."""
    rows: int
    columns: int
    row_stride: int
    """The distance in elements from one row to the next."""
    wrapped: bool
    """Whether the rows are parts of one dimension."""

    def element(self, row: int, column: int) -> int:
        """The row-major index of an element of the tile."""
        return self.first + row * self.row_stride + column

    def row_label(self, row: int) -> str:
        """The coordinate of a row; if rows are wrapped, the coordinate of the first element."""
        return str(row * self.columns if self.wrapped else row)

    @property
    def title(self) -> str:
        """A title such as `[1, 0, :, :]`; empty for the only panel of a tile."""
        return f"[{', '.join((*map(str, self.index), ':', ':'))}]" if self.index else ""


@dataclass(frozen=True)
class Shown:
    """The shown panels of a tile, and a text about omitted elements, which may be empty."""

    panels: tuple[Panel, ...]
    left_out: str


def shown_of(shape: Sequence[int], max_columns: int = MAX_COLUMNS) -> Shown:
    """The upper left corner of a tile, with at most `max_columns` columns."""
    shape = tuple(shape)
    columns = min(shape[-1] if shape else 1, max_columns)
    wrapped = len(shape) < 2
    height = product(shape) // columns if wrapped else shape[-2]
    rows = min(height, MAX_ROWS)
    stride = columns if wrapped else shape[-1]
    outer = shape[:-2]
    strides = element_strides(shape)
    panels = [
        Panel(
            index,
            sum(i * step for i, step in zip(index, strides, strict=False)),
            rows,
            columns,
            stride,
            wrapped,
        )
        for index in itertools.islice(itertools.product(*map(range, outer)), MAX_PANELS)
    ]
    drawn = rows * columns * len(panels)
    left_out = ""
    if drawn < product(shape):
        left_out = f"{drawn} of {product(shape)} elements shown: " + (
            f"the first {rows * columns}"
            if wrapped
            else f"the first {rows} rows and {columns} columns"
            + (f" of {len(panels)} of {product(outer)} matrices" if product(outer) > 1 else "")
        )
    return Shown(tuple(panels), left_out)
