"""The table of planted faults applies to the sources, and a fault that a test finds is found."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.mutations import FAULTS, Fault, MutationError, read, running
from tests.mutations.__main__ import is_wanted, keep, read_log
from tests.mutations.copies import compile_sources, copy_sources, planted
from tests.mutations.fault import to_text
from tests.mutations.report import report
from tests.mutations.running import LIT, Outcome, Result, Runner, Tiers, tiers_of
from tests.unit.mutations.small_repository import FAULT, SOURCE, TEST, write_repository
from tests.unit.tools import REPOSITORY

PARTS = ("analysis", "backend", "bytecode", "dialects", "emulator", "interpreters", "layout")


def test_every_fault_applies():
    """The old text occurs once, and what stands there then can be read by Python."""
    for fault in read():
        text = fault.planted_in((REPOSITORY / fault.file).read_text("utf-8"))
        compile(text, fault.file, "exec")
        assert fault.old != fault.new


def test_the_table_is_stored_as_it_is_written():
    assert to_text(read()) == FAULTS.read_text("utf-8")


def test_the_table_has_faults_of_many_kinds_in_all_parts():
    faults = read()
    assert len({fault.digest for fault in faults}) == len(faults) >= 200
    counts = Counter(fault.file.split("/")[1] for fault in faults)
    assert all(counts[part] >= 7 for part in PARTS), counts
    assert counts["transforms"] >= 100
    assert len({fault.kind for fault in faults}) >= 12


@pytest.mark.parametrize("text", ["nothing", "first - second; first - second"])
def test_a_text_that_does_not_occur_once(text: str):
    with pytest.raises(MutationError, match="times instead of once"):
        FAULT.planted_in(text)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A small repository, with a test that finds the fault, and one that never passes."""
    return write_repository(
        tmp_path,
        test_good=TEST,
        test_bad="def test_never():\n    assert False\n",
        test_slow="def test_for_ever():\n    while True:\n        pass\n",
    )


LONG = """
import pytest
from tileir_xdsl.sum import minus

@pytest.mark.soak
def test_long():
    assert minus(3, 1) == 2

def test_short():
    pass
"""


LIT_CONFIGURATION = """
import lit.formats
config.name, config.suffixes = "tileir_xdsl", [".txt"]
config.test_format = lit.formats.ShTest()
"""


def test_the_first_test_that_fails_only_with_the_fault_is_found(copy: Path):
    runner = Runner(copy, 0.0)
    found = runner.first_failure(FAULT, ["test_bad.py", "test_good.py"])
    assert found == "test_good.py::test_minus[two words]"
    assert runner.unsound == {"test_bad.py"}
    # The source is as it was.
    assert "first - second" in (copy / SOURCE).read_text()


def test_the_first_lit_test_that_fails_only_with_the_fault_is_found(copy: Path):
    folder = copy / "tests" / "filecheck"
    folder.mkdir(parents=True)
    (folder / "lit.cfg.py").write_text(LIT_CONFIGURATION)
    (folder / "bad.txt").write_text("RUN: false\n")
    (folder / "good.txt").write_text(f"RUN: grep 'first - second' {copy / SOURCE}\n")
    runner = Runner(copy, 0.0)
    assert runner.first_lit_failure(FAULT, [LIT]) == (Outcome.FILECHECK, "good.txt")
    assert runner.unsound == {f"{LIT}/bad.txt"}


def test_stored_byte_code_is_that_of_sources_without_a_fault(copy: Path):
    """Also for a fault of the same length that is planted at the same time."""
    compile_sources(copy)
    assert [file.name.partition(".")[0] for file in copy.rglob("*.pyc")] == ["sum"]
    stamp = (copy / SOURCE).stat().st_mtime

    def difference() -> str:
        code = "from tileir_xdsl.sum import minus; print(minus(3, 1))"
        command = [sys.executable, "-c", code]
        environment = os.environ | {"PYTHONPATH": str(copy)}
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, env=environment)
        return done.stdout.strip()

    with planted(FAULT, copy):
        os.utime(copy / SOURCE, (stamp, stamp))
        assert difference() == "-2"
    assert difference() == "2"


def test_a_fault_that_no_test_sees_survives(copy: Path):
    harmless = Fault(SOURCE, "indentation", "\n    ", "\n        ")
    assert Runner(copy, 0.0).first_failure(harmless, ["test_good.py"]) is None


def test_a_fault_that_stops_pytest_is_found(copy: Path):
    unreadable = Fault(SOURCE, "syntax", "def minus", "def")
    assert Runner(copy, 0.0).first_failure(unreadable, ["test_good.py"]) == "test_good.py"


def test_tests_that_never_end_find_a_fault(copy: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tests.mutations.running.START", 1.0)
    monkeypatch.setattr("tests.mutations.running.SLOWNESS", 0.0)
    assert Runner(copy, 0.0).first_failure(FAULT, ["test_slow.py"]) == "timeout"


def test_what_only_soak_finds_is_said_so(copy: Path, monkeypatch: pytest.MonkeyPatch):
    def tiers(file: str, seconds: float, budget: float = 0.0) -> Tiers:
        return Tiers((), ["test_long.py"])

    monkeypatch.setattr(running, "tiers_of", tiers)
    (copy / "test_long.py").write_text(LONG)
    runner = Runner(copy, 60.0, soak=60.0)
    assert runner.run(FAULT).outcome is Outcome.SOAK
    assert not runner.run(FAULT).is_found
    harmless = Fault(SOURCE, "indentation", "\n    ", "\n        ")
    assert runner.run(harmless).outcome is Outcome.SURVIVED


def test_the_tests_of_a_file_come_first(monkeypatch: pytest.MonkeyPatch):
    # Reading all imports takes seconds, and only files without tests of their own need them.
    monkeypatch.setattr("tests.reach.selection.importers", dict[str, frozenset[str]])
    tiers = tiers_of("tileir_xdsl/layout/cute.py", 20.0)
    assert tiers.quick[0] == "tests/unit/layout/test_cute.py"
    assert tiers.others and not set(tiers.others) & set(tiers.quick)


def test_a_copy_has_what_git_has(tmp_path: Path):
    copy_sources(tmp_path)
    fault = read()[0]
    text = (REPOSITORY / fault.file).read_text("utf-8")
    assert (tmp_path / fault.file).read_text("utf-8") == text
    with planted(fault, tmp_path):
        assert (tmp_path / fault.file).read_text("utf-8") == fault.planted_in(text)
    assert (tmp_path / fault.file).read_text("utf-8") == text
    assert (REPOSITORY / fault.file).read_text("utf-8") == text
    assert not (tmp_path / ".venv").exists()


def test_a_log_goes_on(tmp_path: Path):
    log = tmp_path / "log.jsonl"
    assert read_log(log) == read_log(None) == {}
    first, second = Fault("a", "k", "x", "y"), Fault("tileir_xdsl/b/c.py", "k", "x", "y")
    survived = Result(second.digest, Outcome.SURVIVED, "", 3.0)
    keep(log, survived)
    assert read_log(log) == {second.digest: survived}
    assert is_wanted(read_log(log).get(first.digest), survivors=False)
    assert not is_wanted(survived, survivors=False)
    assert is_wanted(survived, survivors=True)
    assert is_wanted(Result("", Outcome.OPEN, "", 1.0), survivors=True)
    assert not is_wanted(Result("", Outcome.TEST, "test", 1.0), survivors=True)
    # Once a test finds it, that counts.
    keep(log, Result(second.digest, Outcome.QUICK, "test", 1.0))
    assert [json.loads(line)["outcome"] for line in log.read_text().splitlines()] == [
        "survived",
        "quick",
    ]
    text = report([first, second], read_log(log))
    assert "1 of 2 faults planted" in text
    assert "| b | 1 | 1 (100%) | 1 (100%) | 0 | 0 |" in text and "Survivors" not in text


def test_survivors_are_listed():
    fault = Fault("tileir_xdsl/b/c.py", "dropped wait", "x", "y")
    text = report([fault], {fault.digest: Result(fault.digest, Outcome.SURVIVED, "", 1.0)})
    assert "- `tileir_xdsl/b/c.py`, dropped wait: `x` -> `y`" in text
    assert "| all | 1 | 0 (0%) | 0 (0%) | 0 | 1 | 0 |" in text
