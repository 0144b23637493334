"""Compiled kernels on one core, against numpy, jax, numba and fused loops written by hand.

`python -m bench.cpu [NAME ..]` measures all rows, or those whose name has one of the words.
Everything runs on one pinned core and writes into warm memory. What is compared is measured in
turns, by processor time; the medians are printed, with their ratio to the best rival. A goal
counts as reached within 5 %. `--store` writes the figures, with the machine, to
`bench/stored/cpu.json`, and the table of docs/cpu_target.md. numba runs without `parallel`, once
with `fastmath`, whose results may differ; the best rival is taken among the others.

`--scaling` compares the time of one thread with that of a thread on each processor, by the clock,
and needs a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.cpu.rows import MEASURES, ROWS, Row, rows_of
from bench.cpu.table import write_page
from bench.framework.results import Recorder, Result
from bench.framework.timing import medians
from tileir_xdsl.runtime.cpu.workers import processors

STORED = Path(__file__).parents[1] / "stored" / "cpu.json"

ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}
"""What libraries read when they are imported."""

SHORTEST = 0.004
"""Seconds that one measurement takes at least; shorter calls are repeated."""


def measured(
    run: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> Callable[[], float]:
    """The time of one call, in milliseconds, over as many as are long enough."""
    run()
    start = clock()
    run()
    taken = max(clock() - start, 1e-7)
    count = max(1, int(SHORTEST / taken))

    def measure() -> float:
        start = clock()
        for _ in range(count):
            run()
        return (clock() - start) / count * 1e3

    return measure


def times_of(row: Row, runs: int) -> Mapping[str, float]:
    """The medians of everything that a row compares, in milliseconds."""
    return medians({name: measured(run) for name, run in row.candidates().items()}, runs)


def speed_up(row: Row, runs: int) -> float:
    """The time of one thread to that of a thread on each processor, in medians."""
    both = row.on_threads((1, processors()))
    times = medians({n: measured(run, time.perf_counter) for n, run in both.items()}, runs)
    return times["1"] / times[str(processors())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the rows; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.cpu",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", help="words of the rows, by default all")
    parser.add_argument("--runs", type=int, default=11, help="default %(default)s")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--store", action="store_true", help="write bench/stored/cpu.json")
    parser.add_argument("--scaling", action="store_true", help="all processors against one")
    options = parser.parse_args(arguments)
    if options.scaling:
        for row in rows_of(options.names):
            print(f"{row.name:<34} {speed_up(row, options.runs):.2f}", flush=True)
        return 0
    os.sched_setaffinity(0, {options.core})
    recorder = Recorder("cpu", MEASURES)
    missed = 0
    for row in rows_of(options.names):
        times = times_of(row, options.runs)
        recorder.add(row.name, [times.get(name) for name in MEASURES])
        is_reached, text = row.judged(times)
        missed += not is_reached
        print(f"{row.name:<34} {text}")
        sys.stdout.flush()
    if options.store:
        stored = Result.read(STORED) if STORED.exists() else None
        result = recorder.result
        kept = dict(stored.rows) if stored is not None and options.names else {}
        ordered = {row.name: row for row in ROWS}
        rows: dict[str, Any] = {**kept, **result.rows}
        Result(
            result.benchmark,
            f"{processor()}, {result.machine}",
            result.measures,
            {name: rows[name] for name in ordered if name in rows},
        ).write(STORED)
        write_page(Result.read(STORED))
    return 1 if missed else 0


def processor() -> str:
    """The name of the processor, as Linux has it."""
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return "unknown processor"


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_THREAD.items()):
        command = [sys.executable, "-m", "bench.cpu", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **ONE_THREAD})
    sys.exit(main())
