"""Checks kernels in other forms: `python -m tests.metamorphic --seeds 100`.

Of each seed a random program or a kernel of the zoo is drawn, other forms of it that mean the same,
a target and options. Its PTX is run in the emulator, with late asynchronous work and races looked
for, and compared with the program as it was, or with numpy.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tileir_xdsl.testing.programs.comparison import Disagreement

from .checking import check, draw
from .forms import FORMS


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what differs, and how often each form was taken; 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.metamorphic", description=__doc__)
    parser.add_argument("--seeds", type=int, default=50, help="how many kernels")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--whole", action="store_true", help="print programs as they are")
    options = parser.parse_args(arguments)
    taken: Counter[str] = Counter()
    failures = 0
    for seed in range(options.first, options.first + options.seeds):
        try:
            taken.update(check(seed, reduce=not options.whole).forms)
        except Disagreement as disagreement:
            failures += 1
            print(f"{draw(seed)}\n{disagreement}", flush=True)
        except Exception as error:
            failures += 1
            print(f"{draw(seed)}: {type(error).__name__}: {error}", flush=True)
    counts = ", ".join(f"{name} {taken[name]}" for name in FORMS)
    print(f"{options.seeds} kernels, {failures} differ; forms: {counts}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
