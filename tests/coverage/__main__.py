"""`python -m tests.coverage measure | report`: see `--help` of each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.coverage import report
from tests.coverage.measure import measure
from tests.coverage.slices import ROOMS, Slice, folder_of_data, lit_files, slices_of
from tests.reach.map import all_tests, read

GOAL = 95.0
"""Of lines and of branches, in percent."""


def main(arguments: Sequence[str] | None = None, folder: Path | None = None) -> int:
    """Returns the exit status: 1 where tests fail, or where a room misses the goal."""
    parser = argparse.ArgumentParser(prog="python -m tests.coverage")
    commands = parser.add_subparsers(dest="command", required=True)
    text = "runs slices of the tests that have no data yet, or the tests that are named"
    command = commands.add_parser("measure", help=text, description=text)
    command.add_argument("tests", nargs="*", metavar="PATH", help="test files, or a folder for lit")
    command.add_argument("--jobs", type=int, default=1, help="slices at a time")
    command.add_argument("--seconds", type=float, help="after which no other slice begins")
    text = "prints which part of each room the slices with data have run"
    other = commands.add_parser("report", help=text, description=text)
    other.add_argument("--missing", action="store_true", help="print what was not run, too")
    for each in (command, other):
        each.add_argument("--room", action="append", choices=list(ROOMS), help="all by default")
    args = parser.parse_args(arguments)
    rooms = args.room or list(ROOMS)
    folder = folder or folder_of_data()
    if args.command == "report":
        return _report(rooms, folder, with_missing=args.missing)
    named = [Slice((path.rstrip("/"),)) for path in args.tests]
    slices = named or slices_of(rooms, all_tests(), lit_files(), read())
    failed = measure(slices, folder, jobs=args.jobs, seconds=args.seconds, anew=bool(named))
    for part in failed:
        print(f"{part.title}: tests fail, see {folder / part.name}.running/log")
    return 1 if failed else 0


def _report(rooms: Sequence[str], folder: Path, *, with_missing: bool) -> int:
    count = len(list(folder.glob("*.data")))
    if not count:
        print("nothing is measured yet: `python -m tests.coverage measure`", file=sys.stderr)
        return 1
    files = report.files_of(folder)
    figures = report.by_room(files, rooms)
    if with_missing:
        print("\n".join(report.missing(files, rooms)))
    print("\n".join(report.table(figures, GOAL)))
    print(f"{count} slices")
    return 0 if all(min(each.shares) >= GOAL for each in figures.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
