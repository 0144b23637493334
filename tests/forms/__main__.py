"""`python -m tests.forms update` runs the tests whose steps are stored, and stores what they return.

With test files or folders it stores those anew and leaves the rest as it is. `show TEST` prints the
first step of a test that makes something else of the same input than at another revision.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.reach import map as reach_map

from .differences import FormsError, difference
from .stored import FORMS, read_rows, to_text
from .updating import chosen, record, rows_of, unstable


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.forms", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    update = commands.add_parser("update", help="store what steps return now")
    update.add_argument("tests", nargs="*", help="test files or folders; by default all")
    update.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    update.add_argument(
        "--again", action="store_true", help="run twice, and leave out what differs"
    )
    show = commands.add_parser("show", help="the first step with another output than at a revision")
    show.add_argument("test", help="a test as pytest names it")
    show.add_argument("--against", default="HEAD", metavar="REVISION", help="of git")
    args = parser.parse_args(arguments)
    try:
        if args.command == "show":
            return show_difference(args.test, args.against)
        return store(args.tests, args.jobs, again=args.again)
    except FormsError as error:
        print(f"tests.forms: error: {error}", file=sys.stderr)
        return 1


def show_difference(test: str, revision: str) -> int:
    """Prints how the first step that differs does so; returns 1 where there is one."""
    lines = difference(test, revision)
    print("\n".join(lines) or f"no step differs on the same input from {revision}")
    return int(bool(lines))


def store(tests: Sequence[str], jobs: int, *, again: bool) -> int:
    """Writes the file of forms, and how many rows have changed."""
    known = read_rows()
    files = [file for file in chosen(reach_map.read()) if _is_among(file, tests)]
    if not files:
        raise FormsError(f"none of {', '.join(tests)} is a test file whose steps are stored")
    with tempfile.TemporaryDirectory(prefix="forms-") as folder:
        first = record(files, jobs, Path(folder))
        second = record(files, jobs, Path(folder)) if again else first
    kept = {row: forms for row, forms in known.items() if tests and not _is_among(row[0], tests)}
    new = {**kept, **rows_of(first, unstable(first, second))}
    FORMS.write_text(to_text(new), "utf-8")
    changed = [row for row in {**known, **new} if known.get(row) != new.get(row)]
    count = sum(map(len, new.values()))
    print(
        f"{count} steps of {len({file for file, _ in new})} test files; {len(changed)} rows changed"
    )
    return 0


def _is_among(file: str, tests: Sequence[str]) -> bool:
    return not tests or any(
        file == test or file.startswith(f"{test.rstrip('/')}/") for test in tests
    )


if __name__ == "__main__":
    sys.exit(main())
