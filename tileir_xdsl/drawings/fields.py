"""Coloured rectangles with labels: many of them, in little text.

The rectangles of one colour are one path; labels stand in them, in ink that reads on the colour.
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
        """The rectangle as a part of a path."""
        x, y, width, height = map(number, (self.x, self.y, self.width, self.height))
        return f"M{x} {y}h{width}v{height}h-{width}z"


def drawn_fields(fields: Iterable[Field], part: str, columns: int | None = None) -> str:
    """The fields as one group, which is named and says how many columns its rows have."""
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
