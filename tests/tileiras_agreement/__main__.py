"""Who accepts which modules: `python -m tests.tileiras_agreement --log build/tileiras.jsonl`.

Every module is given to `tileiras` and to this compiler, as the same bytecode. Without `--op` all
operations of cuda_tile are tried, without `--gpu` five targets. A log is gone on with; `--keep`
writes what the page is made of. `--first 500 --seeds 100` draws single modules instead.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.tileiras_agreement.cases import (
    EXTREMES,
    GPUS,
    PROGRAMS,
    Case,
    drawn,
    operations,
    sampled,
    short_name,
)
from tests.tileiras_agreement.compilers import INVALID, Verdict, ours, theirs
from tests.tileiras_agreement.reasons import reason
from tests.tileiras_agreement.results import (
    CLASSES,
    Results,
    Row,
    gathered,
    read_log,
    store,
)


def rows_of(case: Case, gpus: Sequence[str]) -> Iterator[Row]:
    """What both make of a module for some targets, until these do not matter."""
    data = case.data()
    if data is None:
        return
    refusal: Verdict | None = None
    for gpu in gpus:
        # Nobody who refuses a module as such has looked at the target.
        verdict = refusal or ours(data, gpu)
        if verdict.kind == INVALID:
            refusal = verdict
        row = Row(case.operation, case.name, gpu, verdict, theirs(data, gpu))
        yield row
        if row.is_settled:
            return


def run(
    chosen: Sequence[Case], gpus: Sequence[str], log: Path | None, seconds: float | None
) -> list[Row]:
    """Compiles what the log does not have yet, as long as there is time; the rows of all."""
    modules = {(case.operation, case.name): case for case in chosen}
    found = [row for row in (read_log(log) if log else []) if row.key[:2] in modules]
    known = {row.key for row in found}
    settled = {row.key[:2] for row in found if row.is_settled}
    deadline = None if seconds is None else time.monotonic() + seconds
    for key, case in modules.items():
        if deadline is not None and time.monotonic() > deadline:
            break
        missing = [gpu for gpu in case.gpus if gpu in gpus and (*key, gpu) not in known]
        if key in settled or not missing:
            continue
        rows = list(rows_of(case, missing))
        found += rows
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row.as_json()) + "\n" for row in rows)
    return found


def report(results: Results) -> int:
    """Prints the differences without a reason, and counts; how many these are."""
    unexplained = 0
    for row in results.rows:
        if reason(row) is None:
            unexplained += 1
            print(f"{row.outcome}: {row.operation}, {row.case}, {row.gpu}")
            print(f"  we: {row.ours.kind} {row.ours.words}")
            print(f"  tileiras: {row.theirs.kind} {row.theirs.words}")
    total: Counter[str] = Counter()
    for (_, _, outcome), count in results.counts.items():
        total[outcome] += count
    for outcome in CLASSES:
        print(f"{total[outcome]:6}  {outcome}")
    print(f"{results.total} compilations, {unexplained} differences without a reason")
    return unexplained


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what differs for no known reason; 1 if there is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.tileiras_agreement", description=__doc__)
    names = [*map(short_name, operations()), EXTREMES, PROGRAMS]
    parser.add_argument("--op", action="append", choices=names, metavar="OP", default=[])
    parser.add_argument("--gpu", action="append", choices=GPUS, default=[])
    parser.add_argument("--log", type=Path, help="a file to go on with")
    parser.add_argument("--minutes", type=float, help="stop after so long")
    parser.add_argument("--seeds", type=int, help="in place of all, as many modules at random")
    parser.add_argument("--first", type=int, default=0, help="the first seed of these")
    parser.add_argument("--keep", action="store_true", help="write what the page is made of")
    options = parser.parse_args(arguments)
    seconds = None if options.minutes is None else 60 * options.minutes
    seeds = range(options.first, options.first + (options.seeds or 0))
    chosen = drawn(options.op) if options.seeds is None else [sampled(seed) for seed in seeds]
    rows = run(chosen, options.gpu or GPUS, options.log, seconds)
    results = gathered(rows)
    if options.keep:
        store(results)
    return 1 if report(results) else 0


if __name__ == "__main__":
    sys.exit(main())
