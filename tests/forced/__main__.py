"""`python -m tests.forced --seeds 100`: kernels with random choices in place of those of the passes."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence

from tileir_xdsl.diagnostics import ResourceExceededError

from .drawing import check, draw


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every seed whose kernel computes something else, or fails; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.forced", description=__doc__)
    parser.add_argument("--seeds", type=int, default=50, help="how many kernels")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    options = parser.parse_args(arguments)
    choices, exceeded, failures = 0, 0, 0
    refused = Counter[str]()
    for seed in range(options.first, options.first + options.seeds):
        try:
            forcing = check(seed)
        except ResourceExceededError:
            # Without `force`, such a kernel is compiled with other choices.
            exceeded += 1
            continue
        except Exception as error:
            failures += 1
            said = str(error).partition("\n")[0][:300]
            print(f"seed {seed}: {draw(seed)}: {type(error).__name__}: {said}", flush=True)
            continue
        choices += len(forcing.forced)
        refused.update(map(_kind, forcing.refused))
    for problem, count in refused.most_common():
        print(f"{count} refused: {problem}")
    print(
        f"{options.seeds} kernels, {choices} forced choices, {refused.total()} refused, "
        f"{exceeded} kernels exceed a resource, {failures} failures"
    )
    return 1 if failures else 0


def _kind(problem: str) -> str:
    """A refusal without the numbers of ops, and what would be taken instead."""
    return re.sub(r"#[0-9]+", "#N", re.split(r"[;,] expected one of", problem)[0])


if __name__ == "__main__":
    sys.exit(main())
