"""Runs a pass on programs, and finds the first program whose results the pass changes."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException, VerifyException

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.checking.observation import emulate, interpret
from tileir_xdsl.checking.pass_check import Case, Change, PassCheck, Trial
from tileir_xdsl.diagnostics import ResourceExceededError
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.races import RaceDetector
from tileir_xdsl.levels import LLVM, is_legal
from tileir_xdsl.runtime.tensor_maps import TensorMapError
from tileir_xdsl.testing.pass_checks.candidates import Candidate
from tileir_xdsl.testing.pass_checks.subjects import Subject, run_road
from tileir_xdsl.testing.pass_checks.time_limit import TooLongError, time_limit
from tileir_xdsl.walking import clone_of

LEAST_SECONDS = 10.0
"""The processor time that a pass may take for one program, even if the total limit is exceeded."""


@dataclass(frozen=True)
class Fault:
    """A program on which a pass has a fault, and the fault."""

    subject: Subject
    message: str
    """The message, with the pass, the kernel and, if known, the first faulty op."""
    kind: str
    """The part of the message that is the same for a smaller program."""
    is_of_ptx: bool = False
    """Whether the fault was found in the PTX of the program."""


@dataclass
class Summary:
    """The number of programs on which a pass was run, and of their outcomes."""

    programs: int = 0
    changed: int = 0
    compared: int = 0
    """The number of programs that the pass changed and whose results are determined."""
    refused: int = 0
    """The number of programs on which the pass raised `PassFailedException`."""
    as_ptx: int = 0
    """The number of programs that were also compared as PTX."""
    waiting: list[_Changed] = field(default_factory=list["_Changed"])

    def __str__(self) -> str:
        refused = f", refused {self.refused}" if self.refused else ""
        return (
            f"changed {self.changed} of {self.programs} programs{refused}; {self.compared} were "
            f"compared, {self.as_ptx} also as PTX"
        )


@dataclass(frozen=True)
class _Changed:
    """A program before and after a pass, with equal results at its own level."""

    subject: Subject
    check: PassCheck


def observed(
    module: ModuleOp, kernel: str, launch_input: LaunchInput, trial: Trial | None = None
) -> Case | None:
    """A launch of the program before the pass; None if it fails or has races itself."""
    seconds = None if trial is None else trial.seconds
    try:
        if is_legal(module, LLVM):
            expected = emulate(module, kernel, launch_input, races=True, seconds=seconds)
            return Case(kernel, launch_input, expected, of_machine=True)
        detector = RaceDetector()
        expected = interpret(module, kernel, launch_input, memory_order=detector, seconds=seconds)
    except (InterpreterError, EmulatorError, TensorMapError):
        return None
    return None if detector.races else Case(kernel, launch_input, expected)


def check_pass(
    candidate: Candidate,
    programs: Iterable[Subject],
    seconds: float,
    told: Callable[[Summary], None] | None = None,
) -> tuple[Fault | None, Summary]:
    """The first program on which a pass has a fault, if one is found in `seconds`.

    Processor time is counted, so that results do not depend on the machine's load. Programs are
    compared at their own level; half of the time, changed programs are also compared as PTX.
    """
    start = time.process_time()
    summary, as_ptx = Summary(), 0.0
    for subject in programs:
        past = time.process_time() - start
        if past > seconds:
            break
        limit = max(seconds - past, LEAST_SECONDS)
        fault = check_subject(candidate, subject, summary, limit=limit)
        while fault is None and summary.waiting and as_ptx <= past / 2:
            before = time.process_time()
            fault = _check_as_ptx(candidate, summary.waiting.pop(0), summary)
            as_ptx += time.process_time() - before
        if fault is not None:
            return fault, summary
        if told is not None:
            told(summary)
    while summary.waiting and time.process_time() - start <= seconds:
        fault = _check_as_ptx(candidate, summary.waiting.pop(0), summary)
        if fault is not None:
            return fault, summary
    return None, summary


def check_subject(
    candidate: Candidate,
    subject: Subject,
    summary: Summary,
    trial: Trial | None = None,
    *,
    limit: float = LEAST_SECONDS,
) -> Fault | None:
    """The fault of a pass on a program, at the level of the pass; updates the summary.

    It is also a fault if the pass exceeds `limit` seconds, or the limit of a trial.
    """
    summary.programs += 1
    module = clone_of(subject.module)
    try:
        with time_limit(limit if trial is None else trial.seconds):
            candidate.apply(module)
    except PassFailedException:
        summary.refused += 1
        return None
    except TooLongError as error:
        return _endless(candidate, subject, error)
    except Exception as error:
        return _crash(candidate, subject, error)
    if module.is_structurally_equivalent(subject.module):
        return None
    summary.changed += 1
    observations = [
        observed(subject.module, subject.kernel, each, trial) for each in subject.launches
    ]
    cases = [case for case in observations if case is not None]
    check = PassCheck(
        clone_of(subject.module),
        cases,
        units=candidate.units,
        level=candidate.output,
        remark=_drop,
        trial=trial,
    )
    try:
        check.run(candidate.name, candidate.apply)
    except PassFailedException as error:
        return _fault(subject, error)
    # An executor may meet what no program has had, and no verifier looks for.
    except Exception as error:
        return _unrunnable(candidate, subject, error)
    if not check.cases:
        return None
    summary.compared += 1
    if subject.rest and subject.is_exact:
        summary.waiting.append(_Changed(subject, check))
    return None


def _drop(_remark: str) -> None:
    """Ignores remarks on omitted inputs, whose results depend on the order of tile blocks."""


def check_program(
    candidate: Candidate,
    subject: Subject,
    summary: Summary,
    trial: Trial | None = None,
    *,
    with_ptx: bool,
) -> Fault | None:
    """The fault of a pass on one program, at its level and with `with_ptx` as PTX."""
    fault = check_subject(candidate, subject, summary, trial)
    if fault is not None or not with_ptx:
        return fault
    faults = (_check_as_ptx(candidate, changed, summary) for changed in summary.waiting)
    return next((fault for fault in faults if fault is not None), None)


def _fault(subject: Subject, error: Exception) -> Fault:
    message = str(error)
    return Fault(subject, message, kind_of_fault(message.removeprefix("check: ")))


def kind_of_fault(message: str) -> str:
    """The kind of a fault: its message without numbers, values and locations."""
    what, *rest = message.partition("; ")[0].split(": ")
    rest = [part for part in rest if not _PLACE.search(part)]
    shows = _NUMBERS.sub("", rest[0]).partition(",")[0] if rest else ""
    if shows.startswith("argument"):
        shows = "elements differ"
    if "leaves a race" in what:
        shows = next((place for place in _MEMORIES if place in message), "")
    if " raises " in what:
        shows = ""
    return f"{what}: {shows}"


_PLACE = re.compile(
    r"\bin tile block \(|^PTX line|^the kernel stops with$|^loc\(|:\d+:\d+$|^\[?\d+\]?$"
)
_NUMBERS = re.compile(r"%[\w#.-]+|0x[0-9a-f]+|[-+]?\b\d[\w.+-]*|\b(?:nan|inf)\b")
_MEMORIES = ("shared memory", "tensor memory", "both access")


def _crash(candidate: Candidate, subject: Subject, error: Exception) -> Fault:
    kind = f"pass '{candidate.name}' raises {type(error).__name__}"
    first, *_ = [*str(error).strip().splitlines(), ""]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"({Path(frame.filename).name}, line {frame.lineno})"
    return Fault(subject, f"check: {kind}: {first} {place}", kind)


def _unrunnable(candidate: Candidate, subject: Subject, error: Exception) -> Fault:
    kind = f"pass '{candidate.name}' leaves IR that no executor takes"
    first, *_ = [*str(error).strip().splitlines(), ""]
    return Fault(subject, f"check: {kind}: {type(error).__name__}: {first}", kind)


def _endless(candidate: Candidate, subject: Subject, error: TooLongError) -> Fault:
    kind = f"pass '{candidate.name}' does not end"
    return Fault(subject, f"check: {kind}: it was stopped after {error}", kind)


def _check_as_ptx(candidate: Candidate, changed: _Changed, summary: Summary) -> Fault | None:
    """The fault of a program's PTX after a pass, unless the PTX without the pass has a fault."""
    subject, check = changed.subject, changed.check
    try:
        found = _fault_of_ptx(candidate, subject, check.module, check.cases)
        if found and _fault_of_ptx(candidate, subject, subject.module, check.cases):
            return None
    except ResourceExceededError:
        return None
    summary.as_ptx += 1
    return None if found is None else replace(found, is_of_ptx=True)


def _fault_of_ptx(
    candidate: Candidate, subject: Subject, module: ModuleOp, cases: Sequence[Case]
) -> Fault | None:
    """The fault of the PTX of a module; raises ResourceExceededError if it exceeds a resource."""
    lowered = PassCheck(clone_of(module), cases, units=candidate.units, remark=_drop)
    try:
        run_road(lowered.module, subject.rest)
    except ResourceExceededError:
        raise
    except (PassFailedException, VerifyException) as error:
        kind = f"pass '{candidate.name}' leaves IR that a later pass refuses"
        return Fault(subject, f"check: {kind}: {error}", kind)
    try:
        lowered.compare(Change(candidate.name, candidate.apply, None, subject.module))
    except PassFailedException as error:
        return _fault(subject, error)
    return None
