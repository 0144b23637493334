"""Which tests have their steps stored, and what a run of them notes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.reach.map import REPOSITORY, TESTS, ReachMap

from .differences import FormsError
from .plugin import RECORD_VARIABLE
from .stored import Rows

MOST_SECONDS = 2.0
"""Processor time of a test file whose steps are stored. Two thirds of the test files take no more; they
reach nearly all sources that steps are made of, in a quarter of the time of all tests."""

FOLDERS = (
    *("analysis", "backend", "builders", "bytecode", "checking", "dialects", "emulator", "explain"),
    *("extensions", "interpreters", "layout", "lint", "litmus", "road", "runtime", "targets"),
    *("testing", "transforms"),
)
"""Folders of `tests/unit` with tests of the steps, besides the files directly in it."""


def chosen(reach: ReachMap) -> list[str]:
    """The test files whose steps are stored, sorted."""
    return sorted(
        name
        for name, test in reach.tests.items()
        if test.seconds <= MOST_SECONDS and _is_of_steps(name) and (REPOSITORY / name).exists()
    )


def _is_of_steps(test: str) -> bool:
    folder, _, rest = test.removeprefix(f"{TESTS}/").partition("/")
    return not rest or folder in FOLDERS


@dataclass(frozen=True)
class Noted:
    """One step that a test has noted."""

    file: str
    step: str
    key: bytes
    value: bytes


def record(files: Sequence[str], jobs: int, folder: Path) -> list[Noted]:
    """What the tests of some files note; they are run in another process.

    Raises:
        FormsError: a test fails.
    """
    for old in folder.glob("*.jsonl"):
        old.unlink()
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tb", "short"]
    workers = ("-n", str(jobs), "--dist", "worksteal") if jobs > 1 else ()
    environment = os.environ | {RECORD_VARIABLE: str(folder)}
    done = subprocess.run(
        [*command, *workers, *files], cwd=REPOSITORY, env=environment, check=False
    )
    if done.returncode:
        raise FormsError("nothing is stored, as tests fail")
    return sorted(_read(folder), key=lambda noted: (noted.file, noted.step, noted.key))


def _read(folder: Path) -> Iterator[Noted]:
    for file in folder.glob("*.jsonl"):
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            test = row["test"].partition("::")[0]
            for step, key, value in row["events"]:
                yield Noted(test, step, bytes.fromhex(key), bytes.fromhex(value))


def unstable(*runs: Sequence[Noted]) -> frozenset[bytes]:
    """The inputs with several outputs, or that some run does not have: tests that patch a step, and
    steps that depend on more than their input.
    """
    outputs = {(noted.key, noted.value) for run in runs for noted in run}
    counts = Counter(key for key, _ in outputs)
    common = frozenset[bytes].intersection(*(frozenset(n.key for n in run) for run in runs))
    return frozenset(key for key, count in counts.items() if count > 1 or key not in common)


def rows_of(noted: Sequence[Noted], left_out: frozenset[bytes] = frozenset()) -> Rows:
    """Rows of the file; an input that several test files have stands with the first of them."""
    rows: dict[tuple[str, str], dict[bytes, bytes]] = {}
    seen = set(left_out)
    for each in noted:
        if each.key not in seen:
            seen.add(each.key)
            rows.setdefault((each.file, each.step), {})[each.key] = each.value
    return rows
