"""Completion in cells of magics: ops, values and symbols of IR, passes, and names of modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.cli.opt import OptTool
from tileir_xdsl.jupyter.session import Session
from tileir_xdsl.lsp.analysis import analyse
from tileir_xdsl.lsp.completion import complete
from tileir_xdsl.lsp.source import Source
from tileir_xdsl.runtime.program import Program
from tileir_xdsl.runtime.reader import new_context

IR_MAGIC, EXPLAIN = "%%tileir", "%explain"
MAGICS = (IR_MAGIC, "%%pass", "%%filecheck", EXPLAIN)

_WORD = re.compile(r"[\w.$-]*$")
_OF_PASSES = re.compile(r"(-p|--passes|--pass|--after|--before|--instead-of)[ =]\S*$")


@dataclass(frozen=True)
class Completion:
    """A text that completes the input, with the fields that IPython reads."""

    text: str
    type: str


class Completions(TypedDict):
    """The answer of a matcher of IPython's version 2."""

    completions: list[Completion]
    matched_fragment: str
    suppress: bool


class Cursor(Protocol):
    """The attributes of IPython's `CompletionContext` that this module reads."""

    full_text: str
    cursor_line: int
    cursor_position: int


Matcher = Callable[[Cursor], Completions]


def matcher_of(session: Session) -> Matcher:
    """A matcher for the magics of a notebook."""

    def matches(context: Any) -> Completions:
        found, fragment = _completions(session, context)
        return {
            "completions": found,
            "matched_fragment": fragment,
            # The names of Python mean nothing in these cells.
            "suppress": bool(found),
        }

    matches.__dict__.update(
        matcher_api_version=2, matcher_priority=100, matcher_identifier="tileir_xdsl"
    )
    return matches


def _completions(session: Session, cursor: Cursor) -> tuple[list[Completion], str]:
    """The completions at a cursor, and the text before it that they replace."""
    lines = cursor.full_text.split("\n")
    first, line = lines[0], lines[cursor.cursor_line]
    before = line[: cursor.cursor_position]
    magic = next((name for name in MAGICS if line.lstrip().startswith(f"{name} ")), None)
    if magic is not None:
        word = _WORD.search(before)
        begun = "" if word is None else word[0]
        kind = "pass" if _OF_PASSES.search(before) else "module"
        known = _passes(session) if kind == "pass" else _modules(session)
        found = sorted(name for name in known if name.startswith(begun))
        return [Completion(name, kind) for name in found], begun
    if cursor.cursor_line == 0 or first.split(" ")[0] != IR_MAGIC:
        return [], ""
    return _in_ir("\n".join([*lines[1 : cursor.cursor_line], before]), lines)


def _in_ir(text: str, lines: list[str]) -> tuple[list[Completion], str]:
    context = new_context()
    whole = "\n".join(lines[1:])
    items = complete(analyse(context, Source(whole)), context, len(text))
    start = items[0].replaced[0] if items else len(text)
    return [Completion(item.label, item.kind.value) for item in items], text[start:]


def _passes(session: Session) -> Iterable[str]:
    return {*OptTool().available_passes, *session.passes}


def _modules(session: Session) -> Iterable[str]:
    names = session.shell.user_ns.items()
    return [name for name, value in names if isinstance(value, ModuleOp | Program)]
