"""Which test files `python -m tests.reach select` prints."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.imports import imported_modules
from tests.reach import ReachError, ReachMap, TestFile, select_cover, select_for
from tests.reach.map import from_json, to_json
from tests.reach.selection import importers, mirrored_folder, reaching_tests, relative
from tests.unit.tools import REPOSITORY

A, B, C, TABLE = (f"tileir_xdsl/{name}.py" for name in ("layout/a", "layout/b", "c", "table"))
SOURCES = (A, B, C, TABLE)

REACH = ReachMap(
    {
        "tests/unit/layout/test_a.py": TestFile(9.0, frozenset({A})),
        "tests/unit/test_all.py": TestFile(8.0, frozenset({A, B, C})),
        "tests/unit/test_b.py": TestFile(1.0, frozenset({B})),
        "tests/unit/test_c.py": TestFile(1.5, frozenset({C}), uses_nvidia_tools=True),
        "tests/unit/test_draws.py": TestFile(0.5, frozenset({A, C}), is_random=True),
    }
)
TESTS = tuple(REACH.tests)
IMPORTS: Mapping[str, frozenset[str]] = {TABLE: frozenset({B})}


def select(*files: str, seconds: float = 100.0, tests: tuple[str, ...] = TESTS) -> list[str]:
    return list(select_for(REACH, files, tests, SOURCES, IMPORTS, seconds=seconds).tests)


def test_the_map_is_read_as_it_was_written():
    assert from_json(to_json(REACH)) == REACH
    assert to_json(from_json(to_json(REACH))) == to_json(REACH)


def test_a_cover_takes_most_sources_for_the_time_and_stops_when_nothing_is_new():
    selection = select_cover(REACH, TESTS, seconds=100.0)
    assert selection.tests == ("tests/unit/test_all.py", "tests/unit/test_b.py")
    assert selection.notes == ("2 test files of 9 s reach 3 of 3 sources",)


def test_a_cover_keeps_to_its_time_and_leaves_out_tools_and_random_programs():
    selection = select_cover(REACH, TESTS, seconds=7.0)
    assert selection.tests == ("tests/unit/test_b.py",)
    assert selection.notes == ("1 test files of 1 s reach 1 of 3 sources",)


def test_what_reaches_a_file_starts_with_the_folder_that_mirrors_it_then_the_cheapest():
    assert select(A) == [
        "tests/unit/layout/test_a.py",
        "tests/unit/test_draws.py",
        "tests/unit/test_all.py",
    ]


def test_the_number_of_those_left_out_is_told():
    selection = select_for(REACH, [C], TESTS, SOURCES, IMPORTS, seconds=3.0)
    assert selection.tests == ("tests/unit/test_c.py", "tests/unit/test_draws.py")
    assert selection.notes == (
        f"2 of 3 test files that reach {C}",
        "1 test files of 8 s in all are left out: `make test`",
    )


def test_a_file_without_functions_is_reached_through_what_imports_it():
    assert select(TABLE) == select(B)
    assert reaching_tests(REACH, TABLE, {}) == frozenset()


def test_folders_and_test_files_may_be_named():
    assert select("tileir_xdsl/layout") == select(A, B)
    assert select("tests/unit/test_c.py") == ["tests/unit/test_c.py"]
    assert select("tests/unit/layout", seconds=0.0) == ["tests/unit/layout/test_a.py"]


def test_new_test_files_are_selected_when_they_changed():
    new = "tests/unit/test_new.py"
    tests, note = (*TESTS, new), "1 test files are not in the map: `python -m tests.reach update`"
    for changed in ([new], ["tests/unit/test_c.py"]):
        for selection in (
            select_cover(REACH, tests, changed=changed),
            select_for(REACH, [B], tests, SOURCES, IMPORTS, changed=changed),
        ):
            assert (new in selection.tests) == (new in changed)
            assert selection.notes[-1].startswith(note)
    assert new not in select_for(REACH, [TESTS[0]], tests, SOURCES, IMPORTS, changed=[new]).tests


def test_test_files_that_are_gone_are_an_error():
    for selection in (lambda: select_cover(REACH, TESTS[1:]), lambda: select(B, tests=TESTS[1:])):
        with pytest.raises(ReachError, match=r"^tests/unit/layout/test_a\.py is gone, .* update"):
            selection()


@pytest.mark.parametrize("file", ["README.md", "tileir_xdsl/a.py", "tests/unit/tools.py"])
def test_other_files_are_an_error(file: str):
    with pytest.raises(
        ReachError, match=f"^{file}: neither a file of tileir_xdsl nor one with tests"
    ):
        select(file)


def test_a_path_may_be_relative_or_absolute(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(REPOSITORY / "tests")
    expected = "tests/reach/map.py"
    assert relative("reach/map.py") == relative(expected) == expected
    assert relative(str(REPOSITORY / expected)) == expected
    with pytest.raises(ReachError, match=r"^nowhere\.py: no such file in the repository$"):
        relative("nowhere.py")
    with pytest.raises(ReachError):
        relative("/etc/hostname")


def test_the_folder_that_mirrors_a_file():
    assert mirrored_folder("tileir_xdsl/layout/cute.py", TESTS) == "tests/unit/layout"
    assert mirrored_folder("tileir_xdsl/layout/tables/atoms.py", TESTS) == "tests/unit/layout"
    assert mirrored_folder("tileir_xdsl/numbers/odd.py", TESTS) == "tests/unit"
    assert mirrored_folder("tileir_xdsl/universe.py", TESTS) == "tests/unit"


def test_importers(tmp_path: Path):
    package = tmp_path / "tileir_xdsl"
    package.mkdir()
    (package / "__init__.py").write_text("from .a import f\n")
    (package / "a.py").write_text("from tileir_xdsl import b\n")
    (package / "b.py").write_text("import os\n")
    assert importers(tmp_path) == {
        "tileir_xdsl/a.py": {"tileir_xdsl/__init__.py"},
        "tileir_xdsl/b.py": {"tileir_xdsl/a.py"},
    }


def test_imported_modules_are_absolute():
    text = "import a.b\ndef f():\n    from ..c import d, e\n    from . import g\n"
    assert list(imported_modules(text, "p.q.r", is_package=False)) == [
        "a.b",
        "p.c.d",
        "p.c.e",
        "p.q.g",
    ]
