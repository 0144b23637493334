"""Prints diagnostics to a terminal in colour, with the line of the source.

Other streams get one line per diagnostic. Colours need the package rich. Output is plain without
rich, with `NO_COLOR` set, or on a terminal without colours.
"""

import linecache
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TextIO, cast

from tileir_xdsl.runtime.errors import PLACE, printable

WIDTH = 100
"""The longest shown excerpt of a source line, in characters."""

Styled = tuple[str, str]
"""A text and the style in which rich shows it."""


_KINDS = {"error": "bold red", "remark": "bold cyan"}
_DIAGNOSTIC = re.compile(
    rf"(?P<location>.*?): (?P<kind>{'|'.join(_KINDS)}): (?P<message>.*)", re.DOTALL
)


def print_diagnostic(diagnostic: object, stream: TextIO) -> None:
    """Prints an error or a remark; on a terminal also the line of the source that it is about."""
    text = str(diagnostic)
    found = _DIAGNOSTIC.fullmatch(text)
    if found is None or not stream.isatty():
        stream.write(f"{text}\n")
        return
    kind = found["kind"]
    head = ((f"{found['location']}: ", "bold"), (f"{kind}: ", _KINDS[kind]))
    _write([*head, (f"{found['message']}\n", ""), *excerpt(found["location"])], stream)


def excerpt(location: str) -> Iterator[Styled]:
    """Yields the line at `FILE:LINE:COL` with a caret under the column, if the line exists."""
    place = PLACE.fullmatch(location)
    text = None if place is None else _line_of(place["file"], int(place["line"]))
    if place is None or text is None:
        return
    column = min(int(place["column"]) - 1, len(text))
    start = max(0, min(column - WIDTH // 2, len(text) - WIDTH))
    shown = printable(text[start : start + WIDTH].expandtabs(1))
    number = place["line"]
    yield f"{number} | ", "dim"
    yield f"{shown}\n", ""
    yield f"{' ' * len(number)} | ", "dim"
    yield f"{' ' * len(printable(text[start:column].expandtabs(1)))}", ""
    yield "^\n", "bold green"


def _line_of(file: str, number: int) -> str | None:
    """A line of a text file; None if the line does not exist or the file is not text."""
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, ValueError):
        # Python keeps the lines of cells of notebooks, which are in no file.
        return linecache.getline(file, number).rstrip("\n") or None
    return lines[number - 1] if 1 <= number <= len(lines) else None


def _write(parts: list[Styled], stream: TextIO) -> None:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        stream.write("".join(text for text, _ in parts))
        return
    try:
        # An extra, and only where a person reads.
        from rich.console import Console  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415
    except ImportError:
        stream.write("".join(text for text, _ in parts))
        return
    console = Console(file=cast(IO[str], stream), highlight=False, soft_wrap=True)
    console.print(Text.assemble(*parts), end="")
