"""Whether a kernel in another form, with other options, on another target computes the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road.zoo import Lowered, gpus_of, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.checking.observation import Observation, find_difference
from tileir_xdsl.options import STRATEGIES, OptionError, Options
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase
from tileir_xdsl.testing.programs import Program, generate
from tileir_xdsl.testing.programs.comparison import (
    Failure,
    error_failure,
    observe,
    raise_disagreement,
)
from tileir_xdsl.testing.programs.machine import lower, run_machine, written_options
from tileir_xdsl.testing.programs.targets import NEWEST, TARGETS, WITHOUT_BF16_ADDITION

from .forms import FORMS, Launch, apply

SIZE = 4
"""Steps of random programs."""
_PROGRAMS = 0.7
"""The share of seeds that stand for random programs; others stand for kernels of the zoo."""


@dataclass(frozen=True)
class Drawn:
    """What a seed stands for: the kernel, its other forms, and how it is compiled."""

    seed: int
    subject: Program | KernelCase
    forms: Sequence[str]
    target: str
    options: Options

    def __str__(self) -> str:
        name = f"program {self.seed}" if isinstance(self.subject, Program) else self.subject.name
        forms = ", ".join(self.forms) or "as it is"
        return f"seed {self.seed}: {name}, {forms}, for {self.target}, {self.options}"


def draw(seed: int) -> Drawn:
    """The kernel, forms, target and options of a seed."""
    random = Random(f"{seed} metamorphic")
    if random.random() < _PROGRAMS:
        subject: Program | KernelCase = generate(seed, SIZE, exact=True)
        targets = later_targets(subject)
    else:
        table = random.choice((KERNELS, DIVISIBLE))
        subject = table[random.choice(sorted(table))]
        targets = gpus_of(subject)
    target = random.choice(targets)
    forms = random.sample(list(FORMS), random.choice((0, 1, 1, 2, 3)))
    return Drawn(seed, subject, forms, target, draw_options(target, random))


def later_targets(program: Program) -> Sequence[str]:
    """The targets that have all that a program needs: its own, and those after it."""
    targets = (*TARGETS, NEWEST)
    first = targets.index(program.target)
    assert program.target not in WITHOUT_BF16_ADDITION or first == 0
    return targets[first:]


def draw_options(target: str, random: Random) -> Options:
    """Optimisation on or off, clusters, persistent forms, and who does the work."""
    if random.random() < 0.2:
        return Options(opt_level=0, warps=random.choice((None, 1, 4, 8)))
    try:
        options = Options(
            opt_level=random.choice((1, 2, 3)),
            warps=random.choice((None, None, 1, 2, 4, 8)),
            stages=random.choice((None, None, 1, 2, 3, 4)),
            ctas=random.choice((None, None, None, 1, 2, 4)),
            strategy=random.choice((None, None, *STRATEGIES)),
            dynamic_persistent=random.random() < 0.2 and target.startswith("sm_1"),
        )
        options.check(get_target(target))
    except OptionError:
        return Options()
    return options


def taken_options(drawn: Drawn, module: ModuleOp) -> Options:
    """The options without the number of CTAs where a kernel cannot be divided among as many."""
    options = drawn.options
    if options.ctas is None:
        return options
    try:
        tools.run_passes(module.clone(), _pipeline(drawn.target, options))
    except PassFailedException as error:
        if str(error).startswith("ctas="):
            return options.replaced(ctas=None)
        raise
    return options


def _pipeline(target: str, options: Options) -> str:
    return f"tileir-pipeline{{{written_options({'gpu': target, **options.given()})}}}"


# Random programs.


def _sorted(program: Program, observation: Observation) -> Observation:
    """What a launch leaves; characters are sorted where tile blocks print in any order."""
    if math.prod(program.grid) == 1 or observation.printed is None:
        return observation
    return replace(observation, printed="".join(sorted(observation.printed)))


def find_program_failure(drawn: Drawn, program: Program, module: ModuleOp) -> Failure | None:
    """How the forms of `module`, a form of the program, differ from it."""
    try:
        before = _sorted(program, observe(program, module))
    except Exception as error:
        return error_failure("the program cannot be interpreted", error)
    try:
        other = apply(drawn.forms, Launch(module, program.grid), Random(drawn.seed))
        options = taken_options(drawn, other.module)
        changed = replace(program, grid=other.grid, target=drawn.target, options=options)
        after = _sorted(program, observe(changed, other.module))
    except Exception as error:
        return error_failure("another form cannot be made or interpreted", error)
    difference = find_difference(before, after, exact=True)
    if difference is not None:
        return Failure("another form has another result", difference)
    try:
        found = _sorted(program, run_machine(changed, other.module))
        if drawn.forms == ["rename"]:
            _check_names(changed, module, other.module)
    except Exception as error:
        return error_failure("the PTX cannot be made or run", error)
    difference = find_difference(before, found, exact=True)
    return None if difference is None else Failure("another result", difference)


def _check_names(program: Program, module: ModuleOp, renamed: ModuleOp) -> None:
    """Raises AssertionError if names of values have an effect on the PTX."""
    texts = [emit(lower(program, each), program.target) for each in (module, renamed)]
    assert texts[0] == texts[1], "the PTX depends on the names of values"


# Kernels of the zoo.


def check_kernel(drawn: Drawn, case: KernelCase) -> None:
    """Raises what passes and the emulator raise, and AssertionError for values unlike numpy's."""
    module = tools.parse(case.text_path.read_text())
    grid = case.grid(case.typical)
    other = apply(drawn.forms, Launch(module, grid), Random(drawn.seed))
    options = taken_options(drawn, other.module)
    lowered = tools.run_passes(other.module, _pipeline(drawn.target, options))
    ptx = emit(lowered, drawn.target)
    run(case, Lowered(lowered, ptx), case.typical, other.grid, late=True, races=True)


def check(seed: int, *, reduce: bool = True) -> Drawn:
    """Checks what a seed stands for.

    Raises `Disagreement` for a program, made smaller first if `reduce`, and what `check_kernel`
    does for a kernel of the zoo.
    """
    drawn = draw(seed)
    subject = drawn.subject
    if isinstance(subject, Program):
        failure = find_program_failure(drawn, subject, subject.module)
        if failure is not None:
            raise_disagreement(
                subject, failure, lambda m: find_program_failure(drawn, subject, m), reduce
            )
    else:
        check_kernel(drawn, subject)
    return drawn
