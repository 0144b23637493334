"""Draws sentences to read: `python -m docs.sentences --seed N`.

Prints 20 sentences each of the pages, the docstrings and the diagnostics, with the file and the
line of their paragraph. In brackets is what a reader sees before the sentence: a page's heading, a
docstring's declaration, or the classes and functions around a diagnostic; then the earlier
sentences of the paragraph or docstring, and what introduces a list. A reader who has not seen the
code says each in other words. Code, titles, tables and the diagnostics of `tileiras`, which are
quoted, are left out.
"""

import argparse
import ast
import inspect
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path

from docs.site.messages import FILLED, PACKAGE, messages
from docs.words import REPOSITORY, words

EACH = 20
QUOTED = REPOSITORY / "tests/unit/dialects/cuda_tile/reference_diagnostics.txt"
FEWEST = 4
"""A text of fewer words is not a sentence."""

Sentence = tuple[Path, int, str, str]
"""File, line, what precedes the sentence, and the sentence."""

_CODE = re.compile(r"^ *```.*?^ *```|<!--.*?-->", re.DOTALL | re.MULTILINE)
_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`*\[(])")
_ITEM = re.compile(r"^ *(?:-|\d+\.) ")
_OTHER = re.compile(r"    |\||#|<|\s*$")


def sentences(path: Path, first: int, text: str) -> Iterator[Sentence]:
    """The sentences of Markdown whose first line is `first`."""
    lines = _CODE.sub(lambda code: "\n" * code[0].count("\n"), text).split("\n")
    items = accumulate(_ITEM.match(line) is not None for line in lines)
    kinds = zip(items, (_OTHER.match(line) is None for line in lines), strict=True)
    heading = lead = ""
    for (_, is_prose), paragraph in groupby(enumerate(kinds, first), lambda each: each[1]):
        numbers = [number for number, _ in paragraph]
        own = [lines[number - first] for number in numbers]
        if not is_prose:
            heading = next((line.strip("# ") for line in reversed(own) if line[:1] == "#"), heading)
            continue
        prose = " ".join(" ".join(_ITEM.sub("", line) for line in own).split())
        is_item = _ITEM.match(own[0]) is not None
        before = [heading, lead] if is_item else [heading]
        for sentence in _END.split(prose):
            if words(sentence) >= FEWEST:
                yield path, numbers[0], " ".join(filter(None, before)), sentence
            before.append(sentence)
        lead = lead if is_item else prose


def of_pages() -> list[Sentence]:
    """The sentences of README and pages."""
    paths = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [each for path in paths for each in sentences(path, 1, path.read_text("utf-8"))]


def declaration(node: ast.stmt) -> str:
    """The first line of a class, function, field or constant, without values and decorators."""
    match node:
        case ast.FunctionDef(name=name, args=args, returns=returns):
            return f"def {name}({ast.unparse(args)})" + (
                f" -> {ast.unparse(returns)}" if returns else ""
            )
        case ast.ClassDef(name=name):
            return f"class {name}"
        case ast.AnnAssign(target=target, annotation=annotation):
            return f"{ast.unparse(target)}: {ast.unparse(annotation)}"
        case ast.Assign(targets=targets):
            return ", ".join(map(ast.unparse, targets))
        case _:
            return ""


def declared(node: ast.Module | ast.stmt, outer: str = "") -> Iterator[tuple[str, ast.Constant]]:
    """Each docstring below `node`, and each string below a field or constant, with declarations."""
    before = ""
    for each in getattr(node, "body", ()):
        name = declaration(each)
        match each:
            case ast.Expr(value=ast.Constant(value=str()) as text):
                yield " ".join(filter(None, (outer, before))), text
            case _:
                yield from declared(each, " ".join(filter(None, (outer, name))))
        before = name


def of_docstrings() -> list[Sentence]:
    """The sentences of the docstrings of the package."""
    return [
        (path, line, f"{name} {before}".strip(), text)
        for path in sorted(PACKAGE.rglob("*.py"))
        for name, node in declared(ast.parse(path.read_text("utf-8")))
        for _, line, before, text in sentences(path, node.lineno, inspect.cleandoc(str(node.value)))
    ]


def around(tree: ast.Module, line: int) -> str:
    """The names of the classes and functions around a line, outermost first."""
    kinds = {ast.ClassDef: "class", ast.FunctionDef: "def"}
    names = [
        f"{kinds[type(node)]} {node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    return " ".join(names)


def of_diagnostics() -> list[Sentence]:
    """The messages of the sources, which name the op or the command that is at fault besides."""
    quoted = QUOTED.read_text("utf-8").split("\n")
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
    return [
        (path, each.line, around(trees[path], each.line), each.text)
        for each in messages()
        if each.text.removeprefix(f"'{FILLED}' op ").replace(FILLED, "§") not in quoted
        for path in (PACKAGE / each.module,)
    ]


def drawn(kinds: Iterable[Sequence[Sentence]], seed: int) -> list[Sentence]:
    """`EACH` sentences of each kind."""
    drawing = random.Random(seed)
    return [sentence for kind in kinds for sentence in drawing.sample(kind, EACH)]


def main() -> None:
    """Prints the drawn sentences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    kinds = of_pages(), of_docstrings(), of_diagnostics()
    for path, line, before, text in drawn(kinds, parser.parse_args().seed):
        print(f"{path.relative_to(REPOSITORY)}:{line}: [{before}] {text}")


if __name__ == "__main__":
    main()
