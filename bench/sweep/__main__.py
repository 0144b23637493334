"""A seeded pairwise sample of kernels for every target: ours next to `tileiras -O3`.

    python -m bench.sweep                                  # 300 points of each target
    python -m bench.sweep --target sm_80 --points 40
    python -m bench.sweep --target sm_80 --point 'row op=sum width=64 rows=1 type=f32 partial=0'
    python -m bench.sweep --kind row --kind scan           # those of two kinds
    python -m bench.sweep --emulate                        # a tenth runs in the emulator, too
    python -m bench.sweep --slice                          # two minutes, for CI
    python -m bench.sweep --report                         # what is known, nothing measured
    python -m bench.sweep --points 60 --store-hardest      # keeps the 40 hardest of each target
    python -m bench.sweep --hardest                        # those that are kept

What has been measured with the same sources is kept in build/sweep, so that a run that was broken
off goes on where it was. Returns 1 where we do not compile what `tileiras` compiles, or compute
something wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice

from bench.reference import GPUS
from bench.sweep import report
from bench.sweep.measuring import our_row, their_row
from bench.sweep.plan import KINDS, SEED, Point, point_of, sample
from bench.sweep.report import Result
from bench.sweep.store import (
    FOLDER,
    Row,
    Store,
    compiler_digest,
    generators_digest,
    read_hardest,
    their_version,
    write_hardest,
)

POINTS = 300
STORED = 40
"""The hardest points of a target that are kept: for `make soak`, the first five for `make test`."""
QUICK = 2500
"""Instructions of points that are quick enough for `make test`: they are stored first."""
SLICE_SECONDS = 110
SLICE_POINTS = 8


class Sweep:
    """What is known, and what is measured where it is not."""

    def __init__(
        self, jobs: int, *, emulate: bool = False, run_all: bool = False, alone: bool = False
    ) -> None:
        """With `alone`, `tileiras` compiles only what we do not; with `run_all`, all is run."""
        compiler = compiler_digest()
        self.ours = Store(FOLDER / f"ours-{compiler}.jsonl")
        self.theirs = Store(FOLDER / f"tileiras-{their_version()}-{generators_digest()}.jsonl")
        self.jobs, self.emulate, self.run_all, self.alone = jobs, emulate, run_all, alone

    def is_run(self, point: Point) -> bool:
        """Whether a point runs in the emulator."""
        return self.run_all or (self.emulate and point.is_emulated)

    def known(self, gpu: str, point: Point) -> Result | None:
        """The result of a point, if all of it is known."""
        key = f"{gpu} {point.name}"
        ours, theirs = self.ours.rows.get(key), self.theirs.rows.get(key)
        if ours is None or not self.is_complete(point, ours):
            return None
        if theirs is None and not (self.alone and "instructions" in ours):
            return None
        return Result(gpu, point, ours, theirs or {})

    def is_complete(self, point: Point, ours: Row) -> bool:
        """Whether a row of ours has all that this run measures."""
        return not self.is_run(point) or "instructions" not in ours or "values" in ours

    def add(self, gpu: str, point: Point, rows: tuple[Row, Row]) -> Result:
        key = f"{gpu} {point.name}"
        if self.ours.rows.get(key) != rows[0]:
            self.ours.add(key, rows[0])
        if rows[1] and key not in self.theirs.rows:
            self.theirs.add(key, rows[1])
        return Result(gpu, point, rows[0], rows[1])

    def measure(
        self, wanted: Iterable[tuple[str, Point]], seconds: float | None = None
    ) -> Iterator[Result]:
        """The results of points as they come, until the time is over."""
        deadline = None if seconds is None else time.monotonic() + seconds
        todo = iter([(g, p) for g, p in wanted if self.known(g, p) is None])
        with ProcessPoolExecutor(self.jobs) as pool:

            def start(gpu: str, point: Point) -> Future[tuple[Row, Row]]:
                key = f"{gpu} {point.name}"
                ours, theirs = self.ours.rows.get(key), self.theirs.rows.get(key)
                if ours is not None and not self.is_complete(point, ours):
                    ours = None
                known = ours, theirs
                return pool.submit(measure, point, gpu, known, self.is_run(point), self.alone)

            running = {start(*item): item for item in islice(todo, self.jobs)}
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    gpu, point = running.pop(future)
                    yield self.add(gpu, point, future.result())
                    if deadline is None or time.monotonic() < deadline:
                        running |= {start(*item): item for item in islice(todo, 1)}


def measure(
    point: Point, gpu: str, known: tuple[Row | None, Row | None], run_it: bool, alone: bool
) -> tuple[Row, Row]:
    """Rows of ours and of `tileiras`, those that are not known; the latter if anybody asks."""
    ours, theirs = known
    generated = point.generate()
    program = generated.text()
    if ours is None:
        ours = our_row(generated, program, gpu, run_it=run_it)
    if theirs is None:
        theirs = {} if alone and "instructions" in ours else their_row(program, gpu)
    return ours, theirs


def line(result: Result) -> str:
    """What a run prints of a result."""
    if result.is_compiled:
        ours = "{instructions} instructions, {registers} registers, {shared} bytes".format_map(
            dict(result.ours)
        )
        ours += f", {result.ours['spilled']} spilled" if result.ours["spilled"] else ""
    else:
        ours = str(result.failure)
    if result.is_compiled and result.failure:
        ours += f"; {result.failure}"
    if not result.theirs:
        return f"{result.gpu} {result.point.name}: {ours}"
    ratio = result.ratio()
    theirs = f"ratio {ratio:.2f}" if ratio is not None else "tileiras: " + ", ".join(
        str(result.theirs[key]) for key in ("refused", "crashed", "instructions")
        if key in result.theirs
    )  # fmt: skip
    return f"{result.gpu} {result.point.name}: {ours}; {theirs}"


def by_target(sweep: Sweep, wanted: Sequence[tuple[str, Point]]) -> Mapping[str, list[Result]]:
    """What is known of the wanted points."""
    found: dict[str, list[Result]] = {}
    for gpu, point in wanted:
        if (result := sweep.known(gpu, point)) is not None:
            found.setdefault(gpu, []).append(result)
    return found


def print_report(found: Mapping[str, Sequence[Result]]) -> None:
    """All tables."""
    sections = (report.table, report.by_kind, report.registers, report.failures)
    for section in sections:
        print("\n".join(section(found)), end="\n\n")
    for gpu, results in found.items():
        print(f"hardest on {gpu}:")
        for result in report.hardest(results):
            print(f"    {line(result)}")


def store_hardest(found: Mapping[str, Sequence[Result]]) -> None:
    """Keeps the hardest of what is known, with the bytes that each spills, for targets with any."""
    hardest: dict[str, list[tuple[str, int]]] = {}
    for gpu, results in found.items():
        chosen = report.hardest(results, STORED)
        chosen.sort(key=lambda result: result.ours["instructions"] > QUICK)
        hardest[gpu] = [(r.point.name, int(r.ours["spilled"])) for r in chosen]
    write_hardest(read_hardest() | hardest)


def sliced(targets: Sequence[str], points: int, seed: int) -> list[tuple[str, Point]]:
    """A few points of every target, other ones of each, targets in turns."""
    samples = [sample(gpu, points * len(targets), seed) for gpu in targets]
    return [
        (gpu, samples[number][place * len(targets) + number])
        for place in range(points)
        for number, gpu in enumerate(targets)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is not known, and prints it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--target", action="append", choices=GPUS, help="default: all five")
    parser.add_argument("--points", type=int, default=POINTS, help="default %(default)s")
    parser.add_argument("--point", action="append", help="a point by its name")
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: all kinds")
    parser.add_argument("--seed", type=int, default=SEED, help="default %(default)s")
    parser.add_argument("--jobs", type=int, default=2, help="processes, default %(default)s")
    parser.add_argument("--emulate", action="store_true", help="run a tenth, or all named points")
    parser.add_argument(
        "--slice",
        action="store_true",
        help="two minutes, all run, for CI",
    )
    parser.add_argument("--alone", action="store_true", help="`tileiras` for our failures only")
    parser.add_argument("--hardest", action="store_true", help="the points that are stored as such")
    parser.add_argument("--store-hardest", action="store_true", help="store them anew")
    parser.add_argument("--report", action="store_true", help="print what is known")
    options = parser.parse_args(arguments)
    targets: Sequence[str] = options.target or GPUS
    sweep = Sweep(
        options.jobs,
        emulate=options.emulate,
        run_all=options.slice or bool(options.point and options.emulate),
        alone=options.slice or options.alone,
    )
    try:
        named = [point_of(name) for name in options.point or ()]
    except ValueError as error:
        parser.error(str(error))
    if named:
        wanted = [(gpu, point) for gpu in targets for point in named]
    elif options.hardest:
        stored = read_hardest()
        wanted = [(gpu, point_of(name)) for gpu in targets for name, _ in stored[gpu]]
    elif options.slice:
        wanted = sliced(targets, SLICE_POINTS, options.seed)
    else:
        wanted = [(g, p) for g in targets for p in sample(g, options.points, options.seed)]
    if options.kind:
        wanted = [(gpu, point) for gpu, point in wanted if point.kind in options.kind]
    if not options.report:
        for result in sweep.measure(wanted, SLICE_SECONDS if options.slice else None):
            print(line(result), flush=True)
    found = by_target(sweep, wanted)
    if not options.slice:
        print_report(found)
    if options.store_hardest:
        store_hardest(found)
    bad = [r for results in found.values() for r in results if r.is_owed or _is_wrong(r)]
    if options.slice:
        print(f"{sum(map(len, found.values()))} points, {len(bad)} of them bad")
        print("\n".join(map(line, bad)))
    return 1 if bad else 0


def _is_wrong(result: Result) -> bool:
    return result.is_compiled and result.failure is not None


if __name__ == "__main__":
    sys.exit(main())
