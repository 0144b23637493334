"""The stored map is of the files that there are."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

import pytest

from tests.reach import __main__ as reach_main
from tests.reach import map as stored
from tests.reach import measure
from tests.reach.__main__ import main
from tests.reach.map import ReachError, ReachMap, TestFile
from tests.reach.selection import importers, mirrored_folder, reaching_tests, select_cover
from tests.unit.tools import REPOSITORY

ADVICE = "`python -m tests.reach collect` drops what is gone"


def test_all_test_files_of_the_map_exist():
    assert sorted(stored.read().tests.keys() - set(stored.all_tests())) == [], ADVICE


def test_all_sources_of_the_map_exist():
    assert sorted(stored.read().sources - set(stored.all_sources())) == [], ADVICE


def has_functions(source: str) -> bool:
    tree = ast.parse((REPOSITORY / source).read_text("utf-8"))
    return any(isinstance(node, ast.FunctionDef | ast.Lambda) for node in ast.walk(tree))


def is_below(path: str, folder: str) -> bool:
    return PurePosixPath(path).is_relative_to(folder)


def test_every_source_is_reached():
    """By a call, or through a file that imports it, as far as the tests of its folder are measured."""
    reach, imports = stored.read(), importers()
    tests = stored.all_tests()
    to_be_measured = set(tests) - reach.tests.keys()

    def is_awaited(source: str) -> bool:
        folder = mirrored_folder(source, tests)
        return any(is_below(test, folder) for test in to_be_measured)

    unreached = {
        source
        for source in stored.all_sources()
        if not reaching_tests(reach, source, imports)
        and has_functions(source)
        and not is_awaited(source)
    }
    assert unreached == set()


def test_the_map_is_stored_as_it_is_written():
    assert stored.to_json(stored.read()) == stored.MAP.read_text("utf-8")


def test_the_dearest_files_come_first():
    seconds = {"a": 1.0, "b": 3.0, "c": 1.0}
    reach = ReachMap({name: TestFile(cost, frozenset()) for name, cost in seconds.items()})
    assert sorted("cnba", key=reach.dearest_first) == ["n", "b", "a", "c"]


def test_a_minute_reaches_most_of_the_package():
    reach = stored.read()
    selected = [reach.tests[name] for name in select_cover(reach, stored.all_tests()).tests]
    assert not any(test.uses_nvidia_tools or test.is_random for test in selected)
    covered = frozenset[str]().union(*(test.reaches for test in selected))
    assert len(covered) > 0.9 * len(reach.sources)


def test_select_prints_files_and_notes(capsys: pytest.CaptureFixture[str]):
    assert main(["select", "--seconds", "5", "tileir_xdsl/layout/cute.py"]) == 0
    printed = capsys.readouterr()
    assert "tests/unit/layout/test_" in printed.out
    assert set(printed.out.split()) <= set(stored.all_tests())
    assert "that reach tileir_xdsl/layout/cute.py" in printed.err
    assert "are left out" in printed.err


def test_an_unknown_path_is_one_diagnostic():
    command = [sys.executable, "-m", "tests.reach", "select", "tileir_xdsl/nowhere.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    expected = "tests.reach: error: tileir_xdsl/nowhere.py: no such file in the repository\n"
    assert done.stderr == expected


def test_an_update_keeps_what_has_passed(monkeypatch: pytest.MonkeyPatch):
    passed, failing = stored.all_tests()[:2]

    def measured(tests: Sequence[str], jobs: int) -> dict[str, TestFile]:
        raise ReachError(f"{tests}: tests fail in {jobs} jobs")

    def recorded(tests: Iterable[str]) -> dict[str, TestFile]:
        assert failing in tests
        return {passed: TestFile(1.5, frozenset())}

    kept: dict[str, TestFile] = {}
    monkeypatch.setattr(measure, "measure", measured)
    monkeypatch.setattr(measure, "recorded", recorded)
    monkeypatch.setattr(reach_main, "store", kept.update)
    assert main(["update", passed, failing]) == 1
    assert kept[passed].seconds == 1.5
    assert kept.get(failing) == stored.read().tests.get(failing)


def test_an_update_of_named_tests_measures_no_others(monkeypatch: pytest.MonkeyPatch):
    first, second = stored.all_tests()[:2]
    asked: list[Sequence[str]] = []

    def measured(tests: Sequence[str], jobs: int) -> dict[str, TestFile]:
        asked.append(tests)
        return {}

    monkeypatch.setattr(measure, "measure", measured)
    monkeypatch.setattr(measure, "forget", lambda: None)
    monkeypatch.setattr(reach_main, "store", dict[str, TestFile]().update)
    # Nothing is known: all tests are new.
    monkeypatch.setattr(stored, "read", lambda: ReachMap({}))
    assert main(["update", second]) == main(["update"]) == 0
    assert asked == [[second], stored.all_tests()]
    assert first in asked[1]
