"""Runs of tests on a planted fault: which one finds it, if any does."""

from __future__ import annotations

import math
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from tests.reach import map as stored
from tests.reach import selection

from . import marks
from .copies import planted
from .fault import Fault

_MEMORY = 8 << 30
"""Bytes that the tests may take; a fault may make them take more and more."""
SLOWNESS = 3.0
"""How much more processor time tests may take than stored: a fault may make a loop endless."""
START = 20.0
"""Processor time for the start of pytest, in seconds."""
WAITING = 10.0
"""How much longer than that tests may take by the clock: other processes may run, or all wait."""
_FAILURE = re.compile(r"^(?:FAILED|ERROR|ERROR: not found:) (.+?)(?: - .*)?$", re.MULTILINE)
LIT = "tests/filecheck"
_VARIABLES = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Of the tests' processes. Half of the time of a short run is the import of plugins of pytest."""
_NO_TESTS = 5
"""Exit status of pytest that has run nothing."""


class Outcome(StrEnum):
    """The least that finds a fault."""

    QUICK = "quick"
    """`make quick FILE=..`"""
    TEST = "test"
    """Other unit tests of `make test` that reach the file."""
    FILECHECK = "filecheck"
    """The lit tests of `make test`."""
    SOAK = "soak"
    """A test that `make test` leaves to `make soak`."""
    OPEN = "open"
    """None of the first tests of `make quick FILE=..`; the others have not been run."""
    SURVIVED = "survived"


@dataclass(frozen=True)
class Result:
    """What became of a fault."""

    digest: str
    outcome: Outcome
    test: str
    """The first test that failed, or `timeout`."""
    seconds: float

    @property
    def is_found(self) -> bool:
        """Whether some test of `make test` finds the fault."""
        return self.outcome not in (Outcome.SOAK, Outcome.OPEN, Outcome.SURVIVED)


@dataclass(frozen=True)
class Tiers:
    """Test files that reach a source: those of `make quick FILE=..`, and the others."""

    quick: Sequence[str]
    others: Sequence[str]


def tiers_of(file: str, seconds: float, budget: float = selection.BUDGET) -> Tiers:
    """The test files for a fault in a file, as far as they fit into some seconds.

    Args:
        seconds: for those beyond `make quick FILE=..`.
        budget: for those of `make quick FILE=..`.
    """
    reach, tests, sources = stored.read(), stored.all_tests(), stored.all_sources()
    imports, folder = selection.importers(), selection.mirrored_folder(file, tests)
    # What is new next to the file counts as well: the map may not have it yet.
    new = [test for test in tests if test not in reach.tests and test.startswith(f"{folder}/")]
    quick = selection.select_for(reach, [file], tests, sources, imports, seconds=budget).tests
    every = selection.select_for(
        reach, [file], tests, sources, imports, seconds=selection.BUDGET + seconds
    ).tests
    # What costs more than all of a small budget is not among them.
    own = [t for t in tests if selection.is_own(t, file) and t.startswith(f"{folder}/")]
    first = dict.fromkeys((*own, *new, *quick))
    return Tiers(tuple(first), [test for test in every if test not in first])


@dataclass
class Runner:
    """Plants faults in a copy of the sources, and runs tests in it."""

    root: Path
    seconds: float
    """Processor time of the tests beyond those of `make quick`."""
    budget: float = selection.BUDGET
    """Processor time of those; if it is less than they have, nothing else is run."""
    filecheck: bool = False
    soak: float = 0.0
    """Processor time of what `make test` leaves out, for what survives all that it has."""
    only: Sequence[str] = ()
    """Test files, or folders of lit tests, that are run instead of those by the map."""
    marks: marks.Marks = field(default_factory=dict[str, dict[str, float]])
    """The tests that execute what faults change, which are run instead of others that reach the
    file.
    """
    sound: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether a test passes in the copy without any fault."""
    unsound: set[str] = field(default_factory=set[str])
    """Test files with one that does not."""

    def run(self, fault: Fault) -> Result:
        """What becomes of a fault."""
        start = time.monotonic()
        is_whole = self.budget >= selection.BUDGET and not self.only
        if self.only:
            steps = self.chosen(fault.file)
        elif fault.digest in self.marks:
            steps = self.by_marks(fault)
        else:
            steps = self.by_map(fault.file, is_whole)
        found = (Outcome.SURVIVED if is_whole else Outcome.OPEN, "")
        for outcome, tests in steps:
            if test := self.first_failure(fault, tests):
                found = outcome, test
                break
        lit = [test for test in self.only if test.startswith(LIT)]
        if lit or (self.filecheck and is_whole):
            found = found if found[1] else self.first_lit_failure(fault, lit or [LIT]) or found
        if self.soak and not found[1]:
            found = self.first_soak_failure(fault) or found
        return Result(fault.digest, *found, time.monotonic() - start)

    def by_map(self, file: str, is_whole: bool) -> Sequence[tuple[Outcome, Sequence[str]]]:
        """The tests that the map has for a file, by what they belong to."""
        tiers = tiers_of(file, self.seconds, self.budget)
        return (Outcome.QUICK, tiers.quick), (Outcome.TEST, tiers.others if is_whole else ())

    def by_marks(self, fault: Fault) -> Iterator[tuple[Outcome, Sequence[str]]]:
        """`make quick FILE=..`, whole, as what is cached is executed by the first test alone; then
        other tests that execute what a fault changes, as far as they fit into the seconds.
        """
        quick = tiers_of(fault.file, 0.0).quick
        yield Outcome.QUICK, quick
        marked = self.marks[fault.digest]
        seconds = {test: marked[test] for test in marked if test.partition("::")[0] not in quick}
        for batch in marks.batches(marks.round_robin(seconds), seconds, self.seconds):
            yield Outcome.TEST, batch

    def chosen(self, file: str) -> Sequence[tuple[Outcome, Sequence[str]]]:
        """The tests that are named, by what they belong to."""
        quick = tiers_of(file, 0.0).quick
        tests = [test for test in self.only if not test.startswith(LIT)]
        others = [test for test in tests if test not in quick]
        return (Outcome.QUICK, [test for test in tests if test in quick]), (Outcome.TEST, others)

    def first_lit_failure(self, fault: Fault, tests: Sequence[str]) -> tuple[Outcome, str] | None:
        """The first lit test that fails with the fault, and passes without."""
        while True:
            with planted(fault, self.root):
                failed = self._lit(tests)
            if failed is None:
                return None
            if failed in (LIT, "timeout") or self._passes_without(f"{LIT}/{failed}", 0.0):
                return Outcome.FILECHECK, failed
            self.unsound.add(f"{LIT}/{failed}")

    def first_soak_failure(self, fault: Fault) -> tuple[Outcome, str] | None:
        """The first test that fails with the fault among those that `make test` leaves out, in the
        files that reach its source."""
        tiers = tiers_of(fault.file, math.inf)
        with planted(fault, self.root):
            failed = self._pytest(("-m", "soak", *tiers.quick, *tiers.others), self.soak)
        return None if failed in (None, "timeout") else (Outcome.SOAK, failed)

    def first_failure(self, fault: Fault, tests: Sequence[str]) -> str | None:
        """The first test that fails with the fault, and passes without."""
        known = {name: test.seconds for name, test in stored.read().tests.items()}
        known |= self.marks.get(fault.digest, {})
        tests = [test for test in tests if test.partition("::")[0] not in self.unsound]
        while tests:
            seconds = sum(known.get(test, 10.0) for test in tests)
            limit = START + SLOWNESS * seconds
            with planted(fault, self.root):
                failed = self._pytest(tests, limit)
            if failed is None or failed == "timeout" or self._passes_without(failed, limit):
                return failed
            # What cannot run in a copy says nothing; those after it have not been run.
            file = failed.partition("::")[0]
            self.unsound.add(file)
            done = next((tests.index(name) for name in (failed, file) if name in tests), len(tests))
            tests = [test for test in tests[done + 1 :] if test.partition("::")[0] != file]
        return None

    def first_failure_of(self, tests: Sequence[str], fault: Fault | None = None) -> str | None:
        """The first of some tests, of pytest or of lit, that fails in the copy, with a fault if
        one is given.
        """
        lit = [test for test in tests if test.startswith(LIT)]
        others = [test for test in tests if not test.startswith(LIT)]
        with nullcontext() if fault is None else planted(fault, self.root):
            failed = self._pytest(others, START + self.seconds) if others else None
            return failed or (self._lit(lit) if lit else None)

    def _passes_without(self, test: str, limit: float) -> bool:
        if test not in self.sound:
            failed = self._lit([test]) if test.startswith(LIT) else self._pytest([test], limit)
            self.sound[test] = failed is None
        return self.sound[test]

    def _pytest(self, arguments: Sequence[str], limit: float) -> str | None:
        """The first test that fails, `timeout`, or nothing."""
        options = ("-x", "-q", "-rfE", "--tb=no", "--no-header", "-p", "no:cacheprovider")
        done = self._limited([sys.executable, "-m", "pytest", *options, *arguments], limit)
        if done is None:
            return "timeout"
        status, output = done
        if status in (0, _NO_TESTS):
            return None
        match = _FAILURE.search(output)
        # A fault may stop pytest itself: then what it was to run stands for the test.
        return arguments[0] if match is None else match[1]

    def _lit(self, tests: Sequence[str]) -> str | None:
        lit = str(Path(sys.executable).with_name("lit"))
        unsound = [re.escape(test.removeprefix(f"{LIT}/")) for test in self.unsound]
        others = ("--filter-out", "|".join(unsound)) if unsound else ()
        done = self._limited([lit, "-s", "-j", "1", "--max-failures", "1", *others, *tests], 1800)
        if done is None:
            return "timeout"
        status, output = done
        match = re.search(r"^\s+tileir_xdsl :: (\S+)", output, re.MULTILINE)
        return None if status == 0 else LIT if match is None else match[1]

    def _limited(self, command: Sequence[str], seconds: float) -> tuple[int, str] | None:
        """Exit status and output of a command in the copy; nothing if it takes more than such
        processor time.
        """
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=os.environ | _VARIABLES | {"PYTHONPATH": str(self.root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        most = math.ceil(seconds)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (most, most + 5))
        try:
            output, _ = process.communicate(timeout=WAITING * seconds)
        except subprocess.TimeoutExpired:
            # The tests' own processes are in the same session.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return None
        return process.returncode, output
