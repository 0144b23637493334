"""Which units a pack has: by worth until it is full, by what each was last found to cost.

`sizes.json` has these costs by target and unit; `python -m bench.pack sizes` measures them anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from bench.pack.runner.plan import stage_of

SIZES = Path(__file__).with_name("sizes.json")

SIZE_LIMIT = 40 << 20
"""Bytes that a pack may have."""

WITH_TREE_LIMIT = 60 << 20
"""Bytes that a pack and all that git tracks may have: both travel to a machine with a GPU."""

BUILD_MINUTES, PROCESSORS = 10, 2
"""How long a build may take, on so many processors."""

BUSY = 0.75
"""The part of that time that goes into units: processes also start, and wait for the last one."""

SPARE_BYTES = 1 << 20
"""For the runner, and for what the manifest says of the pack as a whole."""


@dataclass(frozen=True)
class Cost:
    """What a unit takes: bytes of a pack, seconds of a processor, and the items that it gives."""

    size: int
    seconds: float
    items: int


@dataclass(frozen=True)
class Room:
    """What all units may take together."""

    size: int = SIZE_LIMIT - SPARE_BYTES
    seconds: float = BUILD_MINUTES * 60 * PROCESSORS * BUSY


ROOM = Room()


def stored_costs(target: str, path: Path = SIZES) -> dict[str, Cost]:
    """What is known of the units of a target by their names."""
    stored: dict[str, list[float]] = json.loads(path.read_text("utf-8")).get(target, {})
    return {n: Cost(int(size), secs, int(items)) for n, (size, secs, items) in stored.items()}


def store_costs(target: str, costs: Mapping[str, Cost], path: Path = SIZES) -> None:
    """Replaces what is known of a target; a line for each unit."""
    every: dict[str, dict[str, list[float]]] = json.loads(path.read_text("utf-8"))
    every[target] = {n: [c.size, round(c.seconds, 1), c.items] for n, c in costs.items()}
    parts: list[str] = []
    for name, units in sorted(every.items()):
        lines = ",\n".join(f"  {json.dumps(unit)}: {json.dumps(c)}" for unit, c in units.items())
        parts.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def costs_of(names: Iterable[str], known: Mapping[str, Cost]) -> dict[str, Cost]:
    """The costs of units; of one that is not known, the mean of those of its group, or of all."""
    return {name: known.get(name) or _mean(name[0], known) for name in names}


def _mean(group: str, known: Mapping[str, Cost]) -> Cost:
    alike = [c for n, c in known.items() if n[0] == group] or list(known.values())
    if not alike:
        return Cost(0, 0.0, 0)
    return Cost(
        round(fmean(c.size for c in alike)),
        fmean(c.seconds for c in alike),
        round(fmean(c.items for c in alike)),
    )


def by_worth(names: Iterable[str]) -> list[str]:
    """Units in the order in which their items are run."""
    return sorted(names, key=lambda name: stage_of({"id": name}))


def fitting(costs: Mapping[str, Cost], room: Room) -> set[str]:
    """The units that there is room for, taken by worth; one that does not fit leaves its room."""
    size, seconds = room.size, room.seconds
    taken: set[str] = set()
    for name in by_worth(costs):
        cost = costs[name]
        if cost.size <= size and cost.seconds <= seconds:
            taken.add(name)
            size, seconds = size - cost.size, seconds - cost.seconds
    return taken
