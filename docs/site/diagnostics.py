"""The index of diagnostics: every message of the sources, with its cause and its cure."""

from collections.abc import Iterator

from docs.site.causes import Part, part_of, parts, rule_of
from docs.site.docstrings import cell, constant_docs
from docs.site.messages import Message, messages
from tileir_xdsl import diagnostics
from tileir_xdsl.diagnostics import REMARK_CLASSES, RemarkClass

FOLDER = "reference/diagnostics"

INTRODUCTION = """# Diagnostics

Each message of the sources is listed by its cause, with an example and a cure; `…` stands for a
value. Search for the words around it. A page has the messages of one part of the compiler.

"""


def pages() -> dict[str, str]:
    """The pages by path: one of each part, and one that lists them."""
    found = messages()
    by_part = {part.name: [m for m in found if part_of(m.module) is part] for part in parts()}
    lines = [INTRODUCTION, "| part | messages | |", "|---|---|---|"]
    lines += [
        f"| [{part.title}](diagnostics/{part.name}.md) | {len(by_part[part.name])} "
        f"| {cell(part.about)} |"
        for part in parts()
    ]
    lines += ["", *_remarks()]
    made = {f"{FOLDER}/{part.name}.md": _page(part, by_part[part.name]) for part in parts()}
    return {f"{FOLDER}.md": "\n".join(lines) + "\n"} | made


def _remarks() -> Iterator[str]:
    yield from ("## Remarks", "", "No errors: what a pass did otherwise than asked.", "")
    yield from ("| name | kind | category | |", "|---|---|---|---|")
    docs = constant_docs(diagnostics)
    told = {
        known.name: docs[name]
        for name, known in vars(diagnostics).items()
        if name in docs and isinstance(known, RemarkClass)
    }
    for name, known in sorted(REMARK_CLASSES.items()):
        yield f"| `{name}` | {known.kind} | {known.category} | {cell(told[name])} |"
    yield from ("", "What `tileir lint` finds has a [page of its own](../docs/lint.md).", "")


def _page(part: Part, found: list[Message]) -> str:
    lines = [f"# {part.title}", "", part.about, ""]
    for rule in part.rules:
        chosen = [m for m in found if rule_of(part, m.text) is rule]
        if not chosen:
            continue
        lines += [f"## {rule.cause}", "", f"**Example.** `{rule.example}`", ""]
        lines += [f"**Cure.** {rule.cure}", ""]
        lines += [f"- `{text}`" for text in dict.fromkeys(m.text.replace("`", "'") for m in chosen)]
        lines.append("")
    return "\n".join(lines)
