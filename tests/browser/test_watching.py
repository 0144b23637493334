"""The frame of these tests sees what is wrong with a page."""

from pathlib import Path

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.watching import Watch, is_local


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<script>console.error('oh')</script>", "error: oh"),
        ("<script>console.warn('hm')</script>", "warning: hm"),
        ("<script>missing()</script>", "exception: missing is not defined"),
        ("<img src='http://example.com/a.png'>", "request: http://example.com/a.png"),
    ],
)
def test_problems_are_seen(
    body: str, problem: str, tmp_path: Path, open_page: OpenPage, watch: Watch
):
    file = tmp_path / "page.html"
    file.write_text(f"<!doctype html><title>t</title>{body}")
    page = open_page(file)
    page.wait_for_load_state("networkidle")
    assert problem in watch.problems
    watch.problems.clear()


def test_a_sound_page_has_none(tmp_path: Path, open_page: OpenPage, watch: Watch):
    file = tmp_path / "page.html"
    file.write_text("<!doctype html><title>t</title><img src='data:,'><script>let a = 1</script>")
    open_page(file).wait_for_load_state("networkidle")
    assert watch.problems == []


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("file:///tmp/a.html", True),
        ("http://127.0.0.1:8080/a", True),
        ("http://localhost/", True),
        ("data:,", True),
        ("https://127.0.0.1.example.com/", False),
        ("https://example.com/", False),
        ("http://192.168.0.1/", False),
    ],
)
def test_what_is_local(url: str, local: bool):
    assert is_local(url) == local
