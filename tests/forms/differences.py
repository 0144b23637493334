"""How a step of a test differs from what it was at another revision."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.reach.map import REPOSITORY

SHOW_VARIABLE = "TILEIR_FORMS_SHOWN"
"""The file to which the tests write their steps with the texts of outputs."""


class FormsError(Exception):
    """What the user must change, in one line."""


@dataclass(frozen=True)
class Shown:
    """One step with the text of its output."""

    step: str
    key: str
    text: str


def difference(test: str, revision: str) -> list[str]:
    """The lines by which the output of the first step that differs does so; none where all agree.

    Raises:
        FormsError: git does not know the revision, or it has no forms.
    """
    with _checked_out(revision) as other, tempfile.TemporaryDirectory(prefix="forms-") as folder:
        before = steps_of(test, other, Path(folder, "before"))
        after = steps_of(test, REPOSITORY, Path(folder, "after"))
    return first_difference(before, after)


def first_difference(before: Sequence[Shown], after: Sequence[Shown]) -> list[str]:
    """The lines by which the first step that made something else of the same input differs."""
    known = {shown.key: shown.text for shown in before}
    for shown in after:
        old = known.get(shown.key, shown.text)
        if old != shown.text:
            lines = old.splitlines(), shown.text.splitlines()
            return list(difflib.unified_diff(*lines, "before", shown.step, lineterm="", n=2))
    return []


def steps_of(test: str, root: Path, file: Path) -> list[Shown]:
    """The steps that a test takes with the sources in a folder, in their order."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-m", "", "-p", "no:cacheprovider", test]
    environment = os.environ | {SHOW_VARIABLE: str(file), "PYTHONPATH": str(root)}
    subprocess.run(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=False)
    if not file.exists():
        raise FormsError(f"no step of {test} is noted in {root}")
    return [Shown(*json.loads(line)) for line in file.read_text("utf-8").splitlines()]


@contextmanager
def _checked_out(revision: str) -> Generator[Path]:
    """A folder with the files of a revision."""
    with tempfile.TemporaryDirectory(prefix="forms-") as folder:
        tree = Path(folder, "tree")
        _git("worktree", "add", "--quiet", "--detach", str(tree), revision)
        try:
            yield tree
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, text=True)
    if done.returncode:
        raise FormsError(f"git {arguments[0]}: {done.stderr.strip().splitlines()[-1]}")
