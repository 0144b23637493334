"""Writes the generated tests of the suite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.litmus.more_shapes import more_shapes
from tests.litmus.shapes import SUITE, Shape, base_shapes


def all_shapes() -> Iterator[Shape]:
    yield from base_shapes()
    yield from more_shapes()


def path_of(shape: Shape) -> Path:
    return SUITE / shape.family / f"{shape.name}.litmus"


def write_suite() -> list[Path]:
    """Writes all tests in place of those there are, and returns their files."""
    for path in SUITE.rglob("*.litmus"):
        path.unlink()
    written: list[Path] = []
    for shape in all_shapes():
        path = path_of(shape)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shape.text(), encoding="utf-8")
        written.append(path)
    return written
