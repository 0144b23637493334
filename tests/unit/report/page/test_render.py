"""The page of a report: complete in itself, safe with any text, small."""

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.unit.report.page.samples import FAILURE, SUM, line, phase, report
from tests.unit.tools import REPOSITORY
from tileir_xdsl.report.page import render as rendering
from tileir_xdsl.report.page.render import MissingJinja2Error, interned, render

PAGE = REPOSITORY / "tileir_xdsl" / "report" / "page"


class Parts(HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.contents: dict[str, list[str]] = {}
        self.is_open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

        self.is_open = True

    def handle_endtag(self, tag: str) -> None:
        self.is_open = False

    def handle_data(self, data: str) -> None:
        if self.is_open:
            self.contents.setdefault(self.elements[-1][0], []).append(data)

    def attributes(self, name: str) -> list[str]:
        """All values that an attribute has anywhere."""
        return [value for _, attrs in self.elements if (value := attrs.get(name)) is not None]

    def data(self) -> Any:
        """The report that is embedded."""
        return json.loads(self.contents["script"][0])

    def policy(self) -> str:
        """What the page allows itself."""
        return next(attrs["content"] or "" for _, attrs in self.elements if "http-equiv" in attrs)


def digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def test_loads_nothing():
    page = render(report())
    parts = Parts(page)
    assert not parts.attributes("src")
    assert set(parts.attributes("href")) == {"data:,", "#panels"}
    loading = r"https?:|url\(|@import|\bimport[ (]|\bfrom '|\bfetch\(|XMLHttp|WebSocket"
    assert not re.search(loading, re.sub(r"^ *(//|/?\*).*", "", page, flags=re.M))
    assert not re.search(r"\bon\w+=", re.sub(r"<script.*?</script>", "", page, flags=re.S))


def test_runs_only_its_own_script():
    parts = Parts(render(report()))
    _, script = parts.contents["script"]
    assert f"script-src 'sha256-{digest(script)}';" in parts.policy()
    assert parts.policy().startswith("default-src 'none'")
    assert "connect-src" not in parts.policy()


def test_a_server_adds_to_it():
    parts = Parts(render(report(), live={"name": "</script>"}))
    _, live, script = parts.contents["script"]
    assert json.loads(live) == {"name": "</script>"}
    assert f"script-src 'sha256-{digest(script)}';" in parts.policy()
    assert "connect-src 'self'" in parts.policy()
    assert "function startLive()" in script
    assert "function startLive()" not in render(report())


def test_header_says_what_was_compiled():
    page = render(report())
    for text in ("<h1>add <small>on sm_90a", "tileir explain add.mlir --gpu sm_90a", "opt_level"):
        assert text in page
    assert 'class="state state-done">done' in page
    assert 'role="alert"' not in page


def test_running_report():
    page = render(report(status="running"))
    assert "up to canonicalize: reload to see more" in page


def test_failing_report_has_a_banner():
    page = render(report(status="failed", failure=FAILURE, ptx=None))
    assert "<strong>Failed in canonicalize:</strong>" in page
    assert "no layout for &lt;x&gt;" in page
    assert "add.mlir:3:5" in page
    assert 'id="show-failure"' in page


def test_report_of_a_text_that_cannot_be_read():
    failure = {"phase": 0, "message": "expected ','", "where": None, "ids": []}
    page = render(report(status="failed", failure=failure, phases=[], ptx=None, kernels=[]))
    assert "<strong>Failed:</strong>" in page
    assert "<h1>add.mlir " in page


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>alert(1)</script>",
        "</SCRIPT >",
        "<!-- <script>",
        "<!-- <SCRIPT>",
        "%\u2028 \\ \" ' &amp; \x00",
        "a < b, </b",
    ],
)
def test_any_text_comes_back_from_the_page(text: str):
    sources = [{"title": text, "language": "mlir", "lines": [line(text)]}]
    given = report(sources=sources, file=text, kernels=[text], command=text, gpu=text)
    parts = Parts(render(given))
    assert parts.data() == interned(given)
    assert len(parts.contents["script"]) == 2
    assert parts.data()["line_table"][0][0] == text
    # HTML Standard, "Restrictions for contents of script elements".
    assert not re.search("<!--|</?script", parts.contents["script"][0], re.I)


def expanded(data: dict[str, Any], indices: list[int]) -> list[dict[str, Any]]:
    """Lines of a page as those of the report."""
    lines: list[dict[str, Any]] = []
    for text, ids, flat, *number in (data["line_table"][index] for index in indices):
        spans = [flat[at : at + 3] for at in range(0, len(flat), 3)]
        entry: dict[str, Any] = {"text": text, "ids": ids, "spans": spans}
        lines.append({**entry, "number": number[0]} if number else entry)
    return lines


def test_equal_lines_are_stored_once():
    numbered = {**SUM, "number": 4}
    other = {**SUM, "ids": ["o2"]}
    given = report(phases=[phase(0, "read", [SUM, numbered, other, SUM]), phase(1, "x", None)])
    data = interned(given)
    first, second = data["phases"]
    assert first["lines"] == [0, 1, 2, 0]
    assert second["lines"] is None
    assert expanded(data, first["lines"]) == given["phases"][0]["lines"]
    assert expanded(data, data["ptx"]["lines"]) == given["ptx"]["lines"]
    assert data["sass"] is None


def test_forty_phases_of_a_thousand_lines_stay_small():
    lines = [line(f"%{n} = nv_tileaa.addf %a, %b : tensor<{n}xf32>", f"o{n}") for n in range(1000)]
    changed = [line(f"%{n} = other", f"o{n}") for n in range(40)]
    phases = [phase(n, "pass", [changed[n], *lines]) for n in range(40)]
    whole = len(render(report(phases=phases)).encode()) - len(render(report()).encode())
    assert whole < 400_000 < len(json.dumps(phases)) / 8


def test_without_jinja2(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    rendering._template.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(MissingJinja2Error, match=r"pip install 'tileir_xdsl\[report\]'"):
        render(report())


def test_all_scripts_are_in_the_page():
    known = [*rendering.SCRIPTS, *rendering.LIVE_SCRIPTS]
    assert sorted(known) == sorted(path.stem for path in PAGE.glob("scripts/*.js"))
