"""Checks passes on random programs of `nv_tileas`.

With `--ptx` instead of passes, compiles programs to PTX, and checks the PTX in the emulator. Each
program's seed draws its target.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tileir_xdsl.testing.programs.comparison import Disagreement
from tileir_xdsl.testing.programs.seeds import add_seeds
from tileir_xdsl.testing.tileas_programs.comparison import compare
from tileir_xdsl.testing.tileas_programs.generator import DEFAULT_SIZE, generate
from tileir_xdsl.testing.tileas_programs.machine import compare_with_machine, generate_for_machine
from tileir_xdsl.testing.tileas_programs.passes import FAMILY


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every disagreement and their number; returns 1 if there is one."""
    parser = argparse.ArgumentParser(
        prog="python -m tileir_xdsl.testing.tileas_programs", description=__doc__
    )
    subject = parser.add_mutually_exclusive_group()
    subject.add_argument("--ptx", action="store_true", help="the PTX")
    subject.add_argument(
        "--passes",
        action="append",
        help="as after `xdsl-opt -p`; each is checked alone. Without it, each pass of the family, "
        "and all of them in order",
    )
    add_seeds(parser, DEFAULT_SIZE, "rows")
    options = parser.parse_args(arguments)
    seeds = range(options.first, options.first + options.seeds)
    if options.ptx:
        return check_ptx(seeds, options.size, reduce=not options.whole)
    pipelines = [[name] for name in options.passes or FAMILY]
    if not options.passes:
        pipelines.append(list(FAMILY))
    ran: Counter[str] = Counter()
    disagreements = 0
    for seed in seeds:
        program = generate(seed, options.size)
        for pipeline in pipelines:
            try:
                count = compare(program, pipeline, reduce=not options.whole)
                ran[",".join(pipeline)] += count == len(pipeline)
            except Disagreement as disagreement:
                disagreements += 1
                print(disagreement, flush=True)
    for pipeline in map(",".join, pipelines):
        print(f"{pipeline}: took {ran[pipeline]} of {len(seeds)} programs")
    print(f"{len(seeds)} programs, {disagreements} disagreements")
    return 1 if disagreements else 0


def check_ptx(seeds: Sequence[int], size: int, *, reduce: bool) -> int:
    """Prints every disagreement of PTX with its program, and the number of refused programs by
    reason.
    """
    refused: Counter[str] = Counter()
    disagreements = 0
    for seed in seeds:
        try:
            if reason := compare_with_machine(generate_for_machine(seed, size), reduce=reduce):
                refused[reason] += 1
        except Disagreement as disagreement:
            disagreements += 1
            print(disagreement, flush=True)
    for reason, count in refused.most_common():
        print(f"{count} refused: {reason}")
    print(f"{len(seeds)} programs, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
