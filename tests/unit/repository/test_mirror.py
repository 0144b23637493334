"""Each test stands at the path that mirrors what it tests, or in the folder of a question."""

import ast
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pytest

from tests.reach.map import TESTS, all_tests
from tests.unit.tools import REPOSITORY

QUESTIONS = ("repository", "road", "upstream")
"""Folders of `tests/unit` that mirror none: the docstring of each folder with tests is its question."""

TOP = PurePosixPath(".")
PASSES = PurePosixPath("transforms")

FILES = [PurePosixPath(test).relative_to(TESTS) for test in all_tests()]


def mirrored(root: Path = REPOSITORY) -> dict[PurePosixPath, bool]:
    """Modules and folders by the path that their tests mirror, and whether each is a folder.

    `layout/cute` is `tileir_xdsl/layout/cute.py`, `fuzz/damage` is `tests/fuzz/damage.py`, and
    `bench/rows` is `bench/rows.py`. At the top of `tests/unit` are also modules that its tests share.
    """
    tests = root / "tests"
    found = {
        *_relative(root / "tileir_xdsl", "**/*.py"),
        *_relative(tests / "unit", "*.py"),
        *_relative(root, "bench/**/*.py"),
        *_relative(root, "docs/**/*.py"),
        *(path for path in _relative(tests, "**/*.py") if path.parts[0] != "unit"),
    }
    folders = {folder for path in found for folder in path.parents}
    return {path.with_suffix(""): False for path in found} | dict.fromkeys(folders, True)


def _relative(folder: Path, pattern: str) -> set[PurePosixPath]:
    return {PurePosixPath(path.relative_to(folder).as_posix()) for path in folder.glob(pattern)}


def problem(test: PurePosixPath, modules: Mapping[PurePosixPath, bool]) -> str | None:
    """Why a file of tests, by its path below `tests/unit`, stands at the wrong place.

    Its folder mirrors a folder, or a module that has several files of tests. If it is named like a
    pass, or like a module below its folder, its place is the path that mirrors that.
    """
    folder, name = test.parent, test.stem.removeprefix("test_")
    if test.parts[0] in QUESTIONS:
        return None
    if folder not in modules:
        return "its folder mirrors none"
    places = {
        module if is_folder else module.parent
        for module, is_folder in modules.items()
        if module.name == name and (folder in module.parents or module.parent == PASSES)
    }
    if not places:
        return "no module has its name" if folder == TOP else None
    return None if folder in places else f"its place is {' or '.join(sorted(map(str, places)))}"


def test_each_file_stands_at_its_place():
    modules = mirrored()
    problems = {str(test): problem(test, modules) for test in FILES}
    assert {test: said for test, said in problems.items() if said} == {}


MODULES = {
    TOP: True,
    PurePosixPath("walking"): False,
    PurePosixPath("layout"): True,
    PurePosixPath("layout/cute"): False,
    PurePosixPath("layout/parts"): True,
    PurePosixPath("layout/parts/steps"): False,
    PASSES: True,
    PurePosixPath("transforms/fold"): False,
    PurePosixPath("transforms/split"): True,
}


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("test_walking.py", None),
        ("layout/test_cute.py", None),
        ("layout/test_every_layout.py", None),
        ("layout/parts/test_parts.py", None),
        ("layout/cute/test_strides.py", None),
        ("transforms/split/test_split.py", None),
        ("road/loops/test_fold.py", None),
        ("test_everything.py", "no module has its name"),
        ("test_cute.py", "its place is layout"),
        ("layouts/test_cute.py", "its folder mirrors none"),
        ("layout/test_steps.py", "its place is layout/parts"),
        ("layout/test_fold.py", "its place is transforms"),
        ("transforms/test_split.py", "its place is transforms/split"),
    ],
)
def test_a_file_at_the_wrong_place_is_told(test: str, said: str | None):
    assert problem(PurePosixPath(test), MODULES) == said


@pytest.mark.parametrize(
    "folder", sorted({str(test.parent) for test in FILES if test.parts[0] in QUESTIONS})
)
def test_a_folder_that_mirrors_none_says_its_question(folder: str):
    text = (REPOSITORY / TESTS / folder / "__init__.py").read_text("utf-8")
    assert (ast.get_docstring(ast.parse(text)) or "").endswith("?")
