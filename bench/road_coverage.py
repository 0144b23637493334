"""Which rows of the seeds the road makes or fires, and on which kernel first.

`python -m bench.road_coverage [--gpu GPU ..] [--seconds S] [--jobs N] [--store | --add NAME ..]`
compiles the reference set and a slice of the sweep to PTX, watching every pass to the end of
`nv_tileas`: the ops, types and attributes that stand after it, the rewrite patterns that changed
something, the passes that did, the builders that were called. It prints for each row of
`bench.road_rows` how many compilations have it and the first one, or `never`; one that has no PTX
does not count, and a program that is written for rows is named where no other one has the row.
`--store` also compiles with the options that bring further rows, measures what these cost, and
writes `bench/stored/road_coverage.json`, from which `python -m docs.road_coverage` writes the page.

`--add` compiles the named programs alone, which are new in the reference set, and adds them to what
is stored: where other kernels are compiled as before, that is what `--store` would write.

Each program is read once and compiled for all its targets, in `--jobs` processes. Compilations are
kept in `build/road_coverage`, so that a run that was broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field
from hashlib import blake2s
from pathlib import Path
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import Parser
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from bench import baseline
from bench.baseline import sources_digest
from bench.reference import GPUS, programs
from bench.road_rows import Row, builders, pattern_classes, road_rows
from bench.sweep.plan import point_of, sample
from tileir_xdsl.builders.pipelines import PIPELINE_BUILDERS
from tileir_xdsl.dialects.cuda_tile.floating_point_functions import FPowFOp
from tileir_xdsl.dialects.nv_tileas.pipeline_enumeration import PipelineOp
from tileir_xdsl.options import DEFAULT_OPTIONS, Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.runtime.reader import new_context, read_text

REPOSITORY = Path(__file__).resolve().parents[1]
STORED = REPOSITORY / "bench" / "stored" / "road_coverage.json"
CACHE = REPOSITORY / "build" / "road_coverage"
SWEEP_POINTS = 8
"""Points of the sweep for each target."""
SWEEP = "sweep/"
WRITTEN = "written/"
"""The programs of `testing/kernels/written`, with ops and shapes that no other program has."""
LAST = "convert-tileas-to-llvm"
"""The pass after which no row is left to see."""


@dataclass
class Seen:
    """What one compilation has made and fired, by the keys of rows."""

    keys: set[str] = field(default_factory=set[str])
    digest: int = 0
    is_watching: bool = True

    def look(self, module: ModuleOp) -> None:
        """Notes the ops of a module, their types and their attributes."""
        for op in module.walk():
            self.keys.add(f"op {op.name}")
            for key in (*op.properties, *op.attributes):
                self.keys.add(f"attribute {op.name} {key}")
            for value in _defined(op):
                self._note_type(value.type)

    def _note_type(self, type: Attribute) -> None:
        self.keys.add(f"type {type.name}")
        for parameter in getattr(type, "parameters", ()):
            self.keys.add(f"type {parameter.name}")

    def after(self, module_pass: ModulePass, module: ModuleOp) -> None:
        """Looks at a module after a pass, which counts if it changed anything."""
        self.is_watching &= module_pass.name != LAST
        if not self.is_watching:
            return
        digest = module_digest(module)
        if digest != self.digest:
            self.keys.add(f"pass {module_pass.name}")
            self.digest = digest
            self.look(module)


def _defined(op: Operation) -> Iterator[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
    yield from op.results


def module_digest(module: ModuleOp) -> int:
    """A number that changes with the module: ops, their operands, types and attributes."""
    numbers: dict[SSAValue, int] = {}
    blocks: dict[Block, int] = {}
    digest = 0
    for op in module.walk():
        for value in _defined(op):
            numbers[value] = len(numbers)
        parent = op.parent
        place = -1 if parent is None else blocks.setdefault(parent, len(blocks))
        operands = tuple(numbers.get(operand, -1) for operand in op.operands)
        described = (*op.properties.items(), *op.attributes.items())
        digest = hash((digest, op.name, place, operands, op.result_types, described))
    return digest


@contextmanager
def watching(seen: Seen) -> Generator[None]:
    """Notes, while it is open, which patterns change anything and which builders are called."""
    undo: list[Callable[[], None]] = []
    try:
        _watch_spelling(FPowFOp, seen, undo)
        for cls in pattern_classes():
            _watch_pattern(cls, seen, undo)
        for name, function in builders().items():
            _watch_builder(name, function, seen, undo)
        yield
    finally:
        for step in reversed(undo):
            step()


def _watch_spelling(cls: type[FPowFOp], seen: Seen, undo: list[Callable[[], None]]) -> None:
    """Notes an op that is read as another one, which alone is in the module."""
    original = cls.__dict__["parse"]

    def watched(cls: type[FPowFOp], parser: Parser) -> Operation:
        seen.keys.add(f"op {cls.name}")
        return original.__func__(cls, parser)

    cls.parse = classmethod(watched)  # pyright: ignore[reportAttributeAccessIssue]
    undo.append(lambda: setattr(cls, "parse", original))


def _watch_pattern(cls: type[RewritePattern], seen: Seen, undo: list[Callable[[], None]]) -> None:
    original = cls.__dict__.get("match_and_rewrite")
    if original is None:
        return

    @functools.wraps(original)
    def watched(self: object, op: Operation, rewriter: PatternRewriter) -> None:
        before, rewriter.has_done_action = rewriter.has_done_action, False
        original(self, op, rewriter)
        if rewriter.has_done_action:
            seen.keys.add(f"pattern {type(self).__name__}")
        rewriter.has_done_action |= before

    cls.match_and_rewrite = watched
    undo.append(lambda: setattr(cls, "match_and_rewrite", original))


def _watch_builder(
    name: str, function: Callable[..., Any], seen: Seen, undo: list[Callable[[], None]]
) -> None:
    @functools.wraps(function)
    def watched(*args: Any, **options: Any) -> Any:
        seen.keys.add(f"builder {name}")
        return function(*args, **options)

    for module in [m for n, m in list(sys.modules.items()) if n.startswith("tileir_xdsl.")]:
        if vars(module).get(name) is function:
            setattr(module, name, watched)
            undo.append(functools.partial(setattr, module, name, function))
    for number, build in PIPELINE_BUILDERS.items():
        if build is function:
            table = cast("dict[PipelineOp, Callable[..., Any]]", PIPELINE_BUILDERS)
            table[number] = watched
            undo.append(functools.partial(table.__setitem__, number, function))
            break


def observe(
    name: str,
    program: str,
    gpus: Sequence[str],
    rows: Sequence[Row],
    options: Options = DEFAULT_OPTIONS,
) -> list[list[str]]:
    """The keys of rows that a program has on each target; none where it has no PTX.

    The program is read once, and each target gets a copy of it.
    """
    seen, context = Seen(), new_context()
    with watching(seen):
        try:
            module = read_text(context, program, name)
        except InputError:
            return [[] for _ in gpus]
        seen.look(module)
        read, digest = frozenset(seen.keys), module_digest(module)
        found: list[list[str]] = []
        for gpu in gpus:
            seen.keys, seen.digest, seen.is_watching = set(read), digest, True
            try:
                copy = module.clone()
                lower(
                    context,
                    copy,
                    "ptx",
                    gpu=gpu,
                    file=name,
                    options=options,
                    observe=seen.after,
                )
            except InputError:
                found.append([])
            else:
                found.append([row.key for row in rows if row.matches(seen.keys)])
    return found


def compilations(gpus: Sequence[str]) -> dict[str, list[str]]:
    """The names of programs, each with the targets that it is compiled for."""
    named = {name: list(gpus) for name, _ in programs()}
    for gpu in gpus:
        for point in sample(gpu, SWEEP_POINTS):
            named.setdefault(SWEEP + point.name, []).append(gpu)
    return named


@functools.cache
def texts() -> Mapping[str, str]:
    """The reference set by name."""
    return dict(programs())


def text_of(name: str) -> str:
    """The Tile IR of a compilation."""
    if name.startswith(SWEEP):
        return point_of(name.removeprefix(SWEEP)).generate().text()
    return texts()[name]


def observe_named(name: str, gpus: Sequence[str]) -> list[list[str]]:
    """What `observe` finds of a program by its name."""
    return observe(name, text_of(name), gpus, road_rows())


def measure(gpus: Sequence[str], seconds: float | None, jobs: int) -> dict[str, list[str]]:
    """What each compilation has, by `GPU NAME`, as far as the time goes."""
    listed = blake2s(" ".join(row.key for row in road_rows()).encode(), digest_size=4).hexdigest()
    path = CACHE / f"{sources_digest()}-{listed}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    stored: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        key, keys = json.loads(line)
        stored[key] = keys
    deadline = None if seconds is None else time.monotonic() + seconds
    found: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for name, wanted in compilations(gpus).items():
        digest = blake2s(text_of(name).encode(), digest_size=8).hexdigest()
        for gpu in wanted:
            if (known := stored.get(f"{gpu} {digest}")) is None:
                missing.setdefault(name, []).append(gpu)
            else:
                found[f"{gpu} {name}"] = known
    with ProcessPoolExecutor(jobs) as pool, path.open("a", encoding="utf-8") as file:
        started = {pool.submit(observe_named, *work): work for work in missing.items()}
        for done in as_completed(started):
            if done.cancelled():
                continue
            name, chosen = started[done]
            digest = blake2s(text_of(name).encode(), digest_size=8).hexdigest()
            for gpu, keys in zip(chosen, done.result(), strict=True):
                found[f"{gpu} {name}"] = keys
                file.write(json.dumps([f"{gpu} {digest}", keys]) + "\n")
            file.flush()
            if deadline is not None and time.monotonic() > deadline:
                pool.shutdown(wait=False, cancel_futures=True)
    return found


def is_written(compilation: str) -> bool:
    """Whether the program of a compilation, `GPU NAME`, is written for the rows that it has."""
    return compilation.partition(" ")[2].startswith(WRITTEN)


def _place(compilation: str) -> tuple[bool, int, str]:
    """Programs that are not written for rows come first, then those with shorter names."""
    return is_written(compilation), len(compilation), compilation


def summary(found: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, str]]:
    """For each row how many compilations have it, and the first by `_place`."""
    totals: dict[str, tuple[int, str]] = {}
    for compilation in sorted(found, key=_place):
        for key in found[compilation]:
            count, first = totals.get(key, (0, compilation))
            totals[key] = (count + 1, first)
    return totals


@dataclass(frozen=True)
class RoadOption:
    """What a user may ask for, and the compilation that tells what it brings and costs."""

    name: str
    """As on the command line."""
    options: Options
    program: str
    gpu: str


OPTIONS = (
    RoadOption(
        "--dynamic-persistent", Options(dynamic_persistent=True), "variants/half", "sm_100a"
    ),
)

PricedOption = tuple[str, str, list[int], list[int]]
"""An option, `GPU NAME`, and `PRICED` of that compilation without and with the option."""
PRICED = ("instructions", "weighted", "registers", "shared")
"""The measures that a price is told in."""


def priced(option: RoadOption) -> tuple[PricedOption, list[str]]:
    """The price of an option, and the rows of the compilation that has it.

    Raises ValueError where the target refuses the program.
    """
    program = text_of(option.program)
    figures: list[list[int]] = []
    for options in (DEFAULT_OPTIONS, option.options):
        row = baseline.measure(option.program, program, option.gpu, options)
        if isinstance(row, str):
            raise ValueError(f"{option.program}, {option.gpu}: {row}")
        named = dict(zip(baseline.MEASURES, row, strict=True))
        figures.append([int(named[measure] or 0) for measure in PRICED])
    (keys,) = observe(option.program, program, [option.gpu], road_rows(), option.options)
    return (option.name, f"{option.gpu} {option.program}", figures[0], figures[1]), keys


def rows_of_options(fired: Container[str]) -> dict[str, PricedOption]:
    """The rows that no compilation has but those with an option, with the price of that."""
    found: dict[str, PricedOption] = {}
    for option in OPTIONS:
        price, keys = priced(option)
        for key in keys:
            if key not in fired:
                found.setdefault(key, price)
    return found


StoredRow = tuple[str, str, str, int, str]
"""Section, kind and name of a row, how many compilations have it, and the first one."""


def store(
    compilations: Mapping[str, int],
    rows: Sequence[StoredRow],
    options: Mapping[str, PricedOption],
) -> None:
    """Writes what the page is made from: the compilations of each target, rows, and options."""
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    STORED.write_text(
        f'{{"compilations": {json.dumps(compilations)},\n'
        f' "options": {json.dumps(options)},\n "rows": [\n{lines}\n ]}}\n',
        "utf-8",
    )


def stored() -> tuple[dict[str, int], list[StoredRow]]:
    """What `store` has written."""
    data = json.loads(STORED.read_text("utf-8"))
    return data["compilations"], [(s, k, n, count, first) for s, k, n, count, first in data["rows"]]


def stored_options() -> dict[str, PricedOption]:
    """The rows that an option brings, by their keys."""
    options = json.loads(STORED.read_text("utf-8"))["options"]
    return {key: (name, where, off, on) for key, (name, where, off, on) in options.items()}


def added(
    before: Sequence[StoredRow], rows: Sequence[Row], found: Mapping[str, Sequence[str]]
) -> list[StoredRow]:
    """What is stored, with further compilations."""
    totals = summary(found)
    known = {f"{kind} {name}": (count, first) for _, kind, name, count, first in before}
    combined: list[StoredRow] = []
    for row in rows:
        count, first = known.get(row.key, (0, ""))
        more, another = totals.get(row.key, (0, ""))
        named = sorted(filter(None, (first, another)), key=_place)
        combined.append((*astuple(row), count + more, named[0] if named else ""))
    return combined


def add(names: Sequence[str], gpus: Sequence[str]) -> None:
    """Stores further programs of the reference set, which are in no count yet.

    Raises ValueError where the set has no such program.
    """
    if unknown := sorted(set(names) - set(texts())):
        raise ValueError(f"no program of the reference set: {', '.join(unknown)}")
    found = {
        f"{gpu} {name}": keys
        for name in names
        for gpu, keys in zip(gpus, observe_named(name, gpus), strict=True)
    }
    counts, before = stored()
    totals = {gpu: counts[gpu] + len(names) for gpu in gpus}
    rows = added(before, road_rows(), found)
    fired = {f"{kind} {name}" for _, kind, name, count, _ in rows if count}
    options = {key: price for key, price in stored_options().items() if key not in fired}
    store(counts | totals, rows, options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every row, and stores what was found if asked to."""
    parser = argparse.ArgumentParser(prog="python -m bench.road_coverage", description=__doc__)
    parser.add_argument("--gpu", action="append", help="one target, or several; else all")
    parser.add_argument("--seconds", type=float, help="start no program after so long")
    parser.add_argument("--store", action="store_true", help="write what the page is made from")
    parser.add_argument("--add", nargs="+", metavar="NAME", help="store these programs, too")
    parser.add_argument("--jobs", type=int, default=2, help="processes, default %(default)s")
    options = parser.parse_args(arguments)
    gpus = tuple(options.gpu or GPUS)
    if options.add:
        add(options.add, gpus)
        return 0
    found = measure(gpus, options.seconds, options.jobs)
    totals = summary(found)
    for row in road_rows():
        count, first = totals.get(row.key, (0, ""))
        print(f"{row.key}: {count} compilations, {first}" if count else f"{row.key}: never")
    fired = sum(row.key in totals for row in road_rows())
    print(f"{fired} of {len(road_rows())} rows on {len(found)} compilations")
    if options.store:
        counts = {gpu: sum(k.startswith(f"{gpu} ") for k in found) for gpu in gpus}
        rows = [(*astuple(row), *totals.get(row.key, (0, ""))) for row in road_rows()]
        store(counts, rows, rows_of_options(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
