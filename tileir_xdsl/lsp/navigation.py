"""Where a name is defined and used."""

from __future__ import annotations

import re

from tileir_xdsl.lsp.analysis import Analysis, Symbol
from tileir_xdsl.lsp.source import Span


def definition(analysis: Analysis, offset: int) -> Span | None:
    """Where the value, block, symbol or alias at an offset is defined."""
    name = analysis.name_at(offset)
    if name is not None:
        return next((n.span for n in analysis.same_as(name) if n.is_definition), None)
    span = analysis.source.word_at(offset)
    if span is None:
        return None
    word = analysis.source.text[slice(*span)]
    if word.startswith("@"):
        symbol = _symbol(analysis, word[1:], offset)
        return symbol and symbol.name_span
    return _alias_definition(analysis, word) if word[0] in "!#" else None


def references(analysis: Analysis, offset: int, with_definition: bool = True) -> list[Span]:
    """All occurrences of the value, block, symbol or alias named at an offset."""
    name = analysis.name_at(offset)
    if name is not None:
        names = analysis.same_as(name)
        return [n.span for n in names if with_definition or not n.is_definition]
    span = analysis.source.word_at(offset)
    if span is None or analysis.source.text[span[0]] not in "@!#":
        return []
    word = analysis.source.text[slice(*span)]
    defined = definition(analysis, offset)
    if defined is None:
        return []
    found = re.finditer(rf"{re.escape(word)}(?![\w$.\-])", analysis.source.text)
    spans = [match.span() for match in found if definition(analysis, match.start()) == defined]
    return [span for span in spans if with_definition or span != defined]


def _symbol(analysis: Analysis, name: str, offset: int) -> Symbol | None:
    """The symbol of a name; of several, that in the innermost op around an offset."""
    named = [symbol for symbol in analysis.all_symbols() if symbol.name == name]

    def distance(symbol: Symbol) -> int:
        around = symbol.op.parent_op()
        span = None if around is None else analysis.records.operations.get(around)
        if span is None or not span[0] <= offset <= span[1]:
            return len(analysis.source.text)
        return span[1] - span[0]

    return min(named, key=distance, default=None)


def _alias_definition(analysis: Analysis, word: str) -> Span | None:
    found = re.search(rf"^{re.escape(word)}(?= *=)", analysis.source.text, re.MULTILINE)
    return found and found.span()
