"""Tests that execute what a fault changes are found by marks, and they alone are run."""

import shutil
from pathlib import Path

import pytest

from tests.mutations import Fault, marking, marks, running
from tests.mutations.running import Outcome, Runner, Tiers
from tests.unit.mutations.small_repository import FAULT, SOURCE, TEST, write_repository

SIGN = """
TABLE = {1: 2}

class Sign:
    def of(self, number, other=0):
        if number > 0:
            return 1
        elif (
            number < 0
        ):
            return -1
        return [number for number in
                range(TABLE[1])]
"""


def test_a_mark_stands_before_the_statement_that_changes():
    def line_after_mark(old: str, new: str) -> str:
        fault = Fault("", "", old, new)
        text = marks.marked(SIGN, [fault])
        compile(text, "", "exec")
        _, _, rest = text.partition(f"{marking.call(fault.digest)}\n")
        return rest.partition("\n")[0].strip()

    assert line_after_mark("number > 0", "number >= 0") == "if number > 0:"
    assert line_after_mark("return -1", "return 1") == "return -1"
    # There is no line before an `elif`, so the whole `if` is marked.
    assert line_after_mark("number < 0", "number <= 0") == "if number > 0:"
    assert line_after_mark("range(TABLE", "iter(TABLE") == "return [number for number in"
    for imported in ("1: 2", "other=0"):
        assert not line_after_mark(imported, "")


def test_round_robin_over_files():
    seconds = {"a.py::x": 1.0, "a.py::y": 2.0, "b.py::z": 3.0}
    assert list(marks.round_robin(seconds)) == ["a.py::x", "b.py::z", "a.py::y"]


def test_more_and_more_tests_are_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(marks, "FIRST", 1.0)
    seconds = dict.fromkeys("abcdefg", 1.0)
    found = ["".join(batch) for batch in marks.batches("abcdefg", seconds, 5.0)]
    assert found == ["a", "bc", "de"]


def test_what_executes_a_fault_is_recorded_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def tiers(file: str, seconds: float) -> Tiers:
        return Tiers(["test_other.py"], ())

    copy = write_repository(tmp_path, test_marked=TEST, test_other="def test_one(): pass\n")
    monkeypatch.setattr(running, "tiers_of", tiers)
    plugin = copy / "tests" / "mutations" / "marking.py"
    plugin.parent.mkdir(parents=True)
    shutil.copy(marking.__file__, plugin)
    file = copy / "marks.jsonl"
    before = (copy / SOURCE).read_text()
    marks.record([FAULT], copy, file, jobs=1)
    (copy / SOURCE).write_text(before)
    known = marks.read(file)
    assert list(known[FAULT.digest]) == ["test_marked.py::test_minus[two words]"]
    result = Runner(copy, 10.0, marks=known).run(FAULT)
    assert result.outcome is Outcome.TEST and result.test in known[FAULT.digest]
