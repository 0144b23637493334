"""Writes `docs/road_coverage.md`: which rows of the seeds the road of a kernel makes or fires.

`python -m docs.road_coverage` writes the page from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from bench.road_coverage import (
    PRICED,
    PricedOption,
    StoredRow,
    is_written,
    stored,
    stored_options,
)

PAGE = Path(__file__).resolve().parent / "road_coverage.md"

HEADER = """# What the road makes of the seeds

Written by `python -m docs.road_coverage` from `bench/stored/road_coverage.json`, which
`python -m bench.road_coverage --store` writes; tests compare, and compile some kernels again. Each
row is an op, a type, an attribute, a pass, a rewrite pattern or a builder of a seed. It counts the
compilations to PTX in which the row is made or fired on the way from `cuda_tile` to the end of
`nv_tileas`, and names one of them: the reference set of `bench/reference.py` and the first points
of the sweep, for each target. Where it names one of `written/`, the row stands only on programs of
`testing/kernels/written`, which are written for the rows that no other program has. A row that only
an option of the user brings does not count: it tells what the option costs one compilation. The
tests that hold the rows are on the page [seeds](seeds.md).
"""

UNUSED = "no kernel of the set has the op"
UNCALLED = (
    "functions are for tests of the reference implementation, and no op calls one: PTX is of "
    "kernels alone, and a module with a function is refused with a message that names it"
)
BY_COPIES = (
    "all stages of the road are filled by asynchronous copies, and the one queue of scalars, of "
    "numbers of tile blocks, by the hardware: no agent computes the values that it transfers"
)
IN_FLIGHT = (
    "MMAs in flight, which `tileas-materialize-schedule` carries into the next iteration, read "
    "their stage beyond any region: which step releases it, a commit of the hardware or the wait "
    "of the next iteration, is found by its token"
)
NO_SLICES = (
    "`tileas-slice-and-fuse`, which writes `sliceCount`, does so on loops alone, to save "
    "registers: what copies fill takes none of them, and slices would be copies of their own"
)
IN_REGISTERS = (
    "tiles that `cuda_tile` programs choose between or carry are in registers; what is in a stage "
    "is read where it is used, but for loops of MMAs in flight, whose `while` carries buffers "
    "(`ReplaceInWhile`), and operands that branches load (`ReplaceInBranch`)"
)
PERSISTENT = "tile blocks go on with others where the user asks for it"
DIRECTIVES = (
    "the one directive that PTX has for a loop is `nounroll`, and the assembler unrolls two loops "
    "of the set for sm_80: `variants/persistent` would have 843 -> 727 instructions, but 65,942 -> "
    "68,001 weighted by loops, and of `written/row_means` (484 -> 249) the loads of several rows "
    "would no longer be in flight together; `enable_smem_spilling`, of functions, would have "
    "`bench/row_softmax` for sm_90a spill 988 bytes instead of 1,284 to local memory, with 24 "
    "instructions more and 19,456 bytes of shared memory instead of 1,024"
)
UNTIL_THE_LEAVE = "directives of PTX hold for the loop that they head: none ends a region"
SYNCHRONOUS = (
    "no instruction of a target does it in the background: it becomes the synchronous form and a "
    "wait (`tileas-allocate-shared-memory`), which is what passes build"
)
MEASURED: Mapping[str, str] = {
    "instructions": "instructions",
    "weighted": "weighted by loops",
    "registers": "registers",
    "shared": "bytes of shared memory",
}
"""The words for what a price is told in."""

NEVER_IN: Mapping[str, str] = {"001 patterns": UNUSED, "002 operations": UNUSED}
"""Why rows that no kernel has are not on the road, by their section: those of `cuda_tile` ops."""
NEVER: Mapping[str, str] = {
    "op nv_tileas.async.pipeline.producer_acquire": BY_COPIES,
    "op nv_tileas.async.pipeline.producer_write": BY_COPIES,
    "op nv_tileas.async.pipeline.producer_commit": BY_COPIES,
    "op nv_tileas.async.pipeline.consume_one_async": IN_FLIGHT,
    "builder build_consume_one_async": IN_FLIGHT,
    "builder build_masked_dot": "the tail of K comes padded from its load; made for the mask that "
    "`ragged_matmul` has of its own, it takes 686 instructions instead of 685 on sm_80, 629 "
    "instead of 628 on sm_90a and 821 instead of 820 on sm_100a",
    "builder maximum_signed": "`tileas-slicing` calls it for loops whose bounds only the run "
    "tells, and `tileas-slice-and-fuse`, which writes `sliceCount`, does so on loops of known "
    "bounds alone: slices of others begin at numbers that stay unknown, and so do the registers "
    "that they take",
    "op nv_tileas.pragma": DIRECTIVES,
    "op cuda_tile.experimental$func": UNCALLED,
    "op cuda_tile.testing$func": UNCALLED,
    "pattern ConvertFunction": UNCALLED,
    "attribute copy_atom": "layout assignment chooses copies on `nv_tileas`, where the attribute "
    "is `atom`; on `nv_tileaa` it is for IR that a user writes, and is carried on as it stands",
    "attribute ocgEnterDirectives": DIRECTIVES,
    "attribute ocgLeaveDirectives": UNTIL_THE_LEAVE,
    "op nv_tileas.async.copy": SYNCHRONOUS,
    "op nv_tileas.async.extract_slice": SYNCHRONOUS,
    "op nv_tileas.async.insert_slice": SYNCHRONOUS,
    "op nv_tileas.async.store": SYNCHRONOUS,
    "op nv_tileas.cancel_next_program_id": PERSISTENT,
    "op nv_tileas.async.cancel_next_program_id": PERSISTENT,
    "pattern KeepLocation": "it is around patterns that a user hands to "
    "`convert-cuda-tile-to-tileaa` by the option `patterns`",
    "pattern ReplaceInAgents": "`tileas-materialize-schedule` makes agents that are not isolated: "
    "they name an allocation themselves, and are handed no buffer",
    "pattern ReplaceInLoop": IN_REGISTERS,
    "pattern ReplaceSelect": IN_REGISTERS,
    "pattern SliceStage": NO_SLICES,
    "type nv_tileas.agent": "seed 003 names the type, but none of its tables has an operand or a "
    "result of it: agents are the regions of `agent_switch` (row 14), with their number, registers "
    "and isolation as attributes, and their warps as `num_warps`",
    "pattern ViewAllocation": "`canonicalize` folds views of views before tiles are "
    "buffers, and what follows views a buffer once",
    "type nv_tileas.tiled_view": "views of global memory are `nv_tileaa.tiled_view`, which the "
    "roster takes as well; buffers are tensors, whose encoding says where they are",
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
    written = sum(is_written(first) for *_, first in rows)
    by_target = ", ".join(f"{count} for {gpu}" for gpu, count in compilations.items())
    total = sum(compilations.values())
    parts = [
        HEADER,
        f"{fired} of {len(rows)} rows, on {total} compilations: {by_target}. {written} of them "
        f"only on programs written for them. {len(options)} more by an option.\n",
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
    lines = [
        "| section | rows | on the road | only on programs written for them | by an option |",
        "|---|---|---|---|---|",
    ]
    for section, group in groupby(rows, key=lambda row: row[0]):
        listed = list(group)
        fired = sum(row[3] > 0 for row in listed)
        written = sum(is_written(row[4]) for row in listed)
        asked = sum(f"{kind} {name}" in options for _, kind, name, *_ in listed)
        lines.append(f"| {section} | {len(listed)} | {fired} | {written or ''} | {asked or ''} |")
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
