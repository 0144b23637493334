"""Docstrings, comments and diagnostics are plain English: no sentence matches a row of `PATTERNS`.

`python -m tests.unit.repository.test_words` prints the sentences of the package that do, or those of
files whose paths it is given.
"""

import re
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.unit.tools import REPOSITORY

SOURCES = sorted((REPOSITORY / "tileir_xdsl").rglob("*.py"))

MOST_WORDS = 25


class Pattern(NamedTuple):
    """A fault of a sentence: what it matches, an example, and what to write in its place."""

    regex: re.Pattern[str]
    example: str
    better: str


PATTERNS: Mapping[str, Pattern] = {
    "opens with a pronoun": Pattern(
        re.compile(r"^[\"'(]?(?:What|Whatever|Who|Whoever|Whose|That)\b(?!.*\?$)"),
        "What a region reads is staged before it.",
        "Values that a region reads are staged before it.",
    ),
    "is no": Pattern(
        re.compile(r"(?<!\b[Tt]here )\b(?:is|are) no (?!(?:longer|more|less|fewer|\w+er than)\b)"),
        "The operand is no multiple of 16.",
        "The operand is not a multiple of 16.",
    ),
    "cannot be had": Pattern(
        re.compile(r"\bcannot be had\b"),
        "Raises OSError where the port cannot be had.",
        "Raises OSError where the port is not available.",
    ),
    "that there is": Pattern(
        re.compile(r"\bthat there (?:is|are)\b"),
        "Lanes hold the rows that there are.",
        "Lanes hold the existing rows.",
    ),
    "of which": Pattern(
        re.compile(r"(?:^|[,;:(] ?)[Oo]f which\b"),
        "Returns registers, of which the first is an address.",
        "Returns registers. The first is an address.",
    ),
    "too long": Pattern(
        re.compile(rf"^(?:\S+\s+){{{MOST_WORDS}}}\S"),
        "Hardware that accesses memory asynchronously, such as TMA and `wgmma`, does so through "
        "another proxy: a fence in the writing threads, before the barrier, orders the two.",
        "TMA and `wgmma` access memory through the async proxy. A fence in the writing threads, "
        "before the barrier, orders it after the generic proxy.",
    ),
}

EXEMPT = frozenset(
    {
        # Printed by NVIDIA's assembler.
        "shape error: dim {dim} of lhs_scale ({lhs_scale[dim]}) must be a divisor of dim {dim} of "
        "lhs ({lhs[dim]}), but got lhs_scale shape ({comma_separated(lhs_scale)}) and lhs shape "
        "({comma_separated(lhs)})",
    }
)
"""Sentences of the seeds, and diagnostics that NVIDIA's tools print, in their words."""

LITERAL = re.compile(r"(?i)[rbfu]*('''|\"\"\"|'|\")")
CODE = re.compile(r"``[^`]*``|`[^`]*`|\{(?:[^{}]|\{[^{}]*\})*\}")
SECTIONS = ("Args:", "Raises:", "Returns:")
SYMBOLS = re.compile(r"(?<!\S)[^\w\s]+(?!\S)")
ITEM = re.compile(r"(?:[-*]|\d+\.)\s")
END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)[\"')`]*\s+(?=[A-Z`\"'(\[%0-9*_])")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[,.;:)]?|\{.*|.*\}")

F_STRING = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
"""Python 3.12 has tokens for the parts of an f-string, which are put together again."""


class Text(NamedTuple):
    """A paragraph of a docstring, comments of adjacent lines, or a string that reads as prose."""

    line: int
    text: str


def texts(path: Path) -> Iterator[Text]:
    """The prose of a source file, in its order."""
    strings, comments = list[tokenize.TokenInfo](), list[tokenize.TokenInfo]()
    before = last = tokenize.NEWLINE
    for token in _tokens(path):
        if token.type == tokenize.COMMENT:
            if comments and not _continues(comments[-1], token):
                yield _comment(comments)
                comments = []
            comments.append(token)
        elif token.type == tokenize.STRING:
            before = before if strings else last
            strings.append(token)
        elif token.type != tokenize.NL:
            if strings:
                opens = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
                yield from _string(strings, opens and token.type == tokenize.NEWLINE)
                strings = []
            last = token.type
    if comments:
        yield _comment(comments)


def _tokens(path: Path) -> Iterator[tokenize.TokenInfo]:
    """Those of a file but its encoding, each f-string as one."""
    start, end = F_STRING
    opened = list[tokenize.TokenInfo]()
    with path.open("rb") as file:
        tokens = tokenize.tokenize(file.readline)
        next(tokens)
        for token in tokens:
            if start is not None and token.type == start:
                opened.append(token)
            elif end is not None and token.type == end:
                first = opened.pop()
                if not opened:
                    is_line = first.start[0] == token.end[0]
                    text = token.line[first.start[1] : token.end[1]] if is_line else '""'
                    yield token._replace(type=tokenize.STRING, string=text, start=first.start)
            elif not opened:
                yield token


def _continues(comment: tokenize.TokenInfo, token: tokenize.TokenInfo) -> bool:
    """Whether a comment is in the line after another one, with nothing but spaces before it."""
    return token.start[0] == comment.end[0] + 1 and not token.line[: token.start[1]].strip()


def _comment(comments: list[tokenize.TokenInfo]) -> Text:
    lines = (comment.string.lstrip("#").strip() for comment in comments)
    return Text(comments[0].start[0], " ".join(lines))


def _string(strings: list[tokenize.TokenInfo], is_docstring: bool) -> Iterator[Text]:
    line, text = strings[0].start[0], ""
    for token in strings:
        opening = LITERAL.match(token.string)
        assert opening is not None, token
        text += token.string[opening.end() : -len(opening[1])]
    if is_docstring:
        for paragraph in paragraphs(text):
            yield Text(line, paragraph)
    elif "\n" not in text and is_prose(text):
        yield Text(line, text)


def is_prose(text: str) -> bool:
    """Whether a string has four words or more, and few symbols among them."""
    words = CODE.sub("x", text).split()
    return len(words) > 3 and sum(bool(WORD.fullmatch(w)) for w in words) > len(words) * 3 // 4


def paragraphs(docstring: str) -> Iterator[str]:
    """Paragraphs and items of lists, each in one line, without code, tables and drawings."""
    first, *rest = docstring.expandtabs().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    lines = list[str]()
    is_code = is_item = is_section = False
    for line in [first.lstrip(), *(line[indent:] for line in rest), ""]:
        words = line.strip()
        is_code ^= words.startswith("```")
        is_section = words in SECTIONS or (is_section and line[:1] in ("", " "))
        opens_item = ITEM.match(words) is not None
        opens_item |= is_section and not line.startswith(" " * 5)
        is_text = bool(words) and not is_code and not words.startswith(("```", "|", ">>>"))
        is_text &= is_item or opens_item or not line.startswith("    ")
        if lines and (opens_item or not is_text):
            yield " ".join(lines)
            lines = []
        if is_text:
            lines.append(ITEM.sub("", words, count=1) if opens_item else words)
        is_item = bool(words) and (is_item or opens_item)


def faults(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a text that match a pattern, each after the name of the pattern."""
    for sentence in map(str.strip, END.split(text)):
        if sentence not in EXEMPT:
            yield from ((name, sentence) for name in matching(sentence))


def matching(sentence: str) -> Iterator[str]:
    """The names of the patterns that a sentence matches; code in it counts as one word."""
    plain = SYMBOLS.sub("", CODE.sub(lambda code: re.sub(r"\s", "", code[0]), sentence))
    return (name for name, pattern in PATTERNS.items() if pattern.regex.search(plain))


def found(path: Path) -> list[str]:
    """The faults of a file, each with its line."""
    return [
        f"{text.line}: {name}: {sentence}"
        for text in texts(path)
        for name, sentence in faults(text.text)
    ]


def found_in(paths: Iterable[Path]) -> list[str]:
    """The faults of files, each after the path of its file."""
    return [f"{path}:{fault}" for path in paths for fault in found(path)]


def test_sentences_are_plain():
    faults = found_in(SOURCES)
    assert not faults, "\n".join(["rewrite these in plain English (docs/words.md):", *faults])


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_matches_its_example(name: str):
    pattern = PATTERNS[name]
    assert list(faults(f"An op. {pattern.example}")) == [(name, pattern.example)]
    assert not list(faults(f"An op. {pattern.better}"))


@pytest.mark.parametrize(
    "text",
    [
        "What does it read?",
        "There is no barrier.",
        "It is no longer than the row, e.g. What.",
        "It reads some, most of which are zero.",
        "`What is no X, of which` is code.",
    ],
)
def test_plain_sentences_match_none(text: str):
    assert not list(faults(text))


@pytest.mark.parametrize("sentence", sorted(EXEMPT))
def test_an_exempt_sentence_would_count(sentence: str):
    assert list(matching(sentence)) and not list(faults(sentence))


SOURCE = '''"""What opens.

It is no item
of a paragraph:

- Who opens an item
- that goes on

    What is code.

Raises:
    ValueError: it is no
        number.
"""

# That is
# a comment.
ONE = 1  # Whoever comes
raise ValueError(f"the {ONE} is no " "number of bits", "is no X")

TWO = """
What is a text, but not a docstring.
"""
'''


def test_faults_are_found_where_prose_is(tmp_path: Path):
    source = tmp_path / "source.py"
    source.write_text(SOURCE)
    opens, no = "opens with a pronoun", "is no"
    assert found(source) == [
        f"1: {opens}: What opens.",
        f"1: {no}: It is no item of a paragraph:",
        f"1: {opens}: Who opens an item",
        f"1: {no}: ValueError: it is no number.",
        f"16: {opens}: That is a comment.",
        f"19: {no}: the {{ONE}} is no number of bits",
        f"18: {opens}: Whoever comes",
    ]


if __name__ == "__main__":
    print(*found_in(map(Path, sys.argv[1:]) if sys.argv[1:] else SOURCES), sep="\n")
