"""`python -m tests.fuzz --seeds 2000`: damaged inputs of every kind, and what came out of them."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from .guarding import Failure, limited_memory, outcome
from .reduction import reduced
from .subjects import SUBJECTS, Input, Subject


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every failure, and a line for each kind of inputs; 1 if there is a failure."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000, help="inputs of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--subject", action="append", choices=SUBJECTS, help="by default all")
    parser.add_argument("--minutes", type=float, help="stop after so long, shared among the kinds")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs that fail, made smaller")
    options = parser.parse_args(arguments)
    names = options.subject or list(SUBJECTS)
    seeds = range(options.first, options.first + options.seeds)
    share = None if options.minutes is None else 60 * options.minutes / len(names)
    failed = False
    with limited_memory():
        for name in names:
            failed |= fuzz(name, seeds, share, options.keep)
    return 1 if failed else 0


def fuzz(name: str, seeds: Sequence[int], seconds: float | None, folder: Path | None) -> bool:
    """Reads the inputs of some seeds, as many as the time allows; whether some fail."""
    subject, start, counts = SUBJECTS[name], time.monotonic(), Counter[str]()
    failures: dict[str, int] = {}
    for seed in seeds:
        if seconds is not None and time.monotonic() - start > seconds:
            break
        given = subject.damaged(Random(seed))
        found = outcome(subject, given, seed)
        if not isinstance(found, Failure):
            counts["accepted" if found else "refused"] += 1
            continue
        counts["failed"] += 1
        # One of each is enough to look at.
        if found.where in failures:
            continue
        failures[found.where] = seed
        print(f"{name}, seed {seed}: {found}", flush=True)
        if folder is not None:
            keep(folder / f"{name}-{seed}", subject, given, found, seed)
    counted = ", ".join(f"{counts[each]} {each}" for each in ("accepted", "refused", "failed"))
    took = time.monotonic() - start
    print(f"{name}: seeds {seeds[0]} to {seeds[0] + counts.total() - 1}, {counted}, {took:.0f} s")
    return bool(failures)


def keep(file: Path, subject: Subject, given: Input, failure: Failure, seed: int) -> None:
    """Writes the smallest input found that fails at the same place."""

    def fails(smaller: Input) -> bool:
        found = outcome(subject, smaller, seed)
        return isinstance(found, Failure) and found.where == failure.where

    smallest = reduced(given, fails)
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(smallest, bytes):
        file.write_bytes(smallest)
    else:
        file.write_text(smallest, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
