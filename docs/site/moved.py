"""Leads old addresses on: pages and headings that moved, by the table of `docs/moved.md`."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from posixpath import dirname, relpath

DOCS = Path(__file__).resolve().parents[1]
TABLE = DOCS / "moved.md"
ROW = re.compile(r"^\| (\S+\.md(?:#\S+)?) \| \[[^]]*\]\((\S+)\) \|$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
FENCED = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)

SCRIPT = """// Leads from headings that moved to where they are.
const here = new URL("docs/", document.currentScript.src);
const moved = %s;
const page = decodeURI(location.href.split("#")[0]).slice(here.href.length);
const anchor = decodeURIComponent(location.hash.slice(1));
const found = moved[page] && moved[page][anchor];
if (found && !document.getElementById(anchor)) location.replace(new URL(found, here));
"""
"""Runs on each page; addresses are those of the folder `docs` of the site."""

REDIRECT = """<!doctype html>
<meta charset="utf-8">
<title>Moved</title>
<script>
const moved = %s;
location.replace(moved[decodeURIComponent(location.hash.slice(1))] || moved[""]);
</script>
<meta http-equiv="refresh" content="1; url=%s">
<p>This page has moved: <a href="%s">go on</a>.</p>
"""


def moved(text: str | None = None) -> dict[str, str]:
    """Old addresses and new ones, from the folder `docs`: `page.md` or `page.md#heading`."""
    return dict(ROW.findall(TABLE.read_text("utf-8") if text is None else text))


def slug(heading: str) -> str:
    """The anchor of a heading, as mkdocs makes it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def anchors(text: str) -> list[str]:
    """The anchors of a page, in order; the second heading of one name ends in `_1`."""
    found = list[str]()
    for heading in HEADING.findall(FENCED.sub("", text)):
        name, number = slug(heading), 0
        while (anchor := f"{name}_{number}" if number else name) in found:
            number += 1
        found.append(anchor)
    return found


def html(address: str) -> str:
    """The address on the site of a page of the repository."""
    return re.sub(r"\.md(?=#|$)", ".html", address)


def script(table: Mapping[str, str]) -> str:
    """The script that leads on from headings of pages that are still there."""
    by_page = dict[str, dict[str, str]]()
    for old, new in table.items():
        page, _, anchor = old.partition("#")
        if anchor and (DOCS / page).exists():
            by_page.setdefault(html(page), {})[anchor] = html(new)
    return SCRIPT % json.dumps(by_page)


def redirects(table: Mapping[str, str]) -> dict[str, str]:
    """The pages that stand where pages were, by their path in the folder `docs` of the site."""
    made = dict[str, str]()
    for page in (old for old in table if "#" not in old):
        folder = dirname(page) or "."
        targets = {
            old.partition("#")[2]: relpath(html(new), folder)
            for old, new in table.items()
            if old.partition("#")[0] == page
        }
        made[html(page)] = REDIRECT % (json.dumps(targets), targets[""], targets[""])
    return made
