"""`python -m tests.soak --minutes 60`: everything that draws its inputs, each for its share of the time."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .parts import PARTS
from .running import Done, read_log, run_part, write_log


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what is found, and a table; 1 if something is found."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="for all parts together")
    parser.add_argument("--log", type=Path, help="goes on after the seeds of earlier runs")
    parser.add_argument("--part", action="append", choices=PARTS, help="by default all")
    parser.add_argument("--slice", action="store_true", help="what continuous integration runs")
    parser.add_argument("--jobs", type=int, default=1, help="parts at a time")
    options = parser.parse_args(arguments)
    names = options.part or [n for n, part in PARTS.items() if part.in_slice or not options.slice]
    seconds = 60 * options.minutes * options.jobs / len(names)
    earlier = read_log(options.log)
    now: dict[str, Done] = {}

    def run(name: str) -> None:
        first = earlier.get(name, Done()).seeds
        now[name] = run_part(PARTS[name], first, seconds, lambda text: print(text, flush=True))
        all_done = {n: earlier.get(n, Done()) + now.get(n, Done()) for n in earlier | now}
        write_log(options.log, all_done)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, names))
    print(table(names, earlier, now))
    return 1 if any(done.failed for done in now.values()) else 0


def table(names: Sequence[str], earlier: Mapping[str, Done], now: Mapping[str, Done]) -> str:
    """A row for each part: its seeds in this run and in all, runs with findings, and its time."""
    rows = ["| part | a seed is one of | seeds | of all runs | with findings | cut off | s |"]
    rows.append("|---|---|---|---|---|---|---|")
    for name in names:
        done, whole = now[name], earlier.get(name, Done()) + now[name]
        rows.append(
            f"| {name} | {PARTS[name].what} | {done.seeds} | {whole.seeds} | {done.failed} "
            f"| {done.cut_off} | {done.seconds:.0f} |"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
