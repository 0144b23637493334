"""Programs on which a pass is checked: the zoo and random programs.

The steps of the road before the pass lower each program. Kernels of the zoo alternate with random
programs. Quick kernels come first, ordered to cover every op of `cuda_tile` soon.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.levels import CUDA_TILE, LEVELS, NV_TILEAA, NV_TILEAS, Level, level_of
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.generating import DENSE, LOOPS, random_program
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase, launch_arguments
from tileir_xdsl.testing.pass_checks.candidates import Candidate
from tileir_xdsl.transforms.function_pass import SkippingRunner
from tileir_xdsl.transforms.pipeline_road import Step, remaining
from tileir_xdsl.walking import clone_of

TARGETS = ("sm_90a", "sm_80", "sm_100a")
"""The targets whose programs differ most in copies, barriers and dots."""

FIRST = "convert-cuda-tile-to-tileaa"
"""The step that converts to `nv_tileaa`."""

WITH_LAYOUTS = "tileas-assign-dot-layouts"
"""The first step of the road that accepts random programs of `nv_tileas`."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A program lowered to the place of a pass, and its launches."""

    title: str
    """The kernel, or the kind and seed of the random program, and the target."""
    module: ModuleOp
    kernel: str
    launches: tuple[LaunchInput, ...]
    target: str
    rest: Sequence[Step] = ()
    """The steps of the road from the pass to PTX."""
    is_exact: bool = True
    """Whether the program's PTX computes the program's results, except for roundings."""


def subjects(
    candidate: Candidate, seed: int = 0, targets: Sequence[str] = TARGETS
) -> Iterator[Subject]:
    """The programs for a pass, quick ones first; random programs are unlimited.

    Programs that a step before the pass rejects are omitted.
    """
    first, *others = (_zoo(candidate, target) for target in targets)
    zoos = itertools.cycle(others or [first])
    kinds = [_random(kind, candidate, seed, targets) for kind in _random_kinds(candidate)]
    while True:
        # Dense programs first, as failures of theirs are made small soonest.
        # The other targets take turns, so that they take no longer than the first.
        for kind in (*kinds[:2], first, *kinds[2:], next(zoos)):
            yield from itertools.islice(kind, 1)


def at_places(subject: Subject, candidate: Candidate) -> Iterator[Subject]:
    """A program of a file at each place of the pass; unchanged if it has the pass's level.

    Raises PassFailedException if a step before the pass rejects the program, and OptionError if
    another extension has changed it.
    """
    roads = candidate.roads(subject.target)
    if LEVELS.index(level_of(subject.module)) >= LEVELS.index(candidate.level) or not roads:
        yield replace(subject, rest=roads[0][1] if roads else ())
        return
    options = Options(extensions=candidate.extensions)
    to_run = {step.label for step in remaining(subject.module, subject.target, options)}
    for module, (before, rest) in zip(_copies(subject.module, len(roads)), roads, strict=True):
        run_road(module, [step for step in before if step.label in to_run])
        yield replace(subject, module=module, rest=rest)


def _zoo(candidate: Candidate, target: str) -> Iterator[Subject]:
    for title, case in _ordered_cases():
        module = tools.parse(case.text_path.read_text("utf-8"), name=str(case.text_path))
        arguments = tuple(launch_arguments(case.make_arguments(case.typical)))
        launch = LaunchInput(case.grid(case.typical), arguments)
        subject = Subject(f"kernel {title}", module, case.name, (launch,), target)
        yield from _at_place(subject, candidate, CUDA_TILE)


@cache
def _ordered_cases() -> Sequence[tuple[str, KernelCase]]:
    """The zoo, ordered so that short kernels with many new pairs of ops come first."""
    twins = [(f"divisible/{name}", case) for name, case in DIVISIBLE.items()]
    left: list[tuple[str, KernelCase, int, set[tuple[str, str]]]] = []
    for title, case in (*KERNELS.items(), *twins):
        text = case.text_path.read_text("utf-8")
        left.append((title, case, len(text), _pairs(text)))
    ordered: list[tuple[str, KernelCase]] = []
    known = set[tuple[str, str]]()
    while left:
        best = min(left, key=lambda each: each[2] / (0.1 + len(each[3] - known)))
        left.remove(best)
        known |= best[3]
        ordered.append(best[:2])
    return ordered


def _pairs(text: str) -> set[tuple[str, str]]:
    """The pairs of an op and the op that defines its operand, in the text of a kernel."""
    makers: dict[str, str] = {}
    pairs = set[tuple[str, str]]()
    for line in text.splitlines():
        op = _OP.match(line)
        if op is None:
            continue
        results, name, rest = op.groups()
        pairs |= {(makers.get(value, ""), name) for value in _VALUE.findall(rest)}
        makers |= dict.fromkeys(_VALUE.findall(results), name)
    return pairs


_OP = re.compile(r"\s*((?:%[\w, %:]+ = )?)([a-z]\w+)\b(.*)")
"""Matches a line of a kernel's text: results, the name of the op, and the rest."""

_VALUE = re.compile(r"%[\w-]+")


def _random_kinds(candidate: Candidate) -> Iterator[str]:
    """The kinds of random programs that can be lowered to the place of a pass."""
    yield from (DENSE, LOOPS)
    level = LEVELS.index(candidate.level)
    yield from (each.name for each in reversed(LEVELS[: level + 1]))


def _random(
    kind: str, candidate: Candidate, seed: int, targets: Sequence[str]
) -> Iterator[Subject]:
    level = next((level for level in LEVELS if level.name == kind), CUDA_TILE)
    for number in itertools.count(seed * _SEEDS):
        made = random_program(kind, number, target=targets[number % len(targets)])
        title = f"random program of {_TITLES.get(kind, kind)}, seed {number}"
        subject = Subject(
            title, made.module, made.kernel, (made.launch,), made.target, is_exact=made.is_exact
        )
        yield from _at_place(subject, candidate, level)


_TITLES = {DENSE: "dense ops", LOOPS: "loops of dots"}

_SEEDS = 10_000
"""The distance between the random seeds of two checks with consecutive seeds."""


def _at_place(subject: Subject, candidate: Candidate, level: Level) -> Iterator[Subject]:
    """The program at each place of the pass on the road, unless a step rejects the program."""
    title = f"{subject.title}, for {subject.target}"
    roads = candidate.roads(subject.target)
    for module, (before, rest) in zip(_copies(subject.module, len(roads)), roads, strict=True):
        try:
            run_road(module, road_from(before, level))
        except PassFailedException:
            continue
        yield replace(subject, title=title, module=module, rest=rest)


def _copies(module: ModuleOp, number: int) -> Sequence[ModuleOp]:
    """A module and copies of it, made before the road changes the module."""
    return [module, *(clone_of(module) for _ in range(number - 1))][:number]


def run_road(module: ModuleOp, road: Sequence[Step]) -> None:
    """Runs steps on a module; raises `PassFailedException` if a step rejects it.

    Raises InputError for any other exception of an extension's pass.
    """
    run = SkippingRunner(tools.context(), module)
    for step in road:
        if not run.may_change(step.op_names):
            continue
        try:
            run(step.module_pass)
        except DiagnosticException:
            raise
        # The code of others may raise anything.
        except Exception as error:
            if not step.extension:
                raise
            message = f"pass '{step.name}' raises {type(error).__name__}: {error}"
            raise InputError(step.extension, message) from error


def road_from(road: Sequence[Step], level: Level) -> Sequence[Step]:
    """The steps of the road from the first that accepts generated programs of a level."""
    if level is CUDA_TILE:
        return road
    labels = [step.label for step in road]
    first = {NV_TILEAA: FIRST, NV_TILEAS: WITH_LAYOUTS}.get(level)
    if first not in labels:
        return ()
    return road[labels.index(first) + (level is NV_TILEAA) :]
