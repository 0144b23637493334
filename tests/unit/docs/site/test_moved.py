"""Old addresses lead on: each page and heading that there was is there, or has a row in moved.md."""

from pathlib import Path

import pytest

from docs.site.moved import DOCS, anchors, moved, redirects, script

BEFORE = Path(__file__).with_name("anchors_before.txt").read_text("utf-8").splitlines()
"""Pages and headings before the pages were merged, from the folder `docs`."""


def leads(address: str) -> bool:
    """Whether an address names a page, or a heading of one."""
    page, _, anchor = address.partition("#")
    path = DOCS / page
    return path.exists() and (not anchor or anchor in anchors(path.read_text("utf-8")))


def lost(address: str, table: dict[str, str]) -> bool:
    """Whether an old address leads nowhere; a heading of a page that moved leads to its page."""
    page = address.partition("#")[0]
    return not leads(address) and address not in table and page not in table


def test_old_addresses_lead_on():
    table = moved()
    assert [address for address in BEFORE if lost(address, table)] == []


def test_new_addresses_are_there():
    assert [new for new in moved().values() if not leads(new)] == []


def test_rows_are_of_what_moved():
    assert [old for old in moved() if leads(old)] == []


@pytest.mark.parametrize("address", ["none.md", "moved.md#none"])
def test_a_lost_address_is_found(address: str):
    assert lost(address, {})
    assert not lost(address, {address: "moved.md"})


def test_anchors():
    text = "# `a_b` and [C](c.md): 2\n```\n# code\n```\n## Size\n## Size\n"
    assert anchors(text) == ["a_b-and-c-2", "size", "size_1"]


def test_a_redirect_leads_to_the_heading():
    table = {"how_to/a.md": "b.md", "how_to/a.md#one": "b.md#two", "moved.md#old": "b.md#two"}
    made = redirects(table)
    assert list(made) == ["how_to/a.html"]
    assert '{"": "../b.html", "one": "../b.html#two"}' in made["how_to/a.html"]
    assert '{"moved.html": {"old": "b.html#two"}}' in script(table)
