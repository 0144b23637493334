"""Counts the words of the documentation: `python -m docs.words`.

A word is text between spaces that has a letter or a digit. Pages that a program writes count as
generated, and so do blocks between `<!-- NAME -->` and `<!-- end of NAME -->`. The prose strings of
these programs count as written by hand. The changelog is left out.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
WORD = re.compile(r"\S*[A-Za-z0-9]\S*")
GENERATED = re.compile(r"Written by\s+`python -m docs\.")
BLOCK = re.compile(r"<!-- (?P<name>\w+)\b[^\n]*-->\n.*?<!-- end of [^\n]*-->", re.DOTALL)
FEWEST = 4
"""A string of fewer words is not prose."""


@dataclass(frozen=True)
class Count:
    """The words of a page or source, by who writes them."""

    by_hand: int
    generated: int


def words(text: str) -> int:
    """The number of words of a text."""
    return len(WORD.findall(text))


def page_count(text: str) -> Count:
    """The words of a page."""
    blocks = sum(words(block[0]) for block in BLOCK.finditer(text))
    rest = BLOCK.sub("", text)
    if GENERATED.search(rest) is not None:
        return Count(0, blocks + words(rest))
    return Count(words(rest), blocks)


def pages() -> dict[str, Count]:
    """The words of each page, by its path from the repository."""
    paths = [
        REPOSITORY / "README.md",
        REPOSITORY / "CONTRIBUTING.md",
        *sorted((REPOSITORY / "docs").rglob("*.md")),
    ]
    return {
        str(path.relative_to(REPOSITORY)): page_count(path.read_text("utf-8")) for path in paths
    }


def docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """The docstrings of a module, and the strings below its fields and constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield text
            case _:
                pass


def prose(source: str) -> int:
    """The words of the strings of a program that are prose and not docstrings."""
    tree = ast.parse(source)
    docs = {id(node) for node in docstrings(tree)}
    counts = (
        words(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    )
    return sum(count for count in counts if count >= FEWEST)


def generators() -> dict[str, int]:
    """The words of prose in the programs and tables that pages are written from."""
    found = {
        str(path.relative_to(REPOSITORY)): prose(path.read_text("utf-8"))
        for path in sorted((REPOSITORY / "docs").rglob("*.py"))
        if "examples" not in path.parts
    }
    causes = REPOSITORY / "docs" / "site" / "causes.toml"
    found[str(causes.relative_to(REPOSITORY))] = sum(map(words, _strings(_table(causes))))
    return {name: count for name, count in found.items() if count}


def _table(path: Path) -> object:
    return tomllib.loads(path.read_text("utf-8"))


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():  # pyright: ignore[reportUnknownVariableType]
                yield from _strings(inner)  # pyright: ignore[reportUnknownArgumentType]
        case list():
            for inner in value:  # pyright: ignore[reportUnknownVariableType]
                yield from _strings(inner)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            pass


def docstring_words() -> tuple[int, int]:
    """The words of docstrings in the package, and the number of docstrings."""
    counts = [
        words(str(node.value))
        for path in sorted((REPOSITORY / "tileir_xdsl").rglob("*.py"))
        for node in docstrings(ast.parse(path.read_text("utf-8")))
    ]
    return sum(counts), len(counts)


def totals() -> Mapping[str, int]:
    """The words of all pages and programs that a test bounds."""
    counts = pages().values()
    return {
        "written by hand": sum(c.by_hand for c in counts) + sum(generators().values()),
        "generated": sum(c.generated for c in counts),
    }


def main() -> None:
    """Prints the words of each page and program, the most first, and the totals."""
    rows = [(count.by_hand, count.generated, name) for name, count in pages().items()]
    rows += [(count, 0, name) for name, count in generators().items()]
    for by_hand, generated, name in sorted(rows, reverse=True):
        print(f"{by_hand:8,} {generated:8,}  {name}")
    for name, count in totals().items():
        print(f"{count:8,} {name}")
    count, number = docstring_words()
    print(f"{count:8,} in {number:,} docstrings of the package, {count / number:.2f} in each")


if __name__ == "__main__":
    sys.exit(main())
