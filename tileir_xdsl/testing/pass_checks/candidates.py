"""Passes to check, and their places on the road."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tileir_xdsl.extensions.extension import Extension
from tileir_xdsl.extensions.registry import load
from tileir_xdsl.levels import LEVELS, Level
from tileir_xdsl.options import Options
from tileir_xdsl.passes import OURS, PASSES
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.suggestions import did_you_mean
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import Step, steps

Road = tuple[Sequence[Step], Sequence[Step]]
"""The steps before a pass, and those after it."""


class Side(StrEnum):
    """The position of a pass relative to a step of the road."""

    BEFORE = "before"
    AFTER = "after"
    INSTEAD_OF = "instead_of"


@dataclass(frozen=True)
class Place:
    """The place of a pass: before, after or instead of a step."""

    side: Side
    step: str
    """The label of the step, such as `tileas-canonicalize:2`."""

    def divide(self, road: Sequence[Step]) -> Road | None:
        """The steps before the place, and those after it; None if the road lacks the step."""
        labels = [step.label for step in road]
        if self.step not in labels:
            return None
        number = labels.index(self.step)
        first = number + (self.side is Side.AFTER)
        following = number + (self.side is not Side.BEFORE)
        return road[:first], road[following:]


@dataclass(frozen=True)
class Candidate:
    """A pass, the level of its input IR, and its places on the road."""

    name: str
    make: Callable[[], ModulePass]
    level: Level
    output: Level
    """The level of the pass's output IR."""
    places: Sequence[Place] = ()
    """The places of the pass; without any, the pass runs first at its level."""
    units: float | None = None
    """The tolerance of an op's result, in units in the last place; None to compare bits."""
    extensions: tuple[str, ...] = ()
    """The extensions whose other passes also run, to make or lower the ops of the pass."""

    def apply(self, module: ModuleOp) -> None:
        """Runs the pass on a module."""
        self.make().apply(tools.context(), module)

    def roads(self, target: str) -> Sequence[Road]:
        """The steps before and after each place, for a target."""
        if self.extensions:
            road = steps(target, Options(extensions=self.extensions))
            runs = [number for number, step in enumerate(road) if step.name == self.name]
            return [(road[:number], road[number + 1 :]) for number in runs]
        road = steps(target)
        if not self.places:
            first = sum(LEVELS.index(step.level) <= LEVELS.index(self.level) for step in road)
            return [(road[:first], road[first:])]
        divided = (place.divide(road) for place in self.places)
        return [each for each in divided if each is not None]


def level_named(name: str) -> Level:
    """The level called `name`, one of `LEVEL_NAMES`."""
    return next(level for level in LEVELS if level.name == name)


def find_candidates(name: str, extensions: Sequence[str] = ()) -> list[Candidate]:
    """The pass called `name`, with its places; for a `.py` file, all passes of the file.

    Raises OptionError for an extension that cannot be loaded, InputError for an unknown name.
    """
    if name.endswith(".py"):
        extensions = tuple(dict.fromkeys((*extensions, name)))
    for extension in extensions:
        # Names what is wrong with its places, too.
        steps(options=Options(extensions=(extension,)))
    loaded = load(extensions)
    if name.endswith(".py"):
        placed = loaded[extensions.index(name)].passes
        if not placed:
            raise InputError(name, "its extension has no passes")
        names = dict.fromkeys(each.name for each in placed)
        return [_of_extensions(each, loaded, extensions) for each in names]
    if any(each.name == name for extension in loaded for each in extension.passes):
        return [_of_extensions(name, loaded, extensions)]
    if name in PASSES and PASSES[name].origin == OURS:
        return [_own(name)]
    known = (*PASSES, *(each.name for extension in loaded for each in extension.passes))
    hint = did_you_mean(name, known, most=3)
    raise InputError(f"--pass {name}", f"there is no pass of this name{hint}")


def _own(name: str) -> Candidate:
    """A pass of this package, at each place that it has on the road of the default target."""
    entry = PASSES[name]
    found = [step for step in steps() if step.name == name]
    places = [Place(Side.INSTEAD_OF, step.label) for step in found]
    make = found[0].make if found else (lambda: entry.load()())
    levels = level_named(entry.level), level_named(entry.leaves)
    return Candidate(name, make, *levels, places, entry.rounding)


def _of_extensions(name: str, loaded: Sequence[Extension], extensions: Sequence[str]) -> Candidate:
    """A pass of an extension, at all its places.

    Other passes of the extension do not run by default, so that their faults are not attributed to
    the pass. Only if the extension has its own ops, its other passes run, to make or lower these
    ops.
    """
    extension = next(e for e in loaded if any(each.name == name for each in e.passes))
    placed = [each for each in extension.passes if each.name == name]
    first = placed[0]
    anchors = {step.label: step.level for step in steps()}
    level = level_named(first.level)
    output = anchors.get(first.instead_of or "", level)
    places = [
        Place(side, label) for each in placed for side in Side if (label := getattr(each, side))
    ]
    together = tuple(extensions) if extension.dialects or extension.ops else ()
    return Candidate(
        name,
        lambda: first.pass_type(**first.options),
        level,
        output,
        places,
        first.rounding,
        together,
    )
