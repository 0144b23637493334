"""Compares code of this processor with the interpreter: `python -m tests.cpu_programs`.

With `--zoo` it runs the kernels of the zoo and their twins in place of random programs. All run in a
process of their own, so that one that ends it is found, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from tests.cpu_programs.comparison import PROCESSORS, Result, check
from tests.cpu_programs.kernels import INPUTS, TABLES, check_kernel


class Process:
    """Runs checks in another process, and in a new one where that ends."""

    def __init__(self) -> None:
        self._pool = _pool()

    def run(self, check: Callable[..., Result], *arguments: object) -> Result:
        """The result of a check."""
        try:
            return self._pool.submit(check, *arguments).result()
        except BrokenProcessPool:
            self._pool = _pool()
            return Result(True, "the process has ended")

    def close(self) -> None:
        """Ends it."""
        self._pool.shutdown()


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every program whose code computes something else; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.cpu_programs", description=__doc__)
    parser.add_argument("--seeds", type=int, default=500, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--zoo", action="store_true", help=f"kernels, on {INPUTS} inputs each")
    parser.add_argument("--gpu", choices=PROCESSORS, help="the target; by default they take turns")
    options = parser.parse_args(arguments)
    if options.zoo:
        subjects = [(table, name) for table, cases in TABLES.items() for name in cases]
        kind, run = "kernels", check_kernel
    else:
        subjects = [(seed,) for seed in range(options.first, options.first + options.seeds)]
        kind, run = "programs", check
    covered = found = 0
    process = Process()
    for number, subject in enumerate(subjects, options.first):
        processor = options.gpu or PROCESSORS[number % len(PROCESSORS)]
        result = process.run(run, *subject, processor)
        covered += result.covered
        if result.failure is not None:
            found += 1
            print(
                f"{kind} {' '.join(map(str, subject))}, {processor}: {result.failure}", flush=True
            )
    process.close()
    print(f"{len(subjects)} {kind}, {covered} covered, {found} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
