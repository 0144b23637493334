"""Responses to browsers: pages of reports with additions of `tileir view`, and files alongside."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from tileir_xdsl.report.page.render import render
from tileir_xdsl.view.comparison import earlier_texts, instruction_rows, rows
from tileir_xdsl.view.compilations import State, Status

STATIC = {
    "": ("index.html", "text/html"),
    "index.js": ("index.js", "text/javascript"),
    "waiting.js": ("waiting.js", "text/javascript"),
    "view.css": ("view.css", "text/css"),
}
"""Files of the package by their address: the name and the type of the contents."""

_POLICY = (
    "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; script-src {0}; style-src {0}"
)

POLICY = _POLICY.format("'self'")
"""The content security policy of pages made of the package's files."""

REPORT_POLICY = _POLICY.format("'unsafe-inline'")
"""The policy of a report's page, which runs only the script that the page itself names."""


@dataclass(frozen=True)
class Page:
    """A page and its content security policy."""

    text: str
    policy: str


class BadReportError(Exception):
    """A file is not a report of a version that can be shown."""


@cache
def static_file(name: str) -> bytes:
    """The contents of a file of the package."""
    return files("tileir_xdsl.view").joinpath("static", name).read_bytes()


def kernel_page(name: str, state: State) -> Page:
    """The page of a kernel: its report, or a message before there is one."""
    live = {
        "name": name,
        "revision": str(state.revision),
        "status": state.status.value,
        "forced": list(state.forced),
        "message": state.message,
    }
    if state.report is None:
        return _waiting_page(name, str(state.revision), state.message or "Being compiled")
    report = read_report(state.report)
    return Page(render(report, live={**live, **_compared(state, report)}), REPORT_POLICY)


def report_page(name: str, revision: str, contents: bytes) -> Page:
    """The page of a stored report. Raises BadReportError."""
    live = {"name": name, "revision": revision, "status": "done", "forced": None}
    return Page(render(read_report(contents), live=live), REPORT_POLICY)


def _waiting_page(name: str, revision: str, message: str) -> Page:
    """A page with a message, until there is a report."""
    page = Template(static_file("waiting.html").decode())
    texts = {"name": name, "revision": revision, "message": message}
    escaped = {key: html.escape(text) for key, text in texts.items()}
    return Page(page.substitute(escaped), POLICY)


def read_report(contents: bytes) -> dict[str, Any]:
    """A report from its JSON. Raises BadReportError."""
    try:
        report = json.loads(contents)
    except (ValueError, RecursionError) as error:
        raise BadReportError(f"the report is not JSON: {error}") from error
    known = isinstance(report, dict) and report.get("schema") == "tileir-report"
    if not known or report.get("version") != 1:
        raise BadReportError("expected a report of version 1")
    return report


def _compared(state: State, report: dict[str, Any]) -> dict[str, Any]:
    """The earlier compilation, compared with the current one if this has succeeded."""
    if state.earlier is None or state.status is not Status.DONE:
        return {}
    earlier = read_report(state.earlier)
    return {
        "rows": rows(earlier, report),
        "instructions": instruction_rows(earlier, report),
        "earlier": earlier_texts(earlier),
    }
