"""The file of forms: one line for each test file and step, with the digests of inputs and outputs."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .recorder import KEY, VALUE, FormMap

FORMS = Path(__file__).with_name("forms.tsv")


@dataclass(frozen=True)
class Stored:
    """What is stored, for all test files together."""

    forms: FormMap
    files: frozenset[str]
    """Test files whose steps are compared."""


Rows = Mapping[tuple[str, str], FormMap]
"""Outputs by input, by test file and step."""


def to_text(rows: Rows) -> str:
    """One line a row, sorted."""
    lines = (
        f"{file}\t{step}\t{b64encode(b''.join(k + v for k, v in sorted(forms.items()))).decode()}\n"
        for (file, step), forms in sorted(rows.items())
        if forms
    )
    return "".join(lines)


def read_rows(file: Path = FORMS) -> dict[tuple[str, str], FormMap]:
    """The rows; none where none are stored."""
    rows: dict[tuple[str, str], FormMap] = {}
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        test, step, text = line.split("\t")
        data, size = b64decode(text), KEY + VALUE
        rows[test, step] = {
            data[start : start + KEY]: data[start + KEY : start + size]
            for start in range(0, len(data), size)
        }
    return rows


def read(file: Path = FORMS) -> Stored:
    """All forms of the file."""
    rows = read_rows(file)
    forms = {key: value for row in rows.values() for key, value in row.items()}
    return Stored(forms, frozenset(test for test, _ in rows))
