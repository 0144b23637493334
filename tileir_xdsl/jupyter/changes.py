"""The lines of a module that a pass changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape

from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.cli.opt import line_changes
from tileir_xdsl.drawings.jupyter import Bundle, coloured

GROUNDS = {"-": "#fbe4e4", "+": "#e2f3e6", "@": "#eeeeee"}
"""Background colours of removed lines, added lines, and separators between changes."""

_STYLE = "background: #ffffff; color: #1a1a1a; white-space: pre; overflow-x: auto"


@dataclass(frozen=True, repr=False)
class Change:
    """A module before and after a pass; a notebook shows the lines that differ."""

    name: str
    """The name of the pass."""
    before: ModuleOp
    after: ModuleOp
    said: str = ""
    """A remark on the pass; empty without one."""

    @cached_property
    def lines(self) -> list[str]:
        """Lines that differ, marked `-` and `+`, with one line of context before and after."""
        return line_changes(str(self.before), str(self.after)).splitlines()

    @property
    def summary(self) -> str:
        """The pass, and how many lines it changes."""
        removed, added = (sum(line[0] == sign for line in self.lines) for sign in "-+")
        changed = f"{removed} lines removed, {added} added" if self.lines else "unchanged"
        return f"{self.name}: {changed}" + (f"; {self.said}" if self.said else "")

    def __repr__(self) -> str:
        return "\n".join((self.summary, *self.lines))

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        shown = "\n".join(map(_line, self.lines))
        html = f'<p>{escape(self.summary)}</p><pre style="{_STYLE}">{shown}</pre>'
        return {"text/html": html, "text/plain": repr(self)}


def _line(line: str) -> str:
    text = f"{line[0]}{coloured(line[1:])}"
    ground = GROUNDS.get(line[0])
    return text if ground is None else f'<span style="background: {ground}">{text}</span>'
