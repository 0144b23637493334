"""How compile time and memory grow with the size of a module.

`python -m bench.scale [NAME ..] [--runs N] [--json FILE]` compiles modules of growing size to PTX,
each in a process of its own that has compiled a small kernel before. It prints the processor time
(the median of N runs) and the memory that the module added to that process, and the exponent of
both between a size and the one before: 1 where twice the size takes twice the time. The forms are
those of `bench.growing_modules`.
"""

from __future__ import annotations

import argparse
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from bench.compile_time import GPU, REPOSITORY
from bench.framework.results import Kind, Recorder, add_arguments
from bench.growing_modules import GROWTHS, kernels


class RefusedError(Exception):
    """A module that is not compiled; the message says why."""


def cost(source: Path, small: Path) -> tuple[float, float]:
    """Processor seconds of compiling a file, and the MB that it added to its process.

    `small` is compiled before. Raises RefusedError.
    """
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "bench" / "compile_worker.py")],
        input=f"{GPU} {small}\n{GPU} {source}\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    answers = [line.split(maxsplit=2) for line in done.stdout.splitlines()]
    if len(answers) != 2 or answers[1][0] == "refused":
        raise RefusedError((done.stdout.splitlines() or [done.stderr])[-1])
    (_, before, _), (seconds, after, _) = answers
    return float(seconds), float(after) - float(before)


def exponents(sizes: Sequence[int], costs: Sequence[float]) -> list[float | None]:
    """The growth of a cost from each size to the next, as an exponent; none for the first."""
    return [
        None,
        *(
            math.log(last / first) / math.log(large / small) if first > 0 and last > 0 else None
            for (small, large), (first, last) in zip(pairwise(sizes), pairwise(costs), strict=True)
        ),
    ]


def measure(name: str, folder: Path, runs: int, recorder: Recorder) -> None:
    """Prints and records the rows of one form."""
    growth = GROWTHS[name]
    small = folder / "small.tileirbc"
    small.write_bytes(kernels(1))
    times: list[float] = []
    memory: list[float] = []
    for size in growth.sizes:
        source = folder / f"{name}_{size}.tileirbc"
        source.write_bytes(growth.bytecode(size))
        # The large ones take long, and are the less disturbed for it.
        several = runs if not times or times[-1] < 2 else 1
        try:
            costs = [cost(source, small) for _ in range(several)]
        except RefusedError as error:
            recorder.add(f"{name} {size:,}", f"refused: {error}"[:100])
            print(f"{name:<10} {size:>9,}  refused: {error}"[:100])
            break
        times.append(statistics.median(seconds for seconds, _ in costs))
        memory.append(statistics.median(added for _, added in costs))
        powers = [exponents(growth.sizes[: len(times)], values)[-1] for values in (times, memory)]
        recorder.add(f"{name} {size:,}", [1e3 * times[-1], memory[-1], *powers])
        shown = "".join(f"{'' if power is None else f'{power:.2f}':>10}" for power in powers)
        print(
            f"{name:<10} {size:>9,} {1e3 * times[-1]:>10.1f} {memory[-1]:>8.0f}{shown}", flush=True
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(GROWTHS))
    add_arguments(parser, runs=3)
    args = parser.parse_args(arguments)
    unknown = set(args.names) - set(GROWTHS)
    if unknown:
        parser.error(f"no such forms: {', '.join(sorted(unknown))}")
    measures: dict[str, Kind] = dict.fromkeys(
        ("milliseconds", "MB", "exponent of time", "of memory"), "time"
    )
    recorder = Recorder("scale", measures)
    print(f"{'':<10} {'size':>9} {'ms':>10} {'MB':>8}{'time ^':>10}{'memory ^':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or GROWTHS:
            measure(name, Path(folder), args.runs, recorder)
    recorder.write(args.json)


if __name__ == "__main__":
    main()
