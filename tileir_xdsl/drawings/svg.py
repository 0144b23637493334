"""SVG as text: elements, escaped text, and the document around them.

All drawings have a white background, so that they look the same on a dark page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

FONT_SIZE = 11
"""The font size in pixels; no drawing has smaller text."""

CHARACTER_WIDTH = 6.7
"""The width of a character in pixels, in the monospaced font at that size."""

LINE_HEIGHT = 16
MARGIN = 10
INK = "#1a1a1a"
GROUND = "#ffffff"
FAINT_INK = "#595959"
RULE = "#8c8c8c"


def number(value: float) -> str:
    """Formats a coordinate to a tenth of a pixel."""
    return f"{round(value, 1):g}"


def element(name: str, /, *content: str, **attributes: str | float | None) -> str:
    """An SVG element; the attribute `data_id` becomes `data-id`, and None omits an attribute."""
    given = "".join(
        f' {key.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(content)
    return f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>"


def text(x: float, y: float, string: str, **attributes: str | float | None) -> str:
    """A line of text; `y` is its base line."""
    return element("text", escape(string), x=x, y=y, **attributes)


def titled(string: str) -> str:
    """The tooltip that browsers show for the enclosing element."""
    return element("title", escape(string))


def text_width(string: str) -> float:
    """The width of a line of text in pixels."""
    return len(string) * CHARACTER_WIDTH


def joined_ids(ids: Sequence[str]) -> str | None:
    """The `data-id` of an element that represents several ops or values; None if there are none."""
    return " ".join(ids) or None


def document(
    width: float, height: float, title: str, parts: Iterable[str], description: str = ""
) -> str:
    """A complete SVG document of this width and height in pixels, unless the page scales it."""
    full_width = max(width, text_width(title) * 1.1) + 2 * MARGIN
    full_height = height + 2 * MARGIN + LINE_HEIGHT
    heading = text(0, 0, title, font_size=FONT_SIZE + 1, font_weight="bold")
    body = element(
        "g",
        element("g", heading, transform=f"translate({MARGIN} {MARGIN + FONT_SIZE})"),
        element("g", *parts, transform=f"translate({MARGIN} {MARGIN + LINE_HEIGHT})"),
        font_family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace",
        font_size=FONT_SIZE,
        fill=INK,
    )
    return element(
        "svg",
        titled(title),
        element("desc", escape(description)) if description else "",
        element("rect", width=full_width, height=full_height, fill=GROUND),
        body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(full_width)} {number(full_height)}",
        width=full_width,
        height=full_height,
        role="img",
    )


def legend(entries: Sequence[tuple[str, str]], y: float, width: float) -> tuple[list[str], float]:
    """Colour swatches with names, in rows of the given width; returns SVG elements and their
    height.
    """
    parts: list[str] = []
    x = row = 0.0
    for colour, name in entries:
        needed = 18 + text_width(name) + 12
        if x and x + needed > width:
            x, row = 0.0, row + LINE_HEIGHT
        parts.append(element("rect", x=x, y=y + row, width=12, height=12, fill=colour, stroke=RULE))
        parts.append(text(x + 18, y + row + 10, name))
        x += needed
    return parts, row + LINE_HEIGHT if entries else 0


def note(string: str, y: float) -> str:
    """A remark below a drawing."""
    return text(0, y + FONT_SIZE, string, fill=FAINT_INK)
