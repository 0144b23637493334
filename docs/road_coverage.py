"""Writes `docs/road_coverage.md`: which rows of the seeds the road of a kernel makes or fires.

`python -m docs.road_coverage` writes the page from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from bench.road_coverage import PRICED, PricedOption, StoredRow, stored, stored_options

PAGE = Path(__file__).resolve().parent / "road_coverage.md"

HEADER = """# What the road makes of the seeds

Written by `python -m docs.road_coverage` from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes; tests compare, and compile some kernels again. Each
row is an op, a type, an attribute, a pass, a rewrite pattern or a builder of a seed. It counts the
compilations in which the row is made or fired on the way from `cuda_tile` to the end of
`nv_tileas`, and names one of them: the reference set of `bench/reference.py` and the first points
of the sweep, for each target. A row that only an option of the user brings does not count: it
tells what the option costs one compilation. The tests that hold the rows are on the page
[seeds](seeds.md).
"""

UNUSED = "no kernel of the set has the op"
BY_COPIES = "stages are filled by asynchronous copies: `produce_one_async`"
OF_QUEUES = "handshakes of queues, with which no kernel begins as `cuda_tile`"
BY_STEPS = "consumers wait, read and release in steps of their own"
ONE_NAME = "no pass before it gives a buffer a second name"
NO_SLICES = "no pass asks for slices of a loop or a stage: an option of the user"
PERSISTENT = "tile blocks go on with others where the user asks for it"
DIRECTIVES = "no pass asks the back end for directives"
NOT_MADE = "no pass makes it of a kernel of the set"

MEASURED: Mapping[str, str] = {
    "instructions": "instructions",
    "weighted": "weighted by loops",
    "registers": "registers",
    "shared": "bytes of shared memory",
}
"""The words for what a price is told in."""

NEVER_IN: Mapping[str, str] = {
    "000 patterns": ONE_NAME,
    "000 slicing": NO_SLICES,
    "001 patterns": UNUSED,
    "002 operations": UNUSED,
    "003 TMA": "rows are gathered and scattered by plain accesses",
    "003 async pipeline": BY_STEPS,
    "003 attribute roster": DIRECTIVES,
    "003 builders": "passes build these ops themselves",
    "003 dot simplification": "no kernel of the set chooses between operands of a dot",
    "003 layout": NOT_MADE,
    "003 operand and result tables": BY_STEPS,
    "003 tensor slices": NOT_MADE,
    "003 tiled memops": NOT_MADE,
    "003 types": NOT_MADE,
    "004 folds": "nothing matches in any kernel of the set: not after the conversion to "
    "`nv_tileas`, not after the layouts, not after the schedule",
}
"""Why rows that no kernel has are not on the road, by their section."""
NEVER: Mapping[str, str] = {
    "op nv_tileas.async.pipeline.produce_one": BY_COPIES,
    "op nv_tileas.async.pipeline.producer_acquire": BY_COPIES,
    "op nv_tileas.async.pipeline.producer_write": BY_COPIES,
    "op nv_tileas.async.pipeline.producer_commit": BY_COPIES,
    "builder build_produce_one": OF_QUEUES,
    "builder build_consume_one": OF_QUEUES,
    "builder build_consume_one_async": "a consumer of the road reads its stage where it waits for "
    "it: MMAs in flight hold the stage by its token",
    "builder build_zero_accumulator_dot": "an accumulator of zeros is a constant of the program, "
    "and an allocation would hold the same registers",
    "builder build_predicated_dot": "no kernel of the set chooses between operands of a dot",
    "builder build_dot_loop": "a dot is divided along K before it has an atom, "
    "by `tileas-slice-and-fuse`, in a loop that also loads the parts",
    "builder build_masked_dot": "the tail of K comes padded from its load, so that no mask is made",
    "op nv_tileas.pragma": DIRECTIVES,
    "op nv_tileas.cancel_next_program_id": PERSISTENT,
    "op nv_tileas.async.cancel_next_program_id": PERSISTENT,
    "pass tileas-remove-buffer-alias": ONE_NAME,
    "pass tileas-resolve-agent-boundary": "runs before there are agents; after the schedule "
    "it would change nothing either",
    "pass tileas-slicing": NO_SLICES,
    "pattern AssignAsyncAtom": "asynchronous accesses are made after layouts are assigned",
    "pattern KeepLocation": "patterns of the user: the option `patterns`",
    "pattern ResolveBoundary": "runs before there are agents",
    "pattern RetypeProducer": "no buffer of the set is converted to another layout",
    "pattern SliceLoop": NO_SLICES,
    "pattern SliceStage": NO_SLICES,
    "type nv_tileas.tiled_view": "buffers of the road are tensors",
}
"""The same for single rows, by their keys."""


def reason(section: str, key: str) -> str:
    """Why no kernel has a row; empty if nobody has said so."""
    return NEVER.get(key) or NEVER_IN.get(section, "")


def page() -> str:
    """The text of the page."""
    compilations, rows = stored()
    options = stored_options()
    fired = sum(count > 0 for *_, count, _ in rows)
    by_target = ", ".join(f"{count} for {gpu}" for gpu, count in compilations.items())
    total = sum(compilations.values())
    parts = [
        HEADER,
        f"{fired} of {len(rows)} rows, on {total} compilations: {by_target}. "
        f"{len(options)} more by an option.\n",
        _overview(rows, options),
    ]
    for section, listed in groupby(rows, key=lambda row: row[0]):
        lines = [
            f"## {section}\n",
            "| row | compilations | one of them, or why none |",
            "|---|---|---|",
        ]
        parts.append("\n".join([*lines, *(_line(row, options) for row in listed), ""]))
    return "\n".join(parts)


def _overview(rows: Sequence[StoredRow], options: Mapping[str, PricedOption]) -> str:
    lines = ["| section | rows | on the road | by an option |", "|---|---|---|---|"]
    for section, group in groupby(rows, key=lambda row: row[0]):
        listed = list(group)
        fired = sum(row[3] > 0 for row in listed)
        asked = sum(f"{kind} {name}" in options for _, kind, name, *_ in listed)
        lines.append(f"| {section} | {len(listed)} | {fired} | {asked or ''} |")
    return "\n".join([*lines, ""])


def _line(row: StoredRow, options: Mapping[str, PricedOption]) -> str:
    section, kind, name, count, first = row
    if (option := options.get(f"{kind} {name}")) is not None:
        return f"| {kind} `{name}` | never | {_price(option)} |"
    if not count:
        return f"| {kind} `{name}` | never | {reason(section, f'{kind} {name}')} |"
    gpu, _, program = first.partition(" ")
    return f"| {kind} `{name}` | {count} | {program}, {gpu} |"


def _price(option: PricedOption) -> str:
    """What an option costs, of all that it changes."""
    name, where, off, on = option
    gpu, _, program = where.partition(" ")
    changed = ", ".join(
        f"{before:,} -> {after:,} {MEASURED[measure]}"
        for measure, before, after in zip(PRICED, off, on, strict=True)
        if before != after
    )
    return f"an option, `{name}`: {changed or 'it costs nothing'} of {program}, {gpu}"


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
