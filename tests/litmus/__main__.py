"""Litmus tests of the PTX memory model in the emulator: `python -m tests.litmus --limit 1000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.litmus.checks import Report, check, check_model, table
from tests.litmus.drawn import drawn_test
from tests.litmus.shapes import SUITE
from tests.litmus.syntax import read_test
from tests.litmus.writing import write_suite


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks every test of the suite and prints a table; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.litmus", description=__doc__)
    parser.add_argument("--limit", type=int, default=300, help="launches per test and mode")
    parser.add_argument("--only", default="", help="tests whose path contains this")
    parser.add_argument(
        "--drawn", type=int, metavar="SEEDS", help="check so many random tests instead"
    )
    parser.add_argument("--first", type=int, default=0, help="the first seed of these")
    parser.add_argument("--write", action="store_true", help="write the generated tests anew")
    options = parser.parse_args(arguments)
    if options.write:
        print(f"{len(write_suite())} tests written")
    if options.drawn is not None:
        return check_drawn(range(options.first, options.first + options.drawn), options.limit)
    paths = sorted(path for path in SUITE.rglob("*.litmus") if options.only in str(path))
    reports: list[tuple[str, Report]] = []
    wrong = 0
    for path in paths:
        test = read_test(path)
        report = check(test, options.limit)
        problems = [*check_model(test), *report.problems]
        wrong += bool(problems)
        reports.append((path.parent.name, report))
        name = path.relative_to(SUITE).with_suffix("")
        for problem in problems:
            print(f"{name}: {problem}", flush=True)
        if report.unseen:
            values = f"{test.condition.names()} = {list(report.unseen)}"
            print(f"{name}: allowed, not shown in so many launches: {values}", flush=True)
    print("\n".join(table(reports)))
    launches = sum(report.launches for _, report in reports)
    print(f"{len(paths)} tests, {launches} launches, {wrong} disagreements")
    return 1 if wrong else 0


def check_drawn(seeds: Sequence[int], limit: int) -> int:
    """Checks random tests; 1 if any shows what is forbidden.

    The race detector may see a race that is none (docs/memory_model.md): such tests are counted.
    """
    wrong = weak = racy = false = 0
    for seed in seeds:
        report = check(drawn_test(seed), limit)
        wrong += not report.is_allowed
        weak += bool(report.weak)
        racy += report.is_racy
        false += report.is_false_race
        if report.is_false_race or not report.is_allowed:
            print(f"seed {seed}: {'; '.join(report.problems)}", flush=True)
    print(
        f"{len(seeds)} tests, {racy} with a race, {weak} with weak outcomes, {wrong} that show what "
        f"is forbidden, {false} with a race that is none"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
