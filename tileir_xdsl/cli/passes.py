"""`tileir passes`: prints every pass with its level, place and origin, and installed extensions."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from tileir_xdsl.cli.compile_options import add_with
from tileir_xdsl.extensions.registry import installed, load, origins
from tileir_xdsl.options import OptionError, Options
from tileir_xdsl.passes import OURS, PASSES, PassEntry
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.transforms.pipeline_road import steps

_HEADING = ("pass", "level", "place", "origin")

Row = tuple[str, str, str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir passes`."""
    add_with(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object")


def run(args: argparse.Namespace) -> int:
    """Prints the passes in pipeline order, then all others; returns 0."""
    names = tuple(args.extensions or ())
    problems = _load_installed(names)
    with errors_in("passes"):
        rows = _rows(names)
    extensions = dict(installed())
    if args.json:
        passes = [dict(zip(_HEADING, row, strict=True)) for row in rows]
        sys.stdout.write(json.dumps({"passes": passes, "extensions": extensions}) + "\n")
    else:
        listed = [(name, "", "extension", origin) for name, origin in extensions.items()]
        sys.stdout.write(_table([_HEADING, *rows, *listed]))
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    return 0


def _load_installed(named: Sequence[str]) -> list[str]:
    """Registers the passes of installed extensions; returns the errors of extensions that fail."""
    problems: list[str] = []
    for name in installed():
        try:
            load([name])
        except OptionError as error:
            # One that is named has its own diagnostic.
            if name not in named:
                problems.append(f"{error.location}: error: {error.message}")
    return problems


def _rows(names: tuple[str, ...]) -> list[Row]:
    road = steps(options=Options(extensions=names, dynamic_persistent=True))
    on_it = {step.name for step in road}
    rows = [_row(step.label, PASSES[step.name], f"{n}") for n, step in enumerate(road, 1)]
    others = ((name, entry) for name, entry in PASSES.items() if name not in on_it)
    return [*rows, *(_row(name, entry, "") for name, entry in others)]


def _row(label: str, entry: PassEntry, number: str) -> Row:
    place = " ".join(part for part in (number, entry.place) if part) or "by itself"
    return label, entry.level, place, OURS if entry.origin == OURS else origins()[entry.origin]


def _table(rows: Sequence[Row]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = (
        "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[3]])
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)
