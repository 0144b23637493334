"""Prints how many conversions of layouts there are, and how few there could be.

`python -m tests.conversion_search [GRAPHS]` goes through the kernels of the zoo that have any, and
through random kernels (500 unless told otherwise).
"""

import sys
from collections import Counter

from tests.conversion_search import (
    Outcome,
    SearchTooLong,
    assigned_kernel,
    outcome_of,
    random_graph,
)
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS


def main() -> int:
    """Prints both tables; 1 if the search found a choice with fewer conversions."""
    graphs = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    row = "{:<28}{:>8}{:>8}{:>10}".format
    print(row("kernel", "before", "after", "fewest"))
    worse = 0
    for name in KERNELS:
        try:
            outcome = outcome_of(assigned_kernel(name))
        except SearchTooLong:
            print(row(name, "", "", "too long"))
            continue
        if outcome.before:
            fewest = "" if outcome.fewest is None else outcome.fewest
            print(row(name, outcome.before, outcome.after, fewest), flush=True)
        worse += outcome.fewest is not None and outcome.fewest < outcome.after
    counts: Counter[Outcome] = Counter()
    for seed in range(graphs):
        counts[outcome_of(tools.parse(random_graph(seed)))] += 1
    print()
    print(row("random kernels", "before", "after", "fewest"))
    for outcome, count in sorted(counts.items(), key=lambda item: str(item[0])):
        print(row(count, outcome.before, outcome.after, str(outcome.fewest)))
        if outcome.fewest is not None and outcome.fewest < outcome.after:
            worse += count
    print(f"\n{worse} kernels with more conversions than needed")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
