"""What a rehearsal plants where: a fault, a hang and a refusal in every group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.pack.runner.costs import launches_of
from bench.pack.runner.plan import sorted_by_worth

EACH_GROUP = "each-group"
PLANTED = ("fault", "hang", "refuse")


def place_of(launch: Mapping[str, Any]) -> str:
    """Which kernel of which module a launch starts."""
    return f"{launch['module']}/{launch['kernel']}"


def planted_in(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """One of each for every group, in kernels of its own that come first by worth."""
    places: dict[str, list[str]] = {}
    taken: set[str] = set()
    for item in sorted_by_worth(items):
        found = places.setdefault(item["group"], [])
        for launch in launches_of(item):
            place = place_of(launch)
            if len(found) < len(PLANTED) and place not in taken:
                found.append(place)
                taken.add(place)
    return [
        f"{what}:{place}"
        for found in places.values()
        for what, place in zip(PLANTED, found, strict=False)
    ]
