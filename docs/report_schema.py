"""Writes `docs/report_schema.md`, the JSON of a report: `python -m docs.report_schema`."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from docs.site.docstrings import cell, doc_of, field_docs, first_sentence
from tileir_xdsl.report import schema
from tileir_xdsl.report.schema import fields_in_json

PAGE = Path(__file__).resolve().parent / "report_schema.md"

PARTS: tuple[type[Any], ...] = (
    schema.CompilationReport,
    schema.Text,
    schema.Line,
    schema.Phase,
    schema.Decision,
    schema.Candidate,
    schema.Drawing,
    schema.Failure,
    schema.Resources,
    schema.Registers,
    schema.Roofline,
    schema.Run,
    schema.Race,
    schema.Site,
    schema.TileValues,
)

TEXT = """# The JSON of a report

`tileir explain FILE -o report.json` writes a JSON object that describes how a program was compiled.
[explain](explain.md) describes a page with the same facts.
Written by `python -m docs.report_schema`
from the definitions; a test checks it.

This is version {version} of the schema `{name}`. Changes increase the version, except new optional
fields. All fields are present, with `null` if unknown, except `number` of a line and
`trace` of a drawing. `inf`, `-inf` and `nan` are strings.

## Ids

| id | is |
|---|---|
| `o7` | an origin: an op of the module as it was read, in the order of the program, from 0 |
| `v12` | an SSA value, while it is the same, or another takes its place one for one |

The field `ids` of lines, decisions and drawings has their origins. An op that a pass adds gets the
origins of the op for which it was added. A PTX register has the id of its `llvm` value.

{parts}"""

TYPES = (
    (r"Mapping\[(?:[^][]|\[[^]]*\])*\]", "object"),
    (r"(?:Sequence|tuple)\[object(?:, \.\.\.)?\]", "objects"),
    (r"(?:Sequence|tuple)\[(\w+)(?:, \.\.\.)?\]", r"\1s"),
    (r"\bstr(s?)\b", r"string\1"),
    (r"\bint(s?)\b", r"integer\1"),
    (r"\bfloat\b", "number"),
    (r"\bbool\b", "boolean"),
    (r"\bNone\b", "null"),
    (r"\bAny\b", "list"),
    (r"\bSpans\b", "lists"),
    (r"\bStatus\b", "string"),
    (r" \| ", " or "),
)
"""Annotations, and the types of JSON in their place."""


def json_type(annotation: str) -> str:
    """The type of a field in JSON."""
    for pattern, name in TYPES:
        annotation = re.sub(pattern, name, annotation)
    return annotation


def _section(part: type[Any]) -> Iterator[str]:
    docs = field_docs(part)
    yield f"## {part.__name__}\n\n{first_sentence(doc_of(part))}\n\n| | | |\n|---|---|---|\n"
    for field, name in zip(fields(part), fields_in_json(part), strict=True):
        yield f"| `{name}` | {json_type(str(field.type))} | {cell(docs.get(field.name, ''))} |\n"
    yield "\n"


def page() -> str:
    """The text of the page."""
    parts = "".join("".join(_section(part)) for part in PARTS)
    return (
        TEXT.format(name=schema.SCHEMA, version=schema.SCHEMA_VERSION, parts=parts).rstrip("\n")
        + "\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
