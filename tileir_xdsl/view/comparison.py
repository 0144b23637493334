"""Compares two reports of a kernel: their numbers, and the final texts of the earlier report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tileir_xdsl.report.schema import CODE_TITLES

Json: TypeAlias = Any
"""JSON data; `docs/report_schema.md` describes that of a report."""

Number: TypeAlias = "int | float | str | None"

Row: TypeAlias = "tuple[str, Number, Number]"
"""A name, and its values before and after."""

_INSTRUCTION = re.compile(r"\t(?:@!?%\w+ )?(?P<opcode>[a-z][\w.:]*)")

_RESOURCES = {
    "spills": "spills",
    "shared_bytes": "shared memory, bytes",
    "tensor_columns": "tensor memory, columns",
    "threads": "threads of a block",
    "blocks_per_sm": "blocks of a multiprocessor",
    "occupancy": "occupancy",
    "limit": "limited by",
}


def rows(before: Json, after: Json) -> list[Row]:
    """The numbers of two reports, without numbers that both lack."""
    old, new = dict(_numbers(before)), dict(_numbers(after))
    names = dict.fromkeys([*old, *new])
    pairs = ((name, old.get(name), new.get(name)) for name in names)
    return [row for row in pairs if row[1] is not None or row[2] is not None]


def instruction_rows(before: Json, after: Json) -> list[Row]:
    """PTX opcodes whose counts differ, with both counts."""
    old, new = opcodes(before), opcodes(after)
    changed = (name for name in sorted({*old, *new}) if old[name] != new[name])
    return [(name, old[name], new[name]) for name in changed]


def opcodes(report: Json) -> Counter[str]:
    """How often each opcode occurs in the PTX of a report."""
    lines = () if report["ptx"] is None else report["ptx"]["lines"]
    found = (_INSTRUCTION.match(line["text"]) for line in lines)
    return Counter(match["opcode"] for match in found if match is not None)


def _numbers(report: Json) -> Iterator[tuple[str, Number]]:
    yield from _predictions(report)
    yield "instructions of PTX", sum(opcodes(report).values()) or None
    resources = report["resources"] or {}
    registers = resources.get("registers") or {}
    yield "registers, predicted", registers.get("predicted")
    yield "registers, by ptxas", registers.get("actual")
    for field, name in _RESOURCES.items():
        yield name, resources.get(field)


def _predictions(report: Json) -> Iterator[tuple[str, Number]]:
    """Cycles per iteration of each pipelined loop, and the costs of chosen candidates."""
    loops = 0
    for phase in report["phases"]:
        scores = list(_chosen_scores(phase))
        if scores:
            yield f"score of what {phase['pass']} chose", round(sum(scores), 3)
        for decision in phase["decisions"]:
            interval = decision["facts"].get("interval")
            if isinstance(interval, (int, float)):
                loops += 1
                yield f"cycles of an iteration, loop {loops}", interval


def _chosen_scores(phase: Json) -> Iterator[float]:
    for decision in phase["decisions"]:
        for candidate in decision["candidates"]:
            if candidate["name"] == decision["chosen"] and candidate["score"] is not None:
                yield candidate["score"]


def earlier_texts(report: Json) -> list[Mapping[str, Json]]:
    """The last module of each level, and the generated code of a report."""
    last: dict[str, Json] = {}
    lines: Json = []
    for phase in report["phases"][1:]:
        lines = lines if phase["lines"] is None else phase["lines"]
        last[phase["level"]] = {"title": phase["level"], "language": "mlir", "lines": lines}
    code = [
        {**text, "title": title}
        for name, title in CODE_TITLES.items()
        if (text := report.get(name)) is not None
    ]
    return [*last.values(), *code]
