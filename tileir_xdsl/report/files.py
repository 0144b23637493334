"""The files of a report: a page, its JSON, or both, replaced whole whenever they are written."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tileir_xdsl.report.schema import CompilationReport, as_json
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.files import write_file

PAUSE = 1.0
"""Seconds between two states of a report that is not complete: each is written whole."""

SHARE = 20
"""How many times longer than writing the pause after it is at least."""

PAGE_SUFFIXES = (".html", ".htm")


def json_text(report: CompilationReport) -> str:
    """A report as JSON of one line."""
    return _as_utf8(
        json.dumps(as_json(report), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        + "\n"
    )


def _as_utf8(text: str) -> str:
    """The text with escapes, of JSON also, for the bytes of a file's name that are not UTF-8."""
    return text.encode(errors="backslashreplace").decode()


def page_text(report: CompilationReport) -> str:
    """A report as a page. Raises InputError without the package that pages need."""
    # Only pages need jinja2, which is an extra.
    page = importlib.import_module("tileir_xdsl.report.page.render")
    try:
        return _as_utf8(page.render(as_json(report)))
    except page.MissingJinja2Error as error:
        raise InputError("explain", error) from error


@dataclass
class ReportFiles:
    """Where a report is written: pages to names that end in `.html`, JSON to all others."""

    names: tuple[str, ...]
    _due: float = 0.0

    @staticmethod
    def in_folder(folder: str, stem: str) -> ReportFiles:
        """A page and a JSON in a folder, which is made."""
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(folder, error.strerror or error) from error
        base = Path(folder, stem)
        return ReportFiles((f"{base}.report.html", f"{base}.report.json"))

    def write(self, report: CompilationReport) -> None:
        """Writes all files. Raises InputError for one that cannot be written."""
        started = time.monotonic()
        for name in self.names:
            is_page = name.endswith(PAGE_SUFFIXES)
            data = (page_text(report) if is_page else json_text(report)).encode()
            write_file(name, lambda stream, data=data: stream.write(data))
        self._due = time.monotonic() + max(PAUSE, SHARE * (time.monotonic() - started))

    def write_meanwhile(self, report: Callable[[], CompilationReport]) -> None:
        """Writes a report that is not complete, unless that was done a moment ago."""
        # The first state is always written.
        if time.monotonic() >= self._due:
            self.write(report())
