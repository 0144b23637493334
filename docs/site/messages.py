"""Every message of the sources: what is raised, and where, with a sign for what is filled in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "tileir_xdsl"

FILLED = "…"
"""What stands for a part that is filled in."""

REPORTING = {"fail", "raise_error", "emit_error", "error", "problem"}
"""Functions and methods whose argument is a message."""

OURS = {
    "KeyError",
    "AttributeError",
    "AssertionError",
    "NotImplementedError",
    "TypeError",
    "OSError",
}
"""What is raised at a mistake of a caller in Python, not at bad input."""


@dataclass(frozen=True, order=True)
class Message:
    """A message, and the module that raises it, from the package."""

    text: str
    module: str
    line: int = field(compare=False)
    """Of one of the calls that raise it."""


@cache
def messages() -> list[Message]:
    """All messages, each once, in order."""
    found = {
        Message(text, str(path.relative_to(PACKAGE)), line)
        for path in sorted(PACKAGE.rglob("*.py"))
        if PACKAGE / "testing" not in path.parents
        for line, text in _texts(ast.parse(path.read_text(encoding="utf-8")))
    }
    return sorted(found)


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
        elif isinstance(node, ast.Call) and _name(node.func) in REPORTING:
            call = node
        else:
            continue
        texts = [text for argument in call.args if (text := _text(argument))]
        if texts and _name(call.func) not in OURS:
            text = " ".join(max(texts, key=len).split())
            # One that only passes on what another place says is no message of its own.
            if " " in text and not text.startswith("-") and sum(map(str.isalpha, text)) > 3:
                yield call.lineno, text


def _name(function: ast.expr) -> str:
    return ast.unparse(function).rpartition(".")[2]


def _text(node: ast.expr) -> str | None:
    """The text of a string, of an f-string, or of a sum of these."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else FILLED for part in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = [_text(left), _text(right)]
            return "".join(text or FILLED for text in texts) if any(texts) else None
        case _:
            return None
