"""What a search of the site finds first: pages that answer a word are boosted, and a check ranks.

The site's own search ranks sections by BM25, a match in a title 1,000 times one in the text, times
the boost of the page. `first` does the same.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SEARCHES: Mapping[str, str] = {
    "install": "README.md",
    "race": "docs/emulator.md",
    "slow": "docs/debugging.md",
    "PTX": "docs/how_to/my_kernel_to_ptx.md",
    "layout": "docs/layouts.md",
    "own pass": "docs/extensions.md",
}
"""Searches, and the page that each must find first."""

BOOST = 8
TITLE = 1_000
_SATURATION, _LENGTH = 1.2, 0.75
_TERM = re.compile(r"[a-z0-9_]+")
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A section of a page, as it is searched."""

    page: str
    title: str
    text: str
    boost: float


def boosted(name: str, text: str) -> str:
    """A page of the repository with its boost, which mkdocs reads before the page."""
    if name not in SEARCHES.values():
        return text
    return f"---\nsearch:\n  boost: {BOOST}\n---\n\n{text}"


def sections(pages: Mapping[str, str]) -> Iterator[Section]:
    """The sections of pages in Markdown, each up to the next heading."""
    for page, text in pages.items():
        boost = BOOST if page in SEARCHES.values() else 1
        found = list(_HEADING.finditer(text))
        ends = [*(heading.start() for heading in found[1:]), len(text)]
        for heading, end in zip(found, ends, strict=True):
            yield Section(page, heading[2], text[heading.end() : end], boost)


def built(site: Path) -> Iterator[Section]:
    """The sections of a built site, by the pages of the repository that they are from."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    for row in index["docs"]:
        page = row["location"].partition("#")[0].replace(".html", ".md")
        page = "README.md" if page in ("", "index.md") else page
        text = re.sub(r"<[^>]+>", " ", row["text"])
        yield Section(page, html.unescape(row["title"]), html.unescape(text), row.get("boost", 1))


def terms(text: str) -> list[str]:
    """The words of a text, without the ending of a plural."""
    return [word.rstrip("s") if len(word) > 3 else word for word in _TERM.findall(text.lower())]


def _scores(texts: Sequence[Sequence[str]], wanted: Iterable[str]) -> list[float]:
    """BM25 of each text for the words that are wanted."""
    counts = [Counter(text) for text in texts]
    mean = sum(map(len, texts)) / len(texts) or 1
    scores = [0.0] * len(texts)
    for term in wanted:
        having = sum(term in count for count in counts)
        rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for number, (count, text) in enumerate(zip(counts, texts, strict=True)):
            length = 1 - _LENGTH + _LENGTH * len(text) / mean
            often = count[term]
            scores[number] += rarity * often * (1 + _SATURATION) / (often + _SATURATION * length)
    return scores


def first(query: str, found: Iterable[Section]) -> str:
    """The page of the section that a query finds first."""
    listed = list(found)
    wanted = terms(query)
    titles = _scores([terms(each.title) for each in listed], wanted)
    texts = _scores([terms(each.text) for each in listed], wanted)
    ranked = [
        each.boost * (TITLE * title + text)
        for each, title, text in zip(listed, titles, texts, strict=True)
    ]
    return listed[max(range(len(listed)), key=ranked.__getitem__)].page


def problems(found: Iterable[Section]) -> list[str]:
    """The searches that find another page first."""
    listed = list(found)
    return [
        f"a search for {query!r} finds {page} before {wanted}"
        for query, wanted in SEARCHES.items()
        if (page := first(query, listed)) != wanted
    ]
