"""`python -m tests.mutations --rows`: breaks rows of `docs/seeds.md` and sees the named tests fail."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from docs.seed_rows import SeedRow, seed_rows

from .fault import Fault, MutationError
from .running import Runner

TENTH = 10


@dataclass(frozen=True)
class RowResult:
    """Whether the named test of a row fails when the row is broken."""

    row: SeedRow
    is_red: bool


def fault_of(row: SeedRow) -> Fault:
    """The break of a row as a fault."""
    return Fault(row.file, f"row {row.seed}, {row.section}: {row.row}", row.old, row.new)


def digest_of(row: SeedRow) -> str:
    """What a log calls a row: it changes with the break and with the test."""
    return hashlib.sha256(json.dumps(asdict(row), sort_keys=True).encode()).hexdigest()[:12]


def drawn(rows: Sequence[SeedRow], share: str, seed: int) -> Sequence[SeedRow]:
    """All rows, or a tenth of them, drawn by a seed."""
    if share == "all":
        return rows
    return Random(seed).sample(rows, -(-len(rows) // TENTH))


def broken(runner: Runner, rows: Sequence[SeedRow]) -> Iterator[RowResult]:
    """Plants the break of one row after the other, and runs its test alone.

    Raises:
        MutationError: a test fails before anything is broken, or a break does not apply.
    """
    tests = dict.fromkeys(row.test for row in rows)
    if tests and (failed := runner.first_failure_of(list(tests))):
        raise MutationError(f"{failed}: fails without a break")
    for row in rows:
        yield RowResult(row, runner.first_failure_of([row.test], fault_of(row)) is not None)


def read_log(log: Path | None) -> Mapping[str, bool]:
    """Whether the named test of a row is red, by the digest of the row, as far as it was run."""
    if log is None or not log.exists():
        return {}
    lines = map(json.loads, log.read_text("utf-8").splitlines())
    return {line["digest"]: line["is_red"] for line in lines}


def keep(log: Path | None, result: RowResult) -> None:
    """Appends a result to a log."""
    if log is not None:
        line = {"digest": digest_of(result.row), "is_red": result.is_red}
        with log.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(line)}\n")


def run_rows(runner: Runner, share: str, seed: int, part: str = "", log: Path | None = None) -> int:
    """Prints what becomes of rows; returns how many named tests stay green.

    Args:
        part: of the path of the source or the test, or of the section, of those that are broken.
        log: has the rows that were red before, which are not broken again, and gets the others.
    """
    rows = [
        row
        for row in drawn(seed_rows(), share, seed)
        if part in f"{row.seed} {row.section}: {row.row} {row.test} {row.file}"
    ]
    known = read_log(log)
    green: list[SeedRow] = []
    for result in broken(runner, [row for row in rows if not known.get(digest_of(row), False)]):
        keep(log, result)
        row, word = result.row, "red" if result.is_red else "GREEN"
        print(f"{word:6} {row.seed} {row.section}: {row.row}  {row.test}", flush=True)
        if not result.is_red:
            green.append(row)
    print(f"{len(rows) - len(green)} of {len(rows)} named tests fail when their row is broken")
    for row in green:
        print(f"- {row.seed}, {row.section}, {row.row}: {row.test}", file=sys.stderr)
    return len(green)
