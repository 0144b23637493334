"""Drawings in notebooks: modules, passes, layouts, accesses, schedules and reports.

    %load_ext tileir_xdsl.drawings.jupyter

The line above, or `register()`, makes a notebook draw values that are results of cells.
`show(value)` draws a value without registration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol, runtime_checkable

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.drawings.drawing import Drawing
from tileir_xdsl.drawings.formatters import running_shell
from tileir_xdsl.drawings.kernel import LEVEL, drawings_of
from tileir_xdsl.drawings.layouts import layout_drawing
from tileir_xdsl.drawings.schedule import schedule_drawing
from tileir_xdsl.drawings.shared_memory import access_drawing, shared_drawing
from tileir_xdsl.drawings.tensor_memory import accumulator_drawing
from tileir_xdsl.drawings.timeline import Timeline
from tileir_xdsl.explain import Report
from tileir_xdsl.layout.banks import MatrixAccess, VectorAccess
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.layout.tensor_memory import TensorMemoryLayout
from tileir_xdsl.runtime.pass_specs import pass_spec

Bundle = dict[str, str]
"""The forms of a value that a notebook accepts, by MIME type."""

DRAWN: dict[type[Any], Callable[[Any], Drawing]] = {
    LinearLayout: layout_drawing,
    SharedLayout: shared_drawing,
    TensorMemoryLayout: accumulator_drawing,
    VectorAccess: lambda access: access_drawing(access, "access of shared memory"),
    MatrixAccess: lambda access: access_drawing(access, "access of shared memory"),
    Timeline: schedule_drawing,
    Drawing: lambda drawing: drawing,
}
"""For each type whose values are one drawing, the function that draws them."""


@runtime_checkable
class HasText(Protocol):
    """A value that describes itself as text, such as a report or a decision."""

    def as_text(self) -> str:
        """The lines."""
        ...


MAX_LINES = 60
"""The lines of a module that are shown before the reader expands the rest."""

_TOKEN = re.compile(
    r"(?P<value>%[\w$.#]+)|(?P<symbol>@[\w$.]+)|(?P<comment>//.*)"
    r'|(?P<text>"[^"]*")|(?P<op>\b[a-z_]\w*(?:\.\w+)+)|(?P<attribute>[#!][\w.]+)'
)
TOKEN_COLOURS = {
    "value": "#005a8f",
    "symbol": "#8a3d00",
    "comment": "#595959",
    "text": "#8a3d00",
    "op": "#00694d",
    "attribute": "#7a3d66",
}


def bundle_of(value: object) -> Bundle:
    """The forms in which a notebook shows a value.

    Raises:
        TypeError: nothing is known of how to show it.
    """
    draw = DRAWN.get(type(value))
    if draw is not None:
        drawing = draw(value)
        return {"image/svg+xml": drawing.svg, "text/plain": drawing.text}
    match value:
        case ModuleOp():
            return {"text/html": module_html(value), "text/plain": str(value)}
        case ModulePass():
            text = pass_text(value)
            return {"text/html": _pre(text.splitlines()), "text/plain": text}
        case HasText():
            text = value.as_text()
            return {"text/html": _pre(text.splitlines()), "text/plain": text}
        case _:
            raise TypeError(
                f"expected a module, report, layout, access, schedule or drawing, got {type(value)}"
            )


def pass_text(module_pass: ModulePass) -> str:
    """A pass with its options, as for `-p`, and the first paragraph of its documentation."""
    documentation = inspect.getdoc(type(module_pass)) or ""
    return "\n".join((pass_spec(module_pass), documentation.partition("\n\n")[0])).rstrip()


def module_html(module: ModuleOp) -> str:
    """A module as coloured text, with its drawings if its level has any."""
    lines = str(module).splitlines()
    parts = [_pre(lines[:MAX_LINES])]
    if rest := lines[MAX_LINES:]:
        parts.append(_details(f"{len(rest)} more lines", _pre(rest)))
    drawings = drawings_of(module, LEVEL, target_or_default(module).name)
    parts += [_details(escape(drawing.title), drawing.svg) for drawing in drawings]
    return "\n".join(parts)


def _pre(lines: list[str]) -> str:
    style = "background: #ffffff; color: #1a1a1a; white-space: pre; overflow-x: auto"
    return f'<pre style="{style}">' + "\n".join(map(coloured, lines)) + "</pre>"


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def coloured(line: str) -> str:
    """A line of IR as HTML."""
    parts: list[str] = []
    end = 0
    for match in _TOKEN.finditer(line):
        parts.append(escape(line[end : match.start()], quote=False))
        colour = TOKEN_COLOURS[match.lastgroup or "op"]
        token = escape(match[0], quote=False)
        parts.append(f'<span style="color: {colour}">{token}</span>')
        end = match.end()
    return "".join((*parts, escape(line[end:], quote=False)))


@dataclass(frozen=True)
class Shown:
    """A value that a notebook draws."""

    value: object

    def _repr_mimebundle_(self, **_: object) -> Bundle:
        return bundle_of(self.value)

    def _repr_html_(self) -> str:
        bundle = bundle_of(self.value)
        return bundle.get("text/html") or bundle["image/svg+xml"]

    def __repr__(self) -> str:
        return bundle_of(self.value)["text/plain"]


def show(value: object) -> Shown:
    """Wraps a value, so that a notebook draws it as the result of a cell.

    Raises:
        TypeError: nothing is known of how to show it.
    """
    bundle_of(value)
    return Shown(value)


def register() -> None:
    """Makes the running notebook draw values of this package, and modules and passes of xDSL.

    Raises:
        RuntimeError: no notebook is running.
    """
    shell = running_shell()
    if shell is None:
        raise RuntimeError("register() is for notebooks: no IPython is running here")
    load_ipython_extension(shell)


def load_ipython_extension(shell: Any) -> None:
    """Registers the formatters: `%load_ext tileir_xdsl.drawings.jupyter` calls it."""
    formatter = shell.display_formatter.mimebundle_formatter
    for kind in (*DRAWN, Report, ModuleOp, ModulePass):
        formatter.for_type(kind, _formatted)


def _formatted(value: object, include: object = None, exclude: object = None) -> Bundle:
    """Formats a value for IPython as a mime bundle."""
    return bundle_of(value)
