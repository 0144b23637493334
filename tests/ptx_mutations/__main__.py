"""`python -m tests.ptx_mutations --seeds 2000`: damaged kernels, and what came out of them."""

from __future__ import annotations

import argparse
import collections
import resource
import signal
import sys
import traceback
import warnings
from pathlib import Path
from random import Random
from typing import Any

from tests.ptx_mutations.execution import execute
from tests.ptx_mutations.mutate import mutate
from tests.ptx_mutations.seeds import generated_kernels, instruction_kernels, zoo_kernels

_MEMORY = 8 << 30


class OutOfTime(Exception):
    """A text took longer than the limit."""


def _stop(signum: int, frame: Any) -> None:
    raise OutOfTime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--zoo", type=int, default=0, help="so many kernels of the zoo as well")
    parser.add_argument("--seconds", type=int, default=20, help="limit for one text")
    parser.add_argument("--keep", type=Path, help="a folder for the texts that fail")
    args = parser.parse_args()
    warnings.simplefilter("error")
    signal.signal(signal.SIGALRM, _stop)
    texts = [*instruction_kernels(), *generated_kernels(), *zoo_kernels(args.zoo)]
    # What is larger fails here, not on the whole machine.
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    reported: collections.Counter[bool] = collections.Counter()
    failures = 0
    for seed in range(args.first, args.first + args.seeds):
        random = Random(seed)
        text = mutate(random.choice(texts), random)
        signal.alarm(args.seconds)
        try:
            reported[bool(execute(text, random))] += 1
        except Exception as error:
            failures += 1
            frame = traceback.extract_tb(error.__traceback__)[-1]
            places = [
                f"{Path(f.filename).name}:{f.lineno}"
                for f in traceback.extract_tb(error.__traceback__)
                if "tileir_xdsl" in f.filename
            ][-3:]
            print(
                f"seed {seed}: {type(error).__name__}: {str(error)[:100]} at {frame.name}, {places}"
            )
            if args.keep:
                args.keep.mkdir(exist_ok=True, parents=True)
                (args.keep / f"{seed}.ptx").write_text(text)
        finally:
            signal.alarm(0)
    print(
        f"{args.seeds} texts: {reported[True]} refused, {reported[False]} fine, {failures} failed"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
