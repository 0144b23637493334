"""Coloured rectangles with labels, in compact SVG text.

The rectangles of one colour are one path; labels have a text colour with contrast.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tileir_xdsl.drawings.colours import ink_on
from tileir_xdsl.drawings.svg import LINE_HEIGHT, RULE, element, number, text

PADDING = 4
BASE_LINE = 14


@dataclass(frozen=True)
class Field:
    """A rectangle in pixels, and the lines of its label."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    lines: Sequence[str] = ()

    @property
    def outline(self) -> str:
        """The rectangle as SVG path data."""
        x, y, width, height = map(number, (self.x, self.y, self.width, self.height))
        return f"M{x} {y}h{width}v{height}h-{width}z"


def drawn_fields(fields: Iterable[Field], part: str, columns: int | None = None) -> str:
    """The fields as one SVG group, with attributes for the name of the part and the columns per
    row.
    """
    outlines: dict[str, list[str]] = {}
    labels: dict[str, list[str]] = {}
    for field in fields:
        outlines.setdefault(field.colour, []).append(field.outline)
        for row, line in enumerate(field.lines):
            x, y = field.x + PADDING, field.y + BASE_LINE + row * LINE_HEIGHT
            labels.setdefault(ink_on(field.colour), []).append(text(x, y, line))
    boxes = (element("path", d="".join(paths), fill=fill) for fill, paths in outlines.items())
    texts = (element("g", *lines, fill=ink) for ink, lines in labels.items())
    frame = element("g", *boxes, stroke=RULE, stroke_width=0.5)
    return element("g", frame, *texts, data_part=part, data_columns=columns)
