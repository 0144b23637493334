"""Random instructions, for `ptxas` and the emulator: `python -m tests.ptx_grammar --seeds 5000`."""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Sequence

from tests.ptx_grammar.comparison import disagreements
from tests.ptx_grammar.generator import PLAIN, names_of_families
from tests.ptx_grammar.known import known

BATCH = 1000
"""Instructions of one module."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints instructions on which the two disagree for no known reason; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.ptx_grammar", description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000, help="how many instructions")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument(
        "--family",
        choices=(*names_of_families(), "all"),
        default=PLAIN,
        help="of which instructions",
    )
    options = parser.parse_args(arguments)
    families = names_of_families() if options.family == "all" else (options.family,)
    reasons: collections.Counter[str] = collections.Counter()
    unexplained = 0
    last = options.first + options.seeds
    batches = [
        (family, range(first, min(first + BATCH, last)))
        for family in families
        for first in range(options.first, last, BATCH)
    ]
    for family, seeds in batches:
        for found in disagreements(seeds, family):
            row = known(found.refused_by, found.instruction, found.message)
            if row is None:
                unexplained += 1
                print(
                    f"{family}, seed {found.seed}: {found.instruction}\n"
                    f"  {found.refused_by}: {found.message}"
                )
            else:
                reasons[row.reason] += 1
    for reason, count in reasons.most_common():
        print(f"{count:6}  {reason}")
    print(
        f"{options.seeds * len(families)} instructions, {unexplained} disagreements without a known reason"
    )
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
