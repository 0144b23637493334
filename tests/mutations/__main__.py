"""`python -m tests.mutations --log FILE`: plants every fault of the table, and says which tests find it.

What the log has is not run again, so that a run goes on where it was stopped. `--rows` breaks rows of
`docs/seeds.md` instead, each by the break that it carries, and sees the test fail that it names; what
the log has as red is not broken again. `--draw FILE` plants none: it writes a table of `--count` faults
drawn over all rooms of the package by `--seed`, which `--table FILE` then reads. `--record FILE` runs
`make test` once, with a mark at each fault; with `--marks FILE` then those tests alone are run that
execute what a fault changes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from tests.reach.map import ReachError
from tests.reach.selection import BUDGET

from . import marks
from .copies import compile_sources, copy_sources
from .drawn import draw
from .fault import FAULTS, Fault, MutationError, read, to_text
from .report import report
from .rows import run_rows
from .running import Outcome, Result, Runner


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument(
        "--log", type=Path, help="one JSON object a line; read first, then continued"
    )
    parser.add_argument("--table", type=Path, default=FAULTS, help="another table of faults")
    parser.add_argument("--file", default="", help="only faults in files whose path contains this")
    parser.add_argument("--kind", default="", help="only faults of this kind")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn, and the order")
    parser.add_argument("--count", type=int, help="so many that the log lacks; 100 with --draw")
    parser.add_argument("--minutes", type=float, help="begin none after so long")
    parser.add_argument(
        "--seconds", type=float, default=300.0, help="of tests beyond those of `make quick`"
    )
    parser.add_argument(
        "--budget", type=float, default=BUDGET, help="of the tests of `make quick`, then no others"
    )
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="TEST", help="run these, not those by the map"
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="write which tests execute what faults change"
    )
    parser.add_argument("--marks", type=Path, metavar="FILE", help="run the tests that it has")
    parser.add_argument("--filecheck", action="store_true", help="run lit on what survives pytest")
    parser.add_argument(
        "--soak",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="run what `make test` leaves out on what survives it",
    )
    parser.add_argument("--survivors", action="store_true", help="run again what was not found")
    parser.add_argument(
        "--rows",
        nargs="?",
        choices=("tenth", "all"),
        const="tenth",
        help="break rows of docs/seeds.md instead, and run the test that each names",
    )
    parser.add_argument(
        "--draw", type=Path, metavar="FILE", help="write a table of drawn faults there instead"
    )
    args = parser.parse_args(arguments)
    if args.draw is not None:
        faults = draw(args.count or 100, args.seed, args.file, args.kind)
        args.draw.write_text(to_text(faults), "utf-8")
        return 0
    try:
        with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
            copy_sources(Path(folder))
            if args.record is not None:
                marks.record(read(args.table), Path(folder), args.record, os.cpu_count() or 1)
                return 0
            compile_sources(Path(folder))
            known = {} if args.marks is None else marks.read(args.marks)
            runner = Runner(
                Path(folder), args.seconds, args.budget, args.filecheck, args.soak, args.only, known
            )
            if args.rows is not None:
                return int(run_rows(runner, args.rows, args.seed, args.file, args.log) > 0)
            return plant(runner, args)
    except (MutationError, ReachError) as error:
        print(f"tests.mutations: error: {error}", file=sys.stderr)
        return 1


def plant(runner: Runner, args: argparse.Namespace) -> int:
    """Plants the faults that the arguments choose; returns the exit status."""
    faults = [f for f in read(args.table) if args.file in f.file and args.kind in ("", f.kind)]
    # A part of them is a fair sample of all.
    Random(args.seed).shuffle(faults)
    results = dict(read_log(args.log))
    wanted = [fault for fault in faults if is_wanted(results.get(fault.digest), args.survivors)]
    end = None if args.minutes is None else time.monotonic() + 60 * args.minutes
    for fault in wanted[: args.count]:
        if end is not None and time.monotonic() > end:
            break
        result = results[fault.digest] = runner.run(fault)
        keep(args.log, result)
        print(to_line(fault, result), flush=True)
    print(report(faults, results))
    return 0


def is_wanted(result: Result | None, survivors: bool) -> bool:
    """Whether a fault is to be planted, as far as it was before."""
    return result is None or (survivors and not result.is_found)


def to_line(fault: Fault, result: Result) -> str:
    return f"{result.outcome:9} {result.seconds:5.0f} s  {fault.file}: {fault.kind}  {result.test}"


def read_log(log: Path | None) -> Mapping[str, Result]:
    """The last result of each fault, by digest."""
    if log is None or not log.exists():
        return {}
    rows = map(json.loads, log.read_text("utf-8").splitlines())
    return {row["digest"]: Result(**(row | {"outcome": Outcome(row["outcome"])})) for row in rows}


def keep(log: Path | None, result: Result) -> None:
    if log is not None:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(asdict(result))}\n")


if __name__ == "__main__":
    sys.exit(main())
