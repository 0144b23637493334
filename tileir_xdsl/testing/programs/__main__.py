"""Checks passes on random programs.

    python -m tileir_xdsl.testing.programs --seeds 2000 --passes PIPELINE

With `--ptx` instead of passes, compiles each program for the target that its seed draws, and checks
its PTX in the emulator. With `--coverage`, prints how many programs have instructions of each
family on every target. With `reduce` instead, makes a failing program small, and writes a test of
it (`reducing.py`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from tileir_xdsl.testing.instruction_families import FAMILIES
from tileir_xdsl.testing.programs import reducing
from tileir_xdsl.testing.programs.comparison import Disagreement, compare
from tileir_xdsl.testing.programs.coverage import reached
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE, generate
from tileir_xdsl.testing.programs.machine import compare_with_machine
from tileir_xdsl.testing.programs.scale import ASYNCHRONOUS, Scale
from tileir_xdsl.testing.programs.seeds import add_seeds
from tileir_xdsl.testing.programs.targets import NEWEST, TARGETS


def check(
    seed: int,
    *,
    size: int,
    exact: bool,
    target: str | None,
    scale: Scale | None,
    passes: str | None,
    reduce: bool,
) -> str | None:
    """Returns the failure of the passes, or of the PTX, for a seed's program; None if it passes."""
    program = generate(seed, size, exact=exact, target=target, scale=scale)
    try:
        if passes is None:
            compare_with_machine(program, reduce=reduce)
        else:
            compare(program, passes, reduce=reduce)
    except Disagreement as disagreement:
        return str(disagreement)
    return None


def print_coverage(
    seeds: Sequence[int], size: int, targets: Sequence[str], scale: Scale | None
) -> None:
    """Prints how many programs, compiled for each target, have instructions of each family."""
    for gpu in targets:
        found = reached(generate(seed, size, exact=True, target=gpu, scale=scale) for seed in seeds)
        counts = ", ".join(f"{name} in {found[name]}" for name in FAMILIES if found[name])
        print(f"{gpu}: {len(seeds)} programs, {counts or 'nothing asynchronous'}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every disagreement and their number; returns 1 if there is one."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["reduce"]:
        return reducing.main(words[1:])
    parser = argparse.ArgumentParser(
        prog="python -m tileir_xdsl.testing.programs", description=__doc__
    )
    subject = parser.add_mutually_exclusive_group(required=True)
    subject.add_argument("--passes", help="as after `xdsl-opt -p`")
    subject.add_argument("--ptx", action="store_true", help="the PTX, of exact operations")
    subject.add_argument("--coverage", action="store_true", help="the instructions of the PTX")
    add_seeds(parser, DEFAULT_SIZE, "steps")
    parser.add_argument("--exact", action="store_true", help="only bit-exact operations")
    parser.add_argument(
        "--gpu", choices=(*TARGETS, NEWEST), help="the target, by default drawn for each"
    )
    parser.add_argument(
        "--loops", action="store_true", help="programs that are a loop around asynchronous work"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(words)
    seeds = range(options.first, options.first + options.seeds)
    scale = ASYNCHRONOUS if options.loops else None
    if options.coverage:
        print_coverage(seeds, options.size, [options.gpu] if options.gpu else TARGETS, scale)
        return 0
    run = partial(
        check,
        size=options.size,
        exact=options.exact or options.ptx,
        target=options.gpu,
        scale=scale,
        passes=options.passes,
        reduce=not options.whole,
    )
    disagreements = 0
    with ExitStack() as stack:
        if options.jobs > 1:
            outcomes = stack.enter_context(multiprocessing.Pool(options.jobs)).imap(run, seeds)
        else:
            outcomes = map(run, seeds)
        for disagreement in outcomes:
            if disagreement is not None:
                disagreements += 1
                print(disagreement, flush=True)
    print(f"{len(seeds)} programs, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
