"""The machine code of the reference set, next to what is stored of it.

`python -m bench.baseline [--gpu GPU ..] [--jobs N] [--store] [--json FILE] [NAME ..]` compiles
every program of `bench.reference` for five targets, prints for each its instructions, their weight
by loops (`bench.framework.machine_code`), registers, bytes of shared memory and of spills, and a
digest of the machine code, and then what differs from the stored baseline. It returns 1 if anything
is worse. `--store` writes the baseline, `--stored` only prints it.

What has been measured for the same sources is kept in `build/baseline`, so that a run that was
broken off goes on where it was. What a target refuses is stored as the message that says so.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from hashlib import blake2s
from pathlib import Path

from bench.compare import report
from bench.framework.machine_code import figures
from bench.framework.results import Kind, Result, Row, add_arguments, machine_line
from bench.reference import GPUS, programs
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.ptxas import AssemblyError, assemble
from tileir_xdsl.runtime.reader import new_context, read_text

REPOSITORY = Path(__file__).resolve().parents[1]
STORED = REPOSITORY / "bench" / "stored"
CACHE = REPOSITORY / "build" / "baseline"
MEASURES: Mapping[str, Kind] = {
    "instructions": "count",
    "weighted": "count",
    "registers": "count",
    "shared": "count",
    "spills": "count",
    "code": "identity",
}
_LONGEST_MESSAGE = 100


def measure(name: str, program: str, gpu: str, options: Options = DEFAULT_OPTIONS) -> Row:
    """The figures of a program on a target, or why it is refused there."""
    try:
        context = new_context()
        module = read_text(context, program, name)
        lowered = lower(context, module, "ptx", gpu=gpu, file=name, options=options)
    except InputError as error:
        return refusal(str(error))
    assert lowered.ptx is not None
    try:
        assembly = assemble(lowered.ptx, gpu, "-O3")
    except AssemblyError as error:
        return refusal(str(error))
    found = figures(assembly.cubin)
    shared = max(
        (dynamic_shared_memory(lowered.module, kernel) for kernel in assembly.kernels), default=0
    )
    spills = sum(k.spill_stores + k.spill_loads for k in assembly.kernels.values())
    return (
        found.instructions,
        found.weighted,
        found.registers,
        found.shared + shared,
        spills,
        found.digest,
    )


def refusal(message: str) -> str:
    """Why a program is refused, in a line without places, which move."""
    line = message.strip().splitlines()[0]
    # What follows a semicolon names the op and its place.
    shown = re.sub(r"^\S*?(:\d+:\d+)?: (error: )?", "", line).split("; ")[0]
    return f"refused: {shown[:_LONGEST_MESSAGE]}"


@cache
def sources_digest() -> str:
    """A digest of all that decides what is measured, but for the programs."""
    digest = blake2s(machine_line().encode(), digest_size=6)
    for path in sorted((REPOSITORY / "tileir_xdsl").rglob("*.py")):
        digest.update(path.read_bytes())
    for path in (Path(__file__), REPOSITORY / "bench" / "framework" / "machine_code.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class Cache:
    """Rows that have been measured with the same sources, in a file that grows row by row."""

    def __init__(self, folder: Path, digest: str) -> None:
        self.path = folder / f"{digest}.jsonl"
        self.rows: dict[str, Row] = {}
        for line in self.path.read_text("utf-8").splitlines() if self.path.exists() else ():
            key, row = json.loads(line)
            self.rows[key] = row if isinstance(row, str) else tuple(row)

    @staticmethod
    def key(gpu: str, program: str) -> str:
        return f"{gpu} {blake2s(program.encode(), digest_size=8).hexdigest()}"

    def add(self, key: str, row: Row) -> None:
        self.rows[key] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, row]) + "\n")


def measure_all(
    chosen: Sequence[tuple[str, str]], gpu: str, cache: Cache, jobs: int
) -> dict[str, Row]:
    """The rows of programs on a target, in their order; known ones are not measured again."""
    missing = {name: text for name, text in chosen if Cache.key(gpu, text) not in cache.rows}
    with ProcessPoolExecutor(jobs) as pool:
        started = {
            pool.submit(measure, name, text, gpu): Cache.key(gpu, text)
            for name, text in missing.items()
        }
        for done in as_completed(started):
            cache.add(started[done], done.result())
    return {name: cache.rows[Cache.key(gpu, text)] for name, text in chosen}


def table(gpu: str, rows: Mapping[str, Row]) -> Iterator[str]:
    """A line for each row."""
    widths = [max(len(measure), 8) + 2 for measure in MEASURES]
    titles = zip(MEASURES, widths, strict=True)
    yield f"{gpu:<34}" + "".join(f"{title:>{width}}" for title, width in titles)
    for name, row in rows.items():
        if isinstance(row, str):
            yield f"{name:<34}  {row}"
        else:
            values = zip(row, widths, strict=True)
            yield f"{name:<34}" + "".join(
                f"{value!s:>{width + 6 * (i == 5)}}" for i, (value, width) in enumerate(values)
            )


def stored_path(gpu: str) -> Path:
    return STORED / f"{gpu}.json"


def _select(names: Iterable[str], known: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    wanted = set(names)
    unknown = wanted - {name for name, _ in known}
    if unknown:
        sys.exit(f"error: no program of the reference set: {', '.join(sorted(unknown))}")
    return [(name, text) for name, text in known if not wanted or name in wanted]


def _against_stored(result: Result, gpu: str) -> int:
    """Compares with the rows of the baseline that were measured now."""
    path = stored_path(gpu)
    if not path.exists():
        print(f"{gpu}: nothing is stored")
        return 0
    stored = Result.read(path)
    rows = {name: row for name, row in stored.rows.items() if name in result.rows}
    before = Result(stored.benchmark, stored.machine, stored.measures, rows)
    print(f"{gpu}, now next to the stored baseline:")
    return report(before, result)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints, compares and stores."""
    parser = argparse.ArgumentParser(description="The machine code of the reference set.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, default: all")
    parser.add_argument("--gpu", action="append", choices=GPUS, help="default: all five")
    parser.add_argument("--jobs", type=int, default=2, help="processes, default %(default)s")
    parser.add_argument("--store", action="store_true", help="write the baseline")
    parser.add_argument("--stored", action="store_true", help="print the baseline, measure nothing")
    parser.add_argument("--quiet", action="store_true", help="print differences alone")
    add_arguments(parser)
    args = parser.parse_args(arguments)
    if args.store and args.names:
        parser.error("a baseline is stored of all programs")
    gpus: Sequence[str] = args.gpu or GPUS
    if args.stored:
        for gpu in gpus:
            print("\n".join(table(gpu, Result.read(stored_path(gpu)).rows)))
        return 0
    chosen, cache, status = _select(args.names, list(programs())), Cache(CACHE, sources_digest()), 0
    everything: dict[str, Row] = {}
    for gpu in gpus:
        rows = measure_all(chosen, gpu, cache, args.jobs)
        everything |= {f"{gpu} {name}": row for name, row in rows.items()}
        result = Result(f"baseline {gpu}", machine_line(), MEASURES, rows)
        if not args.quiet:
            print("\n".join(table(gpu, rows)))
        status |= _against_stored(result, gpu)
        if args.store:
            result.write(stored_path(gpu))
    if args.json:
        Result("baseline", machine_line(), MEASURES, everything).write(args.json)
    return status


if __name__ == "__main__":
    sys.exit(main())
