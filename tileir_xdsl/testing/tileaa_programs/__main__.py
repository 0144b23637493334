"""Checks passes and PTX on random programs of `nv_tileaa`.

Each program is for the target that its seed draws. Its PTX runs in the emulator; with `--levels`,
instead, the interpreter runs the module after each pass.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tileir_xdsl.testing.programs.comparison import Disagreement
from tileir_xdsl.testing.programs.seeds import add_seeds
from tileir_xdsl.testing.tileaa_programs.generator import DEFAULT_SIZE, generate
from tileir_xdsl.testing.tileaa_programs.machine import check


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every disagreement and their number; returns 1 if there is one."""
    parser = argparse.ArgumentParser(
        prog="python -m tileir_xdsl.testing.tileaa_programs", description=__doc__
    )
    parser.add_argument("--levels", action="store_true", help="pass by pass, in the interpreter")
    add_seeds(parser, DEFAULT_SIZE, "rows")
    options = parser.parse_args(arguments)
    disagreements = 0
    for seed in range(options.first, options.first + options.seeds):
        try:
            check(generate(seed, options.size), levels=options.levels, reduce=not options.whole)
        except Disagreement as disagreement:
            disagreements += 1
            print(disagreement, flush=True)
    print(f"{options.seeds} programs, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
