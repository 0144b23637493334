"""Litmus tests of the PTX memory model in the emulator: `python -m tests.litmus --limit 1000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.litmus.checks import check, check_model
from tests.litmus.shapes import SUITE
from tests.litmus.syntax import read_test
from tests.litmus.writing import write_suite


def main(arguments: Sequence[str] | None = None) -> int:
    """Checks every test of the suite and prints figures; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.litmus", description=__doc__)
    parser.add_argument("--limit", type=int, default=300, help="orders of threads per test")
    parser.add_argument("--only", default="", help="tests whose path contains this")
    parser.add_argument("--write", action="store_true", help="write the generated tests anew")
    options = parser.parse_args(arguments)
    if options.write:
        print(f"{len(write_suite())} tests written")
    paths = sorted(path for path in SUITE.rglob("*.litmus") if options.only in str(path))
    wrong = launches = unseen = 0
    for path in paths:
        test = read_test(path)
        report = check(test, options.limit)
        problems = [*check_model(test), *report.problems]
        wrong += bool(problems)
        launches += report.launches
        unseen += bool(report.unseen)
        for problem in problems:
            print(f"{path.relative_to(SUITE)}: {problem}", flush=True)
        if report.unseen:
            names = test.condition.names()
            print(f"{path.relative_to(SUITE)}: not seen: {names} = {list(report.unseen)}")
    print(
        f"{len(paths)} tests, {launches} launches, {wrong} disagreements, "
        f"{unseen} with allowed outcomes that were not seen"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
