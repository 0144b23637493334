"""Kernels lowered with drawn choices: what a pass would have to choose from, it says itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road.zoo import Lowered, gpus_of, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.explain import collecting_reports
from tileir_xdsl.options import STRATEGIES, OptionError, Options
from tileir_xdsl.report.decisions import decisions_of
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.report.recording import explained
from tileir_xdsl.targets import get_target
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE, KERNELS, KernelCase
from tileir_xdsl.transforms.pipeline_road import steps

REMOVE_LAYOUT_CONVERSIONS = "tileas-remove-layout-conversions"

CHOOSING = (
    "tileas-assign-load-store-layouts",
    REMOVE_LAYOUT_CONVERSIONS,
    "tileas-select-lowering",
)
"""Passes each of whose candidates is right. A barrier that is needed may not be left out."""
SHARES = (0.1, 0.3, 0.7)
"""Of the decisions that are drawn anew."""


@dataclass(frozen=True)
class Drawn:
    """What a seed stands for."""

    name: str
    case: KernelCase
    gpu: str
    options: Options
    share: float

    def __str__(self) -> str:
        return f"{self.name} for {self.gpu}, {self.options}"


def draw(seed: int) -> Drawn:
    """The kernel, the target and the options of a seed."""
    random = Random(seed)
    table = random.choice((KERNELS, DIVISIBLE))
    name = random.choice(sorted(table))
    gpu = random.choice(gpus_of(table[name]))
    options = _drawn_options(gpu, random)
    return Drawn(name, table[name], gpu, options, random.choice(SHARES))


def _drawn_options(gpu: str, random: Random) -> Options:
    try:
        options = Options(
            warps=random.choice((None, None, 1, 2, 4, 8)),
            stages=random.choice((None, None, 1, 2, 3, 4)),
            strategy=random.choice((None, None, *STRATEGIES)),
        )
        options.check(get_target(gpu))
    except OptionError:
        return Options()
    return options


def offered(step: ModulePass, module: ModuleOp) -> list[list[str]]:
    """For each decision of a pass, the texts that force one of its candidates."""
    with collecting_reports() as reports:
        explained(step).apply(tools.context(), module.clone())
    found: list[list[str]] = []
    for report in reports:
        for decision in decisions_of(report, {}):
            texts = [c.force for c in decision.candidates if c.force and not c.pruned]
            if texts:
                found.append(texts)
    return found


@dataclass(frozen=True)
class Forcing:
    """A kernel that has been lowered with choices of its own."""

    lowered: Lowered
    forced: Sequence[str]
    refused: Sequence[str]
    """Why choices that go together with no others were refused by a pass."""


def lower_forced(drawn: Drawn, seed: int) -> Forcing:
    """Takes a kernel to PTX, with choices drawn for each pass that offers some.

    Raises what passes raise.
    """
    random, context = Random(seed), tools.context()
    module = tools.parse(drawn.case.text_path.read_text())
    forced, refused = list[str](), list[str]()
    for step in steps(drawn.gpu, drawn.options):
        chosen = step.module_pass
        if step.name in CHOOSING:
            texts = [
                random.choice(candidates)
                for candidates in offered(chosen, module)
                if random.random() < drawn.share
            ]
            chosen, taken, problems = _possible(chosen, texts, module)
            forced += taken
            refused += problems
        chosen.apply(context, module)
    module.verify()
    return Forcing(Lowered(module, emit(module, drawn.gpu)), forced, refused)


def _possible(
    step: ModulePass, texts: Sequence[str], module: ModuleOp
) -> tuple[ModulePass, Sequence[str], Sequence[str]]:
    """The pass with as many of the choices as it takes together, in their order."""
    together, problems = list[str](), list[str]()
    if not texts:
        return step, (), ()
    if _problem(step, texts, module) is None:
        return read_forced(texts).on(step), texts, ()
    for text in texts:
        problem = _problem(step, [*together, text], module)
        if problem is None:
            together.append(text)
        else:
            problems.append(problem)
    return read_forced(together).on(step), together, problems


def _problem(step: ModulePass, texts: Sequence[str], module: ModuleOp) -> str | None:
    """Why a pass refuses choices; nothing if it takes them."""
    try:
        read_forced(texts).on(step).apply(tools.context(), module.clone())
    except PassFailedException as error:
        return str(error).partition("\n")[0]
    return None


def check(seed: int) -> Forcing:
    """Lowers the kernel of a seed with its choices, and runs it.

    Raises what passes and the emulator raise, and AssertionError where it computes something else
    than numpy.
    """
    drawn = draw(seed)
    forcing = lower_forced(drawn, seed)
    case = drawn.case
    run(case, forcing.lowered, case.typical, case.grid(case.typical), late=True, races=True)
    return forcing
