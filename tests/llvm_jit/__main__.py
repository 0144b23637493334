"""Random LLVM functions on the CPU and in the emulator: `python -m tests.llvm_jit --seeds 5000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.llvm_jit.comparison import disagreements, smallest

GPUS = ("sm_90", "sm_75")
BATCH = 25
"""Functions of one module."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every function on which the two disagree; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.llvm_jit", description=__doc__)
    parser.add_argument("--seeds", type=int, default=500, help="how many functions")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--gpu", choices=GPUS, default=GPUS[0], help="the target")
    options = parser.parse_args(arguments)
    found = 0
    last = options.first + options.seeds
    for first in range(options.first, last, BATCH):
        for seed in disagreements(range(first, min(first + BATCH, last)), options.gpu):
            found += 1
            print(f"; seed {seed}\n{smallest(seed, options.gpu)}", flush=True)
    print(f"{options.seeds} functions, {found} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
