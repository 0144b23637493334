"""Writes the table of measured figures of `README.md`.

`python -m docs.figures` writes it from `bench/stored/loops.json` and `docs/figures.json`. A row has
the measure, the rival, the figure and the command that measures it; a test compares.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bench.loops import Row, stored_rows
from docs.loops import is_bound, ratio, rows_of

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "README.md"
TABLE = Path(__file__).with_name("figures.json")
BLOCK = re.compile(r"(<!-- figures: .*?-->\n).*?(<!-- end of figures -->)", re.DOTALL)


class Figure(NamedTuple):
    """A row of the table: a ratio of ours to a rival's, or what else the measure says."""

    measure: str
    against: str
    figure: str
    command: str


def loops(stored: Mapping[str, Row]) -> Iterator[Figure]:
    """The instructions of inner loops to the better rival, of those bound by tensor cores apart."""
    keys = dict.fromkeys(key.split(": ")[0].partition(" ")[::2] for key in stored)
    rows = [rows_of(stored, gpu, name) for gpu, name in keys]
    for bound, title in ((True, "bound by tensor cores"), (False, "others")):
        ratios = [r for row in rows if is_bound(row) is bound and (r := ratio(row)) is not None]
        yield Figure(
            f"instructions of inner loops, {title}, median of {len(ratios)}",
            "the better of `tileiras` and Triton",
            f"{statistics.median(ratios):.2f}",
            "python -m bench.loops",
        )


def figures() -> list[Figure]:
    """All rows: those of stored loops, then those of the table."""
    stored = json.loads(TABLE.read_text("utf-8"))
    return [*loops(stored_rows()), *(Figure(**row) for row in stored)]


def table() -> str:
    """The rows in Markdown."""
    lines = ["| measure | against | ours to theirs | command |", "|---|---|---|---|"]
    lines += [f"| {f.measure} | {f.against} | {f.figure} | `{f.command}` |" for f in figures()]
    return "\n".join(lines)


def page(text: str) -> str:
    """The text of the README with the table."""
    made, count = BLOCK.subn(lambda found: f"{found[1]}{table()}\n{found[2]}", text)
    if count != 1:
        raise ValueError(f"{PAGE} has {count} places for the table of figures")
    return made


def main() -> None:
    """Writes the table."""
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
