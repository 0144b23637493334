"""Sentences of pages are plain English, by the patterns of the package; long ones only get fewer.

`python -m tests.unit.docs.test_plain_pages` prints them.
"""

import re
from collections.abc import Iterator

from docs.words import pages
from tests.unit.repository.test_words import faults
from tests.unit.tools import REPOSITORY

MOST = 124
"""Sentences; lower it where a change leaves fewer."""

FENCED = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
ITEM = re.compile(r"\n(?=\s*(?:[-*]|\d+\.) )")
MARK = re.compile(r"^\s*(?:[-*]|\d+\.) ")


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and items of lists of a page, each in one line, without code and tables."""
    plain = LINK.sub(r"\1", FENCED.sub("", text)).replace("**", "")
    for block in re.split(r"\n\s*\n", plain):
        if block.strip() and not block.startswith(("    ", "#", "<!--", "|")):
            yield from (" ".join(MARK.sub("", item).split()) for item in ITEM.split(block))


def found() -> list[str]:
    """The faults of the pages that are written by hand, each after its page."""
    return [
        f"{name}: {pattern}: {sentence}"
        for name, count in pages().items()
        if count.by_hand
        for paragraph in paragraphs((REPOSITORY / name).read_text("utf-8"))
        for pattern, sentence in faults(paragraph)
    ]


def test_faults_only_get_fewer():
    assert len(found()) <= MOST, "see `python -m tests.unit.docs.test_plain_pages`"


def test_paragraphs():
    text = "# T\n\nA [b](c.md)\nd.\n\n- e\n  f\n- g\n\n| h |\n\n    i\n\n```text\nj\n```\n"
    assert list(paragraphs(text)) == ["A b d.", "e f", "g"]


if __name__ == "__main__":
    print(*found(), sep="\n")
