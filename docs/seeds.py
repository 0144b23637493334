"""Writes `docs/seeds.md`: the examples and table rows of the seeds, with the tests that hold them.

`python -m docs.seeds` writes the page from `docs/seed_rows.jsonl`; tests compare it, and find
every test that it names.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from docs.seed_exceptions import UNREADABLE
from docs.seed_rows import SeedRow, seed_rows

PAGE = Path(__file__).resolve().parent / "seeds.md"

TITLES = {
    "000": "TileAS layout and buffer family",
    "001": "Lowering cuda_tile to nv_tileaa",
    "002": "Tile IR specification, section 8, operations",
    "003": "nv_tileas operation roster and builders",
    "004": "nv_tileas folds and memory consistency",
}

HEADER = """# The seeds, row by row

Written by `python -m docs.seeds` from `docs/seed_rows.jsonl`; tests compare the two, and check that
every named test exists. A *seed* is one of the five documents that define the system. For each
worked example and each table row of a seed, this page names a test, as an argument for pytest or
lit. The test must fail if a source is changed so that the row no longer holds. `python -m
tests.mutations --rows` changes sources for a tenth of the rows, `--rows all` for all, and reports
each test that still passes. [road_coverage](road_coverage.md) tells which rows the compilation of
kernels uses.
"""

EXCEPTIONS = """## Inputs that cannot be read to the letter

Seed inputs not listed below are parsed without changes (`tests/unit/docs/test_seed_inputs.py`), and
converted to the outputs that the seeds show. The examples of the lowering write tiles as tensor
types, `to` in conversions, blocks in reductions, and `token.join`; the compiler prints the form of
the specification.
"""


def page() -> str:
    """The text of the page."""
    parts = [HEADER]
    for seed, rows in groupby(seed_rows(), key=lambda row: row.seed):
        parts.append(f"## {seed}: {TITLES[seed]}\n")
        for section, listed in groupby(rows, key=lambda row: row.section):
            lines = [f"### {section}\n", "| row | test |", "|---|---|", *map(_line, listed), ""]
            parts.append("\n".join(lines))
    lines = [EXCEPTIONS, "| seed | input | why |", "|---|---|---|"]
    lines += [f"| {seed} | {title} | {reason} |" for (seed, title), reason in UNREADABLE.items()]
    return "\n".join([*parts, *lines, ""])


def _line(row: SeedRow) -> str:
    test = row.test.replace("|", "\\|")
    return f"| {row.row} | `{test}` |"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
