"""Tests that execute what a fault changes are found by marks, and they alone are run."""

import shutil
from pathlib import Path

import pytest

from tests.mutations import Fault, marking, marks
from tests.mutations.running import Outcome, Runner
from tests.unit.mutations.small_repository import SOURCE, write_repository

FAULT = Fault(SOURCE, "swapped operands", "first - second", "second - first")
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


def test_tests_of_the_source_are_first_and_then_one_of_each_file():
    own = "tests/unit/layout/test_cute.py::test_own"
    seconds = {"a.py::x": 1.0, "a.py::y": 2.0, "b.py::z": 3.0, own: 9.0}
    first, others = marks.in_turn("tileir_xdsl/layout/cute.py", seconds)
    assert list(first) == [own] and list(others) == ["a.py::x", "b.py::z", "a.py::y"]


def test_more_and_more_tests_are_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(marks, "FIRST", 1.0)
    seconds = dict.fromkeys("abcdefg", 1.0)
    found = ["".join(batch) for batch in marks.batches("abcdefg", seconds, 5.0)]
    assert found == ["a", "bc", "de"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return write_repository(
        tmp_path,
        test_marked="import pytest\nfrom tileir_xdsl.sum import minus\n\n"
        "@pytest.mark.parametrize('name', ['two words', 'three'])\n"
        "def test_minus(name):\n    assert minus(3, 1) == 2\n\n"
        "def test_other():\n    assert False\n",
    )


def test_what_executes_a_fault_is_recorded_and_run(copy: Path):
    plugin = copy / "tests" / "mutations" / "marking.py"
    plugin.parent.mkdir(parents=True)
    shutil.copy(marking.__file__, plugin)
    file = copy / "marks.jsonl"
    before = (copy / SOURCE).read_text()
    marks.record([FAULT], copy, file, jobs=1)
    (copy / SOURCE).write_text(before)
    known = marks.read(file)
    assert sorted(known[FAULT.digest]) == [
        f"test_marked.py::test_minus[{name}]" for name in ("three", "two words")
    ]
    result = Runner(copy, 10.0, marks=known).run(FAULT)
    assert result.outcome is Outcome.TEST and result.test in known[FAULT.digest]
