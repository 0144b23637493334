"""What has been measured, a line of JSON for each program, in files that only grow.

Rows of ours are found by a digest of our sources and the name of the point, rows of `tileiras` by
its version: a change of the compiler leaves those. Both begin anew where generators change.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2s
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.framework.results import machine_line

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "build" / "sweep"

Row = Mapping[str, Any]

HARDEST = Path(__file__).parent / "hardest.json"


def read_hardest() -> dict[str, list[tuple[str, int]]]:
    """By target the names of the hardest points, the first the hardest, and the bytes of spill
    stores and loads of each when they were stored."""
    stored = json.loads(HARDEST.read_text("utf-8")) if HARDEST.exists() else {}
    return {gpu: [(name, spilled) for name, spilled in rows] for gpu, rows in stored.items()}


def write_hardest(hardest: Mapping[str, Sequence[tuple[str, int]]]) -> None:
    """Stores the hardest points anew."""
    HARDEST.write_text(json.dumps(hardest, indent=1) + "\n", "utf-8")


def digest(*parts: bytes) -> str:
    """A short digest."""
    found = blake2s(digest_size=8)
    for part in parts:
        found.update(part)
    return found.hexdigest()


MEASURING = ("__main__.py", "measuring.py", "pairwise.py", "plan.py", "report.py", "store.py")
"""What is next to the generators of kernels."""


def generators_digest() -> str:
    """A digest of what makes kernels and their arguments."""
    paths = sorted(Path(__file__).parent.glob("*.py"))
    return digest(*(path.read_bytes() for path in paths if path.name not in MEASURING))


def compiler_digest() -> str:
    """A digest of our sources, of the generators and of the assembler's version."""
    sources = sorted((REPOSITORY / "tileir_xdsl").rglob("*.py"))
    known = (machine_line().encode(), generators_digest().encode())
    return digest(*known, *(path.read_bytes() for path in sources))


def their_version() -> str:
    """The version of `tileiras`."""
    try:
        return version("nvidia-cuda-tileiras")
    except PackageNotFoundError:
        return "unknown"


class Store:
    """Rows by key, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            try:
                key, row = json.loads(line)
            except ValueError:
                # The last line of a run that was broken off.
                continue
            self.rows[key] = row

    def add(self, key: str, row: Row) -> None:
        """Keeps a row, at once."""
        self.rows[key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, row]) + "\n")
