"""CONTRIBUTING.md: the edits that it links to work, in the files that it names and no others."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY

EDITED_FILES = {"Add an op": 3, "Add a strategy": 4}

LINK = re.compile(r"\]\((docs/examples/\w+\.diff)\)")
FILE = re.compile(r"^--- (.+)\n((?:[ +@-].*\n|\n)*?)(?=^--- |\Z)", re.MULTILINE)

TESTS = {
    "Add an op": (
        "tests/unit/dialects/nv_tileaa/test_and_not.py",
        "tests/unit/dialects/nv_tileaa/test_operations.py",
        "tests/unit/dialects/test_lazy_definition.py::test_a_dialect_lists_all_its_ops",
        "tests/unit/interpreters/test_completeness.py",
        "tests/unit/testing/tileaa_programs/test_generator.py::test_every_op_occurs_or_is_named",
        "tests/unit/transforms/convert_tileas_to_llvm/test_completeness.py",
    ),
    "Add a strategy": (
        "tests/unit/transforms/tileas_select_lowering/test_compare.py",
        "tests/unit/transforms/tileas_select_lowering/test_completeness.py",
        "tests/unit/transforms/tileas_select_lowering/test_tileas_select_lowering.py",
    ),
}
"""The test that a section adds, and those that ask something of everything like it."""


def edits(title: str) -> dict[str, list[str]]:
    """The hunks by file of the edits that a section names, as lines after a space, plus or minus."""
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)^## ", page, re.DOTALL | re.MULTILINE)
    assert section is not None
    (name,) = LINK.findall(section[1])
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return {path: body.split("@@\n") for path, body in FILE.findall(text)}


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


def run_tests(folder: Path, tests: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("title", EDITED_FILES)
def test_the_example_names_its_files(title: str):
    assert len(edits(title)) == EDITED_FILES[title]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("title", EDITED_FILES)
def test_the_example_works_as_written(title: str, copy: Path):
    for path, hunks in edits(title).items():
        edit(copy / path, hunks)
    done = run_tests(copy, TESTS[title])
    assert done.returncode == 0, done.stdout + done.stderr
