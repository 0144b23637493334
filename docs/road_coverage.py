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

Written by `python -m docs.road_coverage` from `bench/stored/road_coverage.json`, which `python -m
bench.road_coverage --store` writes. Each row is an op, a type, an attribute, a pass, a rewrite
pattern or a builder of a [seed](seeds.md). A row has the number of compilations to PTX that create
the op or apply the pass or pattern, and an example, or why there is none. The kernels are the
reference set of `bench/reference.py` and the first kernels of the sweep, compiled for each target.
`written/` are kernels of `testing/kernels/written`. Rows that need an option are not counted.
"""

UNUSED = "no kernel of the set has the op"
UNCALLED = "no op calls a function, and PTX is of kernels alone: a module with one is refused"
BY_COPIES = (
    "asynchronous copies fill all stages, and the hardware the queue of tile blocks: no agent "
    "computes what it transfers"
)
IN_FLIGHT = (
    "MMAs in flight read their stage beyond any region: a token tells which step releases it, a "
    "commit of the hardware or the wait of the next iteration"
)
NO_SLICES = (
    "`tileas-slice-and-fuse` writes `sliceCount` on loops alone, to save registers, of which "
    "copies take none"
)
IN_REGISTERS = (
    "tiles that programs choose between or carry are in registers; stages are read where they are "
    "used, but for `while`s of MMAs in flight (`ReplaceInWhile`) and operands that branches load "
    "(`ReplaceInBranch`)"
)
PERSISTENT = "tile blocks go on with others where the user asks for it"
DIRECTIVES = (
    "the assembler unrolls two loops of the set for sm_80: with `nounroll`, `variants/persistent` "
    "would have 843 -> 727 instructions, but 65,942 -> 68,001 weighted by loops, and loads of "
    "`written/row_means` would not be in flight together; with `enable_smem_spilling`, "
    "`bench/row_softmax` for sm_90a would spill 988 bytes in place of 1,284, with 24 instructions "
    "and 18 KiB of shared memory more"
)
UNTIL_THE_LEAVE = "directives of PTX hold for the loop that they head: none ends a region"
SYNCHRONOUS = (
    "no instruction does it in the background: it becomes the synchronous form and a wait "
    "(`tileas-allocate-shared-memory`)"
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
    "builder build_masked_dot": "the tail of K comes padded from its load; the mask of "
    "`ragged_matmul` takes an instruction more",
    "builder maximum_signed": "`tileas-slicing` calls it for loops of unknown bounds, and "
    "`tileas-slice-and-fuse` writes `sliceCount` on loops of known bounds alone",
    "op nv_tileas.pragma": DIRECTIVES,
    "op cuda_tile.experimental$func": UNCALLED,
    "op cuda_tile.testing$func": UNCALLED,
    "pattern ConvertFunction": UNCALLED,
    "attribute copy_atom": "layout assignment writes `atom` on `nv_tileas`; on `nv_tileaa` "
    "`copy_atom` is for IR that a user writes",
    "attribute ocgEnterDirectives": DIRECTIVES,
    "attribute ocgLeaveDirectives": UNTIL_THE_LEAVE,
    "op nv_tileas.async.copy": SYNCHRONOUS,
    "op nv_tileas.async.extract_slice": SYNCHRONOUS,
    "op nv_tileas.async.insert_slice": SYNCHRONOUS,
    "op nv_tileas.async.store": SYNCHRONOUS,
    "op nv_tileas.cancel_next_program_id": PERSISTENT,
    "op nv_tileas.async.cancel_next_program_id": PERSISTENT,
    "pattern KeepLocation": "it is around patterns of the option `patterns` of "
    "`convert-cuda-tile-to-tileaa`",
    "pattern ReplaceInAgents": "agents of `tileas-materialize-schedule` are not isolated: they "
    "name an allocation themselves",
    "pattern ReplaceInLoop": IN_REGISTERS,
    "pattern ReplaceSelect": IN_REGISTERS,
    "pattern SliceStage": NO_SLICES,
    "type nv_tileas.agent": "no table of seed 003 has an operand or a result of it: agents are the "
    "regions of `agent_switch` (row 14), whose attributes have number, registers and warps",
    "pattern ViewAllocation": "`canonicalize` folds views of views before tiles are buffers",
    "type nv_tileas.tiled_view": "views of global memory are `nv_tileaa.tiled_view`; buffers are "
    "tensors, whose encoding says where they are",
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
        f"{total} compilations ({by_target}) use {fired} of {len(rows)} rows, {written} of them "
        f"only in programs written for them. {len(options)} more rows need an option.\n",
        _overview(rows, options),
    ]
    told: dict[str, str] = {}
    for section, group in groupby(rows, key=lambda row: row[0]):
        listed = list(group)
        kinds = {kind for _, kind, *_ in listed}
        head = kinds.pop() if len(kinds) == 1 else "row"
        lines = [f"## {section}\n", f"| {head} | compilations | |", "|---|---|---|"]
        for row in listed:
            text = f"`{row[2]}`" if head == row[1] else f"{row[1]} `{row[2]}`"
            lines.append(f"| {text} | {_cells(row, options, told)} |")
        parts.append("\n".join([*lines, ""]))
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


def _cells(row: StoredRow, options: Mapping[str, PricedOption], told: dict[str, str]) -> str:
    """The cells behind a name; a reason that another row has `told` is that row's name."""
    section, kind, name, count, first = row
    if (option := options.get(f"{kind} {name}")) is not None:
        return f"never | {_price(option)}"
    if not count:
        why = reason(section, f"{kind} {name}")
        other = told.setdefault(why, name)
        return f"never | {why if other == name else f'as `{other}`'}"
    gpu, _, program = first.partition(" ")
    return f"{count} | {program}, {gpu}"


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
