"""Offsets of a text and the positions of the protocol."""

import pytest

from tileir_xdsl.lsp.source import Source

TEXT = "a\U0001d54abé\r\n\n%x = op\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_count_code_units(encoding: str):
    source = Source(TEXT, encoding)
    for offset, letter in enumerate(TEXT):
        line, unit = source.position(offset)
        before = TEXT[:offset].split("\n")
        codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        assert (line, unit) == (len(before) - 1, len(before[-1].encode(codec)) // size)
        if letter not in "\r\n":
            assert source.offset(line, unit) == offset


@pytest.mark.parametrize(
    ("line", "unit", "offset"),
    [(0, 99, 4), (1, 99, 6), (9, 0, len(TEXT)), (-1, 0, 0), (2, -5, 7), (0, 2, 2)],
)
def test_positions_that_the_text_has_not(line: int, unit: int, offset: int):
    assert Source(TEXT).offset(line, unit) == offset


def test_lone_surrogates():
    assert Source("\ud800x").position(1) == (0, 1)
    assert Source("\ud800x", "utf-8").offset(0, 3) == 1


@pytest.mark.parametrize(
    ("offset", "word"), [(7, "%x"), (9, "%x"), (10, None), (12, "op"), (14, "op"), (6, None)]
)
def test_words(offset: int, word: str | None):
    span = Source(TEXT).word_at(offset)
    assert (span and TEXT[slice(*span)]) == word
