"""A search for the words of readers finds the page that answers first."""

from pathlib import Path

import pytest

from docs.site import searching
from docs.site.searching import SEARCHES, Section, boosted, first, problems, sections
from docs.site.staging import all_pages


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Section]:
    return list(sections(all_pages(tmp_path_factory.mktemp("pages"))))


@pytest.mark.parametrize(("query", "page"), SEARCHES.items())
def test_the_right_page_is_first(query: str, page: str, found: list[Section]):
    assert first(query, found) == page


def test_another_page_is_a_problem():
    pages = {"a.md": "# Races\n", "README.md": "# Install\n"}
    said = problems(sections(pages))
    assert "a search for 'race' finds a.md before docs/emulator.md" in said
    assert not any("'install'" in line for line in said)


def test_a_title_counts_more_than_a_text():
    pages = {"a.md": "# Other\nslow slow slow\n", "b.md": "# Slow\n"}
    assert first("slow", sections(pages)) == "b.md"


def test_a_page_that_answers_is_boosted():
    assert boosted("README.md", "# A\n").startswith("---\nsearch:\n  boost: ")
    assert boosted("docs/none.md", "# A\n") == "# A\n"


def test_a_built_site(tmp_path: Path):
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "search_index.json").write_text(
        '{"docs": [{"location": "docs/a.html#b", "title": "B", "text": "<p>c &amp; d</p>"}]}'
    )
    assert list(searching.built(tmp_path)) == [Section("docs/a.md", "B", " c & d ", 1)]
