"""CONTRIBUTING.md: the op that it adds works, with the edits that it names and no others."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

EDITED_FILES = 5

SECTION = re.compile(r"^## Add an op\n(.*?)^## ", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^ *```diff\n(.*?)^ *```", re.DOTALL | re.MULTILINE)

TESTS = (
    "tests/unit/dialects/nv_tileaa/test_and_not.py",
    "tests/unit/dialects/nv_tileaa/test_operations.py",
    "tests/unit/interpreters/test_completeness.py",
    "tests/unit/transforms/convert_tileas_to_llvm/test_completeness.py",
)
"""The test that the page adds, and those that ask something of every op."""


def edits() -> dict[str, list[str]]:
    """The hunks of the section by file, as lines that begin with a space, a plus or a minus."""
    section = SECTION.search((REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert section is not None
    files: dict[str, list[str]] = {}
    for block in BLOCK.findall(section.group(1)):
        header, _, body = textwrap.dedent(block).partition("\n")
        files[header.removeprefix("--- ")] = body.split("@@\n")
    return files


def side(hunk: str, added: str) -> str:
    """A hunk's text before the edit, where `added` is a minus, or after it, where it is a plus."""
    lines = hunk.splitlines()
    return "".join(f"{line[1:]}\n" for line in lines if line[:1] in ("", " ", added))


def edit(path: Path, hunks: list[str]) -> None:
    """Applies hunks to a file, each in the only place that it fits, or makes the file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for hunk in hunks:
        before = side(hunk, "-")
        assert text.count(before) == 1 or not text, f"{path}: {before}"
        text = text.replace(before, side(hunk, "+")) if text else side(hunk, "+")
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package and its tests in a folder of their own."""
    for folder in ("tileir_xdsl", "tests"):
        ignored = shutil.ignore_patterns("__pycache__", "*.npz")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=ignored)
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    return tmp_path


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def test_the_example_names_five_files():
    assert len(edits()) == EDITED_FILES


def test_the_example_works_as_written(copy: Path):
    for path, hunks in edits().items():
        edit(copy / path, hunks)
    done = run_tests(copy)
    assert done.returncode == 0, done.stdout + done.stderr
