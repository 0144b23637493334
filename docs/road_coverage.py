"""Writes `docs/road_coverage.md`: which rows of the seeds the road of a kernel makes or fires.

`python -m docs.road_coverage` writes the page from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from bench.road_coverage import StoredRow, stored

PAGE = Path(__file__).resolve().parent / "road_coverage.md"

HEADER = """# What the road makes of the seeds

Written by `python -m docs.road_coverage` from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes; tests compare, and compile some kernels again. Each
row is an op, a type, an attribute, a pass, a rewrite pattern or a builder of a seed. It counts the
compilations in which the row is made or fired on the way from `cuda_tile` to the end of
`nv_tileas`, and names one of them: the reference set of `bench/reference.py` and the first points
of the sweep, for each target. The tests that hold the rows are on the page [seeds](seeds.md).
"""

NEVER: Mapping[str, str] = {
    "op nv_tileas.async.pipeline.produce_one": "stages are filled by asynchronous copies",
    "op nv_tileas.async.pipeline.consume_one": "consumers wait, read and release",
    "op nv_tileas.async.pipeline.consume_one_async": "consumers wait, read and release",
    "op nv_tileas.async.pipeline.producer_acquire": "part of `produce_one_async`",
    "op nv_tileas.async.pipeline.producer_write": "part of `produce_one_async`",
    "op nv_tileas.async.pipeline.producer_commit": "part of `produce_one_async`",
    "attribute sliceCount": "no pass asks for slices of a loop; an option of the user",
    "pass tileas-slicing": "no pass asks for slices of a loop; an option of the user",
    "pass tileas-remove-buffer-alias": "no pass before it names a buffer twice",
    "pass tileas-resolve-agent-boundary": "runs before agents exist",
}
"""Why a row that no kernel has is not on the road, by its key."""


def page() -> str:
    """The text of the page."""
    compilations, rows = stored()
    fired = sum(count > 0 for *_, count, _ in rows)
    by_target = ", ".join(f"{count} for {gpu}" for gpu, count in compilations.items())
    total = sum(compilations.values())
    parts = [
        HEADER,
        f"{fired} of {len(rows)} rows, on {total} compilations: {by_target}.\n",
        _overview(rows),
    ]
    for section, listed in groupby(rows, key=lambda row: row[0]):
        lines = [f"## {section}\n", "| row | compilations | one of them |", "|---|---|---|"]
        parts.append("\n".join([*lines, *map(_line, listed), ""]))
    return "\n".join(parts)


def _overview(rows: Sequence[StoredRow]) -> str:
    lines = ["| section | rows | on the road |", "|---|---|---|"]
    for section, group in groupby(rows, key=lambda row: row[0]):
        listed = list(group)
        lines.append(f"| {section} | {len(listed)} | {sum(row[3] > 0 for row in listed)} |")
    return "\n".join([*lines, ""])


def _line(row: StoredRow) -> str:
    _, kind, name, count, first = row
    if not count:
        return f"| {kind} `{name}` | never | {NEVER.get(f'{kind} {name}', '')} |"
    gpu, _, program = first.partition(" ")
    return f"| {kind} `{name}` | {count} | {program}, {gpu} |"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
