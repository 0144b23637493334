"""`python -m tests.reach measure | update | collect | select | estimate`: see `--help` of each."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import allotments, selection
from . import map as stored
from .map import MAP, REPOSITORY, ReachError, ReachMap, TestFile


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.reach")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("measure", "runs all test files and stores what they reach and cost"),
        (
            "update",
            "measures test files that are new, or only those that are named, and drops those that are gone",
        ),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--jobs", type=int, default=2, help="test files at a time")
        if name == "update":
            command.add_argument("files", nargs="*", metavar="FILE", help="test files")
    text = "stores what an interrupted measurement has, drops what is gone, and runs nothing"
    commands.add_parser("collect", help=text, description=text)
    text = "prints test files that cover the package, or all that reach some of its files"
    command = commands.add_parser("select", help=text, description=text)
    command.add_argument("--seconds", type=float, default=selection.BUDGET, help="processor time")
    command.add_argument("files", nargs="*", metavar="FILE", help="files or folders")
    text = "prints what `make test` will take"
    command = commands.add_parser("estimate", help=text, description=text)
    command.add_argument("--jobs", type=int, default=2, help="processors")
    command.add_argument("--set-up", action="store_true", help="the environment is yet to be made")
    args = parser.parse_args(arguments)
    try:
        match args.command:
            case "select":
                select(args.files, args.seconds)
            case "estimate":
                print(allotments.estimate(stored.read(), args.jobs, is_installed=not args.set_up))
            case "collect":
                collect()
            case "measure":
                measure(args.jobs, None)
            case _:
                measure(args.jobs, args.files)
    except ReachError as error:
        print(f"tests.reach: error: {error}", file=sys.stderr)
        return 1
    return 0


def select(files: Sequence[str], seconds: float) -> None:
    """Prints one test file a line, and on the error stream what is left out."""
    reach, tests = stored.read(), stored.all_tests()
    if files:
        chosen = selection.select_for(
            reach,
            [selection.relative(file) for file in files],
            tests,
            stored.all_sources(),
            selection.importers(),
            changed=changed_files(),
            seconds=seconds,
        )
    else:
        chosen = selection.select_cover(reach, tests, changed=changed_files(), seconds=seconds)
    for note in chosen.notes:
        print(f"tests.reach: {note}", file=sys.stderr)
    if not chosen.tests:
        # An empty list would be all tests to pytest.
        raise ReachError("nothing is selected: `python -m tests.reach update` measures what is new")
    print("\n".join(chosen.tests))


def changed_files() -> set[str]:
    """What differs from the last commit, or is in none; nothing where there is no git."""
    command = ["git", "status", "--porcelain", "--untracked-files=all", "-z"]
    try:
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return {entry[3:] for entry in done.stdout.split("\0")}


def measure(jobs: int, named: Sequence[str] | None) -> None:
    """Writes the map anew, with what new tests reach, or those that are `named`; without a list of
    names, with what all of them reach."""
    from . import measure  # noqa: PLC0415 - needs pytest

    tests = stored.all_tests()
    known = {} if named is None else {t: f for t, f in stored.read().tests.items() if t in tests}
    files = set(map(selection.relative, named or ()))
    if unknown := sorted(files - set(tests)):
        raise ReachError(f"{unknown[0]}: no file with tests")
    wanted = [test for test in tests if (test in files if files else test not in known)]
    try:
        measured = measure.measure(wanted, jobs)
    except ReachError:
        # What has passed is of use without the others; their records stay, so they are not run again.
        if named is not None:
            store(known | measure.recorded(wanted))
        raise
    store(known | measured)
    measure.forget()


def collect() -> None:
    """Writes the map with what is recorded of an interrupted measurement; its records stay."""
    from . import measure  # noqa: PLC0415 - needs pytest

    tests = stored.all_tests()
    known = {name: test for name, test in stored.read().tests.items() if name in tests}
    store(known | measure.recorded(tests))


def store(tests: Mapping[str, TestFile]) -> None:
    """Writes the map, without sources that are gone."""
    sources = set(stored.all_sources())
    kept = {name: replace(test, reaches=test.reaches & sources) for name, test in tests.items()}
    MAP.write_text(stored.to_json(ReachMap(kept)), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
