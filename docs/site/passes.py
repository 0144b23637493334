"""The reference of the passes: what each does, and its options, from their definitions."""

import importlib
import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from docs.site.docstrings import cell, doc_of, field_docs, first_sentence
from tileir_xdsl.options import Options
from tileir_xdsl.passes import PASSES
from tileir_xdsl.universe import UNIVERSE

DEFAULTS = {
    "explain": "A file for the report of what was decided and why: JSON if it ends in `.json`, "
    "`-` prints it.",
    "force": "Other choices than the best: `#NUMBER=CHOICE`, numbers as in the report.",
}
"""What options mean that many passes have."""

INTRODUCTION = """# Passes

Written from their definitions. An option is given in braces, with dashes:
`-p 'PASS{an-option=3}'`. The passes of the road, in their order, are in
[architecture](../docs/architecture.md); `tileir-pipeline` runs all of them.
"""


def page(folder: Path) -> str:
    """The page; `folder` has the pages on single passes."""
    return "\n".join([INTRODUCTION, *(_section(name, folder) for name in UNIVERSE.all_passes)])


def _section(name: str, folder: Path) -> str:
    cls = PASSES[name].load()
    module = importlib.import_module(cls.__module__.rpartition(".")[0])
    # The module of a pass says more than its class, where it has a folder of its own.
    about = (
        doc_of(inspect.getmodule(cls)) if module.__name__.endswith("transforms") else doc_of(module)
    )
    told = first_sentence(about.split(": ", 1)[-1] if about.startswith("`") else about)
    lines = [f"## `{name}`", "", (told[:1].upper() + told[1:]) or doc_of(cls), ""]
    if (folder / f"{name}.md").exists():
        lines += [f"At length: [{name}](../docs/passes/{name}.md).", ""]
    rows = list(_options(cls))
    if rows:
        lines += ["| option | type | default | |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _options(cls: type[Any]) -> Iterator[str]:
    docs, shared = field_docs(cls), field_docs(Options)
    for one in fields(cls):
        typed = getattr(one.type, "__name__", None) if isinstance(one.type, type) else str(one.type)
        default = "" if one.default is MISSING or one.default in (None, ()) else f"`{one.default}`"
        told = docs.get(one.name) or DEFAULTS.get(one.name) or shared.get(one.name, "")
        name = one.name.replace("_", "-")
        yield f"| `{name}` | `{cell(str(typed))}` | {default} | {cell(told)} |"
