"""How much of everything that can be run agrees: `python -m tests.agreement`, one table at the end.

Random programs (`tileir_xdsl.testing.programs`) and random tile programs (`tileir_xdsl.testing.tileas_programs`) for four
targets in turn, the kernels of the zoo and their twins on every target that takes them, and the
variants of products and attention (`bench.variants`): each is compiled to PTX, and run in the
emulator with late asynchronous work and races looked for; its values are compared with the
interpreter's, or with numpy's.

    python -m tests.agreement                                    # 3,000 programs of each kind; hours
    python -m tests.agreement --seeds 200 --first 3000 --part programs
    python -m tests.agreement --log build/agreement.jsonl        # goes on where it was stopped

With `--log FILE` every outcome is written there, and what it has already is not run again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench import variants
from tests.kernels.__main__ import check as check_kernel
from tests.unit.road.zoo import gpus_of
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing.instruction_families import OF_TARGET
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE, generate
from tileir_xdsl.testing.programs.machine import compare_with_machine
from tileir_xdsl.testing.programs.targets import TARGETS
from tileir_xdsl.testing.tileas_programs import generator as tileas_generator
from tileir_xdsl.testing.tileas_programs.machine import (
    compare_with_machine as compare_tileas_with_machine,
)
from tileir_xdsl.testing.tileas_programs.machine import generate_for_machine

SEEDS = 3000
"""How many random programs of each kind there are by default."""

TABLES = {"zoo": KERNELS, "twins": DIVISIBLE}
"""The kernels of two parts; the twins have strides that are multiples of 16."""


@dataclass(frozen=True)
class Subject:
    """What is run: of a part, for a target, the program of a seed or a kernel of this name."""

    part: str
    target: str
    name: str


@dataclass(frozen=True)
class Outcome:
    """How a run ended: what disagrees, or is refused, and how many seconds it took."""

    subject: Subject
    problem: str
    seconds: float
    is_refused: bool = False

    @property
    def is_race(self) -> bool:
        """Whether it is a race that the emulator has found."""
        return "race: " in self.problem


def _program(subject: Subject) -> None:
    program = generate(int(subject.name), DEFAULT_SIZE, exact=True, target=subject.target)
    compare_with_machine(program)


def _tile_program(subject: Subject) -> str | None:
    program = generate_for_machine(int(subject.name), tileas_generator.DEFAULT_SIZE)
    return compare_tileas_with_machine(program)


def _kernel(subject: Subject) -> None:
    check_kernel(TABLES[subject.part][subject.name], subject.target, ABI.NATIVE, None)


def _variant(subject: Subject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        case = replace(variants.CASES[subject.name], folder=Path(folder))
        program = text(case)
        case.text_path.write_text(program)
        variants.check(case, program)


PARTS: Mapping[str, Callable[[Subject], str | None]] = {
    "programs": _program,
    "tile programs": _tile_program,
    "zoo": _kernel,
    "twins": _kernel,
    "variants": _variant,
}
"""What runs a subject of each part: it raises for a disagreement, and returns why it is refused."""


def subjects(parts: Iterable[str], seeds: Sequence[int]) -> Iterator[Subject]:
    """All that is run, part by part."""
    for part in parts:
        if part == "programs":
            yield from (Subject(part, TARGETS[seed % len(TARGETS)], str(seed)) for seed in seeds)
        elif part == "tile programs":
            # A tile program draws its target by itself.
            yield from (Subject(part, "drawn", str(seed)) for seed in seeds)
        elif part == "variants":
            yield from (Subject(part, "sm_90a", name) for name in variants.CASES)
        else:
            for gpu in OF_TARGET:
                for name, case in TABLES[part].items():
                    if gpu in gpus_of(case):
                        yield Subject(part, gpu, name)


def run(subject: Subject) -> Outcome:
    """Runs one subject; whatever it raises is a disagreement."""
    started = time.monotonic()
    problem, refused = "", None
    try:
        refused = PARTS[subject.part](subject)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    seconds = time.monotonic() - started
    return Outcome(subject, refused or problem, seconds, is_refused=refused is not None)


def read_log(path: Path | None) -> list[Outcome]:
    """The outcomes that a log has; none without one. A last line that was cut off is taken away."""
    if path is None or not path.exists():
        return []
    whole, newline, _ = path.read_text(encoding="utf-8").rpartition("\n")
    path.write_text(whole + newline, encoding="utf-8")
    outcomes: list[Outcome] = []
    for line in whole.splitlines():
        fields: dict[str, Any] = json.loads(line)
        subject = Subject(**fields.pop("subject"))
        outcomes.append(Outcome(subject, **fields))
    return outcomes


def table(outcomes: Iterable[Outcome]) -> list[str]:
    """The lines of the summary: a row for every part and target, and their sum."""
    rows: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        rows.setdefault((outcome.subject.part, outcome.subject.target), []).append(outcome)
    everything = [outcome for row in rows.values() for outcome in row]
    header = (
        f"{'part':<15}{'target':<9}{'run':>7}{'refused':>9}{'disagree':>10}{'races':>7}{'s':>8}"
    )
    lines = [header, *(_row(*key, found) for key, found in rows.items())]
    return [*lines, _row("all", "", everything)]


def _row(part: str, target: str, found: Sequence[Outcome]) -> str:
    refused = sum(outcome.is_refused for outcome in found)
    wrong = [outcome for outcome in found if outcome.problem and not outcome.is_refused]
    races = sum(outcome.is_race for outcome in wrong)
    seconds = sum(outcome.seconds for outcome in found)
    run = len(found) - refused
    return f"{part:<15}{target:<9}{run:>7}{refused:>9}{len(wrong):>10}{races:>7}{seconds:>8.0f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints every disagreement, and the table; 1 if there is a disagreement."""
    parser = argparse.ArgumentParser(prog="python -m tests.agreement", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="by default all")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many random programs")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--log", type=Path, help="where outcomes are kept")
    options = parser.parse_args(arguments)
    wanted = list(
        subjects(options.part or PARTS, range(options.first, options.first + options.seeds))
    )
    known = {outcome.subject: outcome for outcome in read_log(options.log)}
    missing = [subject for subject in wanted if subject not in known]
    with ExitStack() as stack:
        log = stack.enter_context(options.log.open("a")) if options.log else None
        if options.jobs > 1:
            outcomes = stack.enter_context(multiprocessing.Pool(options.jobs)).imap(run, missing)
        else:
            outcomes = map(run, missing)
        for outcome in outcomes:
            known[outcome.subject] = outcome
            if outcome.problem and not outcome.is_refused:
                print(f"{outcome.subject}: {outcome.problem}", flush=True)
            if log is not None:
                print(json.dumps(asdict(outcome)), file=log, flush=True)
    found = [known[subject] for subject in wanted]
    print("\n".join(table(found)))
    return 1 if any(each.problem and not each.is_refused for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
