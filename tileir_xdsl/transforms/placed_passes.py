"""Inserts the passes of extensions into the pass pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from tileir_xdsl.extensions.extension import PlacedPass
from tileir_xdsl.extensions.registry import entry_of, load
from tileir_xdsl.options import OptionError
from tileir_xdsl.suggestions import did_you_mean

from .pipeline_step import Step, step_of


def with_extensions(road: Sequence[Step], names: Sequence[str]) -> tuple[Step, ...]:
    """The road with the passes of extensions; passes at one place run in the order of `names`.

    Raises OptionError for an unknown extension, or a step that is not on the road, that is
    replaced, or that is at another level.
    """
    found = list(road)
    replaced: dict[str, str] = {}
    for extension in load(names):
        for placed in extension.passes:
            problem = _place(found, placed, extension.name, replaced)
            if problem is not None:
                message = f"pass '{placed.name}' {placed.place}: {problem}"
                raise OptionError("extensions", extension.name, message)
    return tuple(found)


def _place(
    road: list[Step], placed: PlacedPass, extension: str, replaced: dict[str, str]
) -> str | None:
    """Inserts a pass into the road; returns the reason if that is impossible."""
    labels = [step.label for step in road]
    if placed.anchor in replaced:
        return f"pass '{replaced[placed.anchor]}' is in place of it"
    if placed.anchor not in labels:
        hint = did_you_mean(placed.anchor, labels, most=3)
        return f"there is no step '{placed.anchor}' on this road{hint}"
    number = labels.index(placed.anchor)
    anchor = road[number]
    level = anchor.level if placed.after else anchor.takes
    if level.name != placed.level:
        return f"expected a pass at level {level.name}, it is at {placed.level}"
    step = step_of(placed.name, entry_of(placed, extension), placed.options)
    step = replace(
        step,
        place=_free(placed.name, labels),
        extension=extension,
        placed_after=placed.after,
    )
    if placed.instead_of:
        replaced[placed.instead_of] = placed.name
        road[number] = replace(
            step,
            level=anchor.level,
            input_level=anchor.input_level,
            promises=step.promises | anchor.promises,
            decides=anchor.decides,
        )
        return None
    if placed.after:
        number += 1
        # After those that were placed there before.
        while number < len(road) and road[number].placed_after == placed.after:
            number += 1
    road.insert(number, step)
    return None


def _free(name: str, labels: Sequence[str]) -> str:
    """The first label for a pass that no step of the road has."""
    if name not in labels:
        return name
    return next(label for run in count(2) if (label := f"{name}:{run}") not in labels)
