"""What is given to both compilers, for each operation of the dialect."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.tileiras_agreement import derived
from tests.tileiras_agreement.control import CONTROL, MODULES
from tests.tileiras_agreement.draft import Draft, module_of
from tests.tileiras_agreement.extremes import extremes
from tests.tileiras_agreement.memory import MEMORY
from tests.tileiras_agreement.tiles import TILES
from tests.tileiras_agreement.variations import variations
from tileir_xdsl.bytecode import BytecodeError, write
from tileir_xdsl.dialects import cuda_tile as ct
from tileir_xdsl.testing.programs.generator import generate
from tileir_xdsl.testing.programs.targets import TARGETS

GPUS = ("sm_80", "sm_89", "sm_90a", "sm_100a", "sm_120a")
VERSION = "13.5"
VARIED = 24
"""How many changes of the first draft of an operation are tried."""
FEW_OTHERS = 4
"""How many other element types, and how many other shapes, of an elementwise operation are tried."""
FEW = 16
"""Up to so many drafts of an operation are tried on all targets, others on two of them each."""

DRAFTS: Mapping[type[Operation], Callable[[], Iterator[tuple[str, Draft]]]] = {
    **TILES,
    **MEMORY,
    **CONTROL,
}

UNCHANGED = 0.3
"""The share of drafts that are left as they are where a seed draws one module."""

NO_CASES: Mapping[type[Operation], str] = {
    ct.ExperimentalFuncOp: "only preview bytecode has functions besides kernels",
    ct.TestingFuncOp: "of test builds; bytecode cannot hold it",
    ct.FPowFOp: "another word for `pow` in text",
    ct.TokenJoinOp: "another word for `join_tokens` in text",
}
"""Operations that bytecode cannot hold, with the reason."""


EXTREMES, PROGRAMS = "extremes", "programs"
"""What stands in place of an operation for modules that are about none."""
SEEDS = 24
"""How many random programs of `tileir_xdsl.testing.programs` there are, each for the target it is drawn for."""


@dataclass(frozen=True)
class Case:
    """A module about an operation, and the targets it is compiled for."""

    operation: str
    name: str
    build: Callable[[], ModuleOp]
    gpus: tuple[str, ...]

    def data(self) -> bytes | None:
        """The bytecode; None if the writer has no words for what is wrong with the module."""
        try:
            return write(self.build(), VERSION)
        except (BytecodeError, KeyError, IndexError, ValueError, AssertionError):
            return None


def short_name(operation: type[Operation]) -> str:
    """The name without its dialect."""
    return operation.name.removeprefix("cuda_tile.")


def operations() -> Sequence[type[Operation]]:
    """The operations of the dialect that bytecode can hold."""
    return [each for each in ct.CudaTile.operations if each not in NO_CASES]


def cases(operation: type[Operation], seed: int = 0) -> list[Case]:
    """The modules about an operation; a seed draws the changes, and which targets are tried.

    Raises KeyError for an operation without drafts.
    """
    name = short_name(operation)
    draws = random.Random(f"{name} {seed}")

    def case(label: str, build: Callable[[], ModuleOp], count: int = 1) -> Case:
        return Case(name, label, build, tuple(draws.sample(GPUS, count)))

    if operation in MODULES:
        return [case(label, build) for label, build in MODULES[operation]()]
    if operation in DRAFTS:
        drafts, others, varied = list(DRAFTS[operation]()), [], VARIED
    elif derived.is_elementwise(operation):
        drafts, varied = list(derived.drafts(operation)), VARIED // 2
        others = draws.sample(list(derived.outside(operation)), FEW_OTHERS)
        others += draws.sample(list(derived.shaped(operation)), FEW_OTHERS)
    else:
        raise KeyError(f"{operation.name} has no drafts")
    count = len(GPUS) if len(drafts) <= FEW else 2
    found = [case(label, partial(module_of, draft), count) for label, draft in drafts]
    found += [case(label, partial(module_of, draft)) for label, draft in others]
    first, base = drafts[0]
    changes = list(variations(base))
    for label, draft in draws.sample(changes, min(varied, len(changes))):
        found.append(case(f"{first}: {label}", partial(module_of, draft)))
    return found


def _program(seed: int, gpu: str) -> ModuleOp:
    return generate(seed, target=gpu).module


def drawn(names: Sequence[str] = (), seed: int = 0) -> list[Case]:
    """All modules, or those about some operations."""
    found = [
        case
        for operation in operations()
        if not names or short_name(operation) in names
        for case in cases(operation, seed)
    ]
    if not names or EXTREMES in names:
        found += [Case(EXTREMES, label, build, GPUS) for label, build in extremes()]
    if not names or PROGRAMS in names:
        for number in range(SEEDS * seed, SEEDS * (seed + 1)):
            gpu = TARGETS[number % len(TARGETS)]
            build = partial(_program, number, gpu)
            found.append(Case(PROGRAMS, f"seed {number}", build, (gpu,)))
    return found


def sampled(seed: int) -> Case:
    """One module that a seed draws: of any draft of any operation, mostly with one thing changed."""
    draws = random.Random(seed)
    operation = draws.choice(operations())
    name, gpus = short_name(operation), (draws.choice(GPUS),)
    if operation in MODULES:
        label, build = draws.choice(list(MODULES[operation]()))
        return Case(name, f"seed {seed}: {label}", build, gpus)
    if operation in DRAFTS:
        drafts = list(DRAFTS[operation]())
    else:
        drafts = [*derived.drafts(operation), *derived.shaped(operation)]
    label, draft = draws.choice(drafts)
    if draws.random() < UNCHANGED:
        return Case(name, f"seed {seed}: {label}", partial(module_of, draft), gpus)
    change, other = draws.choice(list(variations(draft)))
    return Case(name, f"seed {seed}: {label}: {change}", partial(module_of, other), gpus)
