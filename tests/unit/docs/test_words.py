"""The words of the documentation may only get fewer."""

import pytest

from docs import words

MOST = {"written by hand": 50_000, "generated": 31_800}
"""Words; lower them where a change leaves fewer."""

MOST_IN_A_DOCSTRING = 17.3


def test_the_totals_only_fall():
    found = words.totals()
    above = {name: count for name, count in found.items() if count > MOST[name]}
    assert not above, "see `python -m docs.words`: leave something out, or say it in fewer words"


def test_docstrings_stay_as_short():
    count, number = words.docstring_words()
    assert count / number <= MOST_IN_A_DOCSTRING


@pytest.mark.parametrize(
    ("text", "by_hand", "generated"),
    [
        ("# One\n\n| two | - |\n", 2, 0),
        ("# A\n\nWritten by\n`python -m docs.a`.\n", 0, 6),
        ("# A\n<!-- loops -->\nWritten by `python -m docs.a`\n<!-- end of loops -->\nb\n", 2, 9),
        ("# A\n<!-- schematic -->\n    b\n", 3, 0),
    ],
)
def test_words_of_a_page(text: str, by_hand: int, generated: int):
    assert words.page_count(text) == words.Count(by_hand, generated)


def test_prose_of_a_program():
    source = (
        '"""A docstring of five words."""\nA = "one two three"\nB = f"one two {A} three four"\n'
    )
    assert words.prose(source) == 0
    assert words.prose(source + 'C = "one two three four"\n') == 4


def test_generators_and_their_tables_count():
    found = words.generators()
    assert found["docs/loops.py"] > 100 and found["docs/site/causes.toml"] > 100
