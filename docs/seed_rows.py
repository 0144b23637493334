"""The examples and the rows of the tables of the five seeds, each with the test that holds it.

A seed is one of the documents that define the system: 000 "TileAS Layout and Buffer Family", 001
"Lowering: cuda_tile to nv_tileaa", 002 "Tile IR Specification, 8. Operations", 003 "nv_tileas
Operation Roster and Builders", 004 "nv_tileas Folds and Memory Consistency". A row carries a break,
a change of one source that makes it untrue: `python -m tests.mutations --rows` plants breaks and
sees the named tests fail.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROWS = Path(__file__).with_name("seed_rows.jsonl")


@dataclass(frozen=True)
class SeedRow:
    """An example or a row of a table, the test that holds it, and a break that the test sees."""

    seed: str
    section: str
    row: str
    test: str
    """The id of a pytest test, or the path of a FileCheck test, in the repository."""
    file: str
    """The source that the break changes, a path in the repository."""
    old: str
    """A text that occurs once in the source."""
    new: str
    """The text in its place that breaks the row."""


def seed_rows(file: Path = ROWS) -> Sequence[SeedRow]:
    """Every row, seed by seed; one JSON object a line."""
    return [SeedRow(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def to_text(rows: Sequence[SeedRow]) -> str:
    """The rows as they are stored."""
    return "".join(f"{json.dumps(asdict(row), ensure_ascii=False)}\n" for row in rows)
