"""Renders a report as one HTML file that contains its style, script and data."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from tileir_xdsl.report.schema import CODE_TITLES

Json: TypeAlias = Any
"""Contents of a JSON text; `docs/report_schema.md` describes that of a report."""

SCRIPTS = (
    "elements",
    "data",
    "sources",
    "syntax",
    "difference",
    "highlights",
    "rows",
    "text_view",
    "panels",
    "phase_list",
    "pass_tab",
    "selection_tab",
    "drawings_tab",
    "spills",
    "resources_tab",
    "search",
    "tabs",
    "keys",
    "main",
)
"""The parts of the page's script, ordered so that definitions precede uses."""

_MARKUP = re.compile(r"<(?=!--|/|script)", re.I)
"""A `<` to escape (HTML Standard, "Restrictions for contents of script elements")."""

LIVE_SCRIPTS = ("place", "choices_tab", "live")
"""Scripts that precede `SCRIPTS` in pages of `tileir view`; they only define functions."""


class MissingJinja2Error(ImportError):
    """A page was requested, and jinja2 is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "the page of a report needs jinja2: install the extra with"
            " `pip install 'tileir_xdsl[report]'`, or ask for JSON"
        )


def render(report_json: Mapping[str, Json], live: Mapping[str, Json] | None = None) -> str:
    """The page of a report as HTML.

    `live` is data that `tileir view` adds (`tileir_xdsl/view/pages.py`); only a page with `live`
    may connect to a server. Raises `MissingJinja2Error` without the extra `report`.
    """
    template, as_markup = _template()
    style, script = _style_and_script(live is not None)
    return template.render(
        report=report_json,
        kernels=", ".join(report_json["kernels"]) or report_json["file"],
        policy=_policy(script, is_live=live is not None),
        style=as_markup(style),
        script=as_markup(script),
        live=None if live is None else as_markup(embedded(live)),
        data=as_markup(embedded(interned(report_json))),
    )


@cache
def _template() -> tuple[Any, Callable[[str], Any]]:
    try:
        import jinja2
        import markupsafe
    except ImportError as error:
        raise MissingJinja2Error from error
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(_part("page.html.j2")), markupsafe.Markup


def _part(name: str) -> str:
    return files("tileir_xdsl.report.page").joinpath(*name.split("/")).read_text(encoding="utf-8")


@cache
def _style_and_script(is_live: bool) -> tuple[str, str]:
    names = (*LIVE_SCRIPTS, *SCRIPTS) if is_live else SCRIPTS
    return _part("page.css"), "\n".join(_part(f"scripts/{name}.js") for name in names)


def _policy(script: str, *, is_live: bool) -> str:
    """The content security policy of the page: only this script runs, nothing is loaded."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    connections = "; connect-src 'self'" if is_live else ""
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
        f"; img-src data:; base-uri 'none'; form-action 'none'{connections}"
    )


def embedded(data: Json) -> str:
    """Data as JSON for an HTML script element, without characters that could end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _MARKUP.sub(r"\\u003c", text)


class _LineTable:
    """A table of distinct lines, since most lines of a phase equal lines of the phase before."""

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self._numbers: dict[Json, int] = {}

    def number(self, line: Mapping[str, Json]) -> int:
        """The number of a line; adds a new line."""
        ids, spans = line.get("ids", ()), line.get("spans", ())
        flat = [part for span in spans for part in span]
        op_number = line.get("number")
        key = (line["text"], tuple(ids), tuple(flat), op_number)
        if key not in self._numbers:
            self._numbers[key] = len(self.lines)
            entry = [line["text"], list(ids), flat]
            self.lines.append(entry if op_number is None else [*entry, op_number])
        return self._numbers[key]


def interned(report: Mapping[str, Json]) -> dict[str, Json]:
    """A report whose lines are replaced by indices into its `line_table`, with `code_titles`.

    An entry of `line_table` is `[text, ids, [start, end, id, start, ..]]`, followed by the number
    of the line's op if there is one.
    """
    table = _LineTable()

    def numbered(text: Mapping[str, Json] | None) -> dict[str, Json] | None:
        if text is None:
            return None
        lines = text["lines"]
        return {**text, "lines": None if lines is None else [table.number(line) for line in lines]}

    return {
        **report,
        "sources": [numbered(source) for source in report["sources"]],
        "phases": [numbered(phase) for phase in report["phases"]],
        **{name: numbered(report.get(name)) for name in CODE_TITLES},
        "code_titles": CODE_TITLES,
        "line_table": table.lines,
    }
