"""The files of a report: a page, its JSON, or both; each write replaces them atomically."""

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
"""The least seconds between two writes of an incomplete report."""

SHARE = 20
"""The least ratio of the pause after a write to the time of the write."""

PAGE_SUFFIXES = (".html", ".htm")


def json_text(report: CompilationReport) -> str:
    """A report as JSON of one line."""
    return _as_utf8(
        json.dumps(as_json(report), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        + "\n"
    )


def _as_utf8(text: str) -> str:
    """The text as UTF-8, with bytes of file names that are not UTF-8 escaped."""
    return text.encode(errors="backslashreplace").decode()


def page_text(report: CompilationReport) -> str:
    """A report as a page. Raises InputError without the package jinja2."""
    # Only pages need jinja2, which is an extra.
    page = importlib.import_module("tileir_xdsl.report.page.render")
    try:
        return _as_utf8(page.render(as_json(report)))
    except page.MissingJinja2Error as error:
        raise InputError("explain", error) from error


@dataclass
class ReportFiles:
    """The files of a report: pages for names that end in `.html`, JSON for all others."""

    names: tuple[str, ...]
    _due: float = 0.0

    @staticmethod
    def in_folder(folder: str, stem: str) -> ReportFiles:
        """A page and a JSON file in a folder, which is created."""
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(folder, error.strerror or error) from error
        base = Path(folder, stem)
        return ReportFiles((f"{base}.report.html", f"{base}.report.json"))

    def write(self, report: CompilationReport) -> None:
        """Writes all files. Raises InputError for a file that cannot be written."""
        started = time.monotonic()
        for name in self.names:
            is_page = name.endswith(PAGE_SUFFIXES)
            data = (page_text(report) if is_page else json_text(report)).encode()
            write_file(name, lambda stream, data=data: stream.write(data))
        self._due = time.monotonic() + max(PAUSE, SHARE * (time.monotonic() - started))

    def write_meanwhile(self, report: Callable[[], CompilationReport]) -> None:
        """Writes an incomplete report, unless one was written a moment ago."""
        # The first state is always written.
        if time.monotonic() >= self._due:
            self.write(report())
