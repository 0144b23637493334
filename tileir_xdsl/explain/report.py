"""The report of one pass: nested plain data, as indented text or as JSON."""

import json
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from xdsl.utils.exceptions import PassFailedException

ReportValue: TypeAlias = (
    "str | int | float | bool | Sequence[ReportValue] | Mapping[str, ReportValue] | None"
)
"""Values that JSON can hold."""


@dataclass
class Report:
    """The report of one pass on a module: decisions by function, in program order."""

    pass_name: str
    functions: dict[str, list[Mapping[str, ReportValue]]] = field(
        default_factory=dict[str, list[Mapping[str, ReportValue]]]
    )

    def add(self, function: str, **facts: ReportValue) -> None:
        """Adds one decision; underscores in the names of facts are printed as blanks."""
        named = {name.replace("_", " "): fact for name, fact in facts.items()}
        self.functions.setdefault(function, []).append(named)

    def as_json(self) -> str:
        """The report as JSON: `{"pass": name, "functions": {name: [decision, ..]}}`."""
        return json.dumps({"pass": self.pass_name, "functions": self.functions}, indent=2) + "\n"

    def as_text(self) -> str:
        """The report as indented text, one decision after another."""
        lines = [self.pass_name]
        for function, decisions in self.functions.items():
            lines.append(f"  @{function}")
            for decision in decisions:
                lines += [f"    {line}" for line in _lines(decision)]
        return "\n".join(lines) + "\n"


def _is_plain(value: ReportValue) -> bool:
    return not isinstance(value, Mapping | Sequence) or isinstance(value, str)


def _plain(value: ReportValue) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _lines(value: ReportValue) -> Iterator[str]:
    """The lines of a value: one for each fact of a mapping, and one after a dash for each item."""
    if _is_plain(value):
        yield _plain(value)
    elif isinstance(value, Mapping):
        for name, fact in value.items():
            if _is_plain(fact):
                yield f"{name}: {_plain(fact)}"
            elif fact:
                yield f"{name}:"
                yield from (f"  {line}" for line in _lines(fact))
    else:
        assert isinstance(value, Sequence)
        for item in value:
            first, *others = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)


COLLECTED = "<collected>"
"""A file name that sends the report to `collecting_reports`."""

_collected: ContextVar[list[Report]] = ContextVar("collected reports")


@contextmanager
def collecting_reports() -> Generator[list[Report]]:
    """Collects the reports of passes with `explain=COLLECTED`, in the order of the passes."""
    reports: list[Report] = []
    token = _collected.set(reports)
    try:
        yield reports
    finally:
        _collected.reset(token)


STANDARD_OUTPUT = "-"
"""The file name that means the standard output."""


def write_report(report: Report, path: str) -> None:
    """Writes a report to a file: JSON if its name ends in `.json`, otherwise text; `-` prints it.

    If `path` is `COLLECTED`, `collecting_reports` receives the report.

    Raises:
        PassFailedException: the file cannot be written.
    """
    if path == COLLECTED:
        _collected.get().append(report)
        return
    write_text(report.as_json() if path.endswith(".json") else report.as_text(), path)


def write_text(text: str, path: str) -> None:
    """Writes a pass's report to a file, or to the standard output for `-`.

    Raises:
        PassFailedException: the file cannot be written.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, "utf-8")
    except OSError as error:
        raise PassFailedException(f"cannot write {path}: {error.strerror}") from error
