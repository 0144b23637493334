"""Compares code of this processor with the interpreter: `python -m tests.cpu_programs`.

Programs run in a process of their own, so that one that ends it is found, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from tests.cpu_programs.comparison import PROCESSORS, Result, check


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, get_context("spawn"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every program whose code computes something else; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.cpu_programs", description=__doc__)
    parser.add_argument("--seeds", type=int, default=500, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--gpu", choices=PROCESSORS, help="the target; by default they take turns")
    options = parser.parse_args(arguments)
    covered = found = 0
    pool = _pool()
    for seed in range(options.first, options.first + options.seeds):
        processor = options.gpu or PROCESSORS[seed % len(PROCESSORS)]
        try:
            result = pool.submit(check, seed, processor).result()
        except BrokenProcessPool:
            pool = _pool()
            result = Result(True, "the process has ended")
        covered += result.covered
        if result.failure is not None:
            found += 1
            print(f"seed {seed}, {processor}: {result.failure}", flush=True)
    pool.shutdown()
    print(f"{options.seeds} programs, {covered} covered, {found} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
