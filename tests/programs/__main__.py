"""Checks passes on random programs: `python -m tests.programs --seeds 2000 --passes PIPELINE`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from tests.programs.comparison import Disagreement, compare
from tests.programs.generator import DEFAULT_SIZE, generate


def check(seed: int, *, size: int, exact: bool, passes: str, reduce: bool) -> str | None:
    """What is wrong with the passes for the program of a seed."""
    try:
        compare(generate(seed, size, exact=exact), passes, reduce=reduce)
    except Disagreement as disagreement:
        return str(disagreement)
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every disagreement, and how many there are; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.add_argument("--passes", required=True, help="as after `xdsl-opt -p`")
    parser.add_argument("--seeds", type=int, default=200, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--size", type=int, default=DEFAULT_SIZE, help="steps of each")
    parser.add_argument("--exact", action="store_true", help="only bit-exact operations")
    parser.add_argument("--whole", action="store_true", help="print programs as they are")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(arguments)
    seeds = range(options.first, options.first + options.seeds)
    run = partial(
        check,
        size=options.size,
        exact=options.exact,
        passes=options.passes,
        reduce=not options.whole,
    )
    disagreements = 0
    with ExitStack() as stack:
        if options.jobs > 1:
            messages = stack.enter_context(multiprocessing.Pool(options.jobs)).imap(run, seeds)
        else:
            messages = map(run, seeds)
        for message in filter(None, messages):
            disagreements += 1
            print(message, flush=True)
    print(f"{len(seeds)} programs, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
