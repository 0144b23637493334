"""Which groups a run has time for, and for how long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Group:
    """A group of items, and the seconds that it may take."""

    title: str
    seconds: int


GROUPS: dict[str, Group] = {
    "a": Group("driver facts", 60),
    "b": Group("instructions", 240),
    "c": Group("kernels", 360),
    "d": Group("times", 600),
    "e": Group("model", 180),
    "f": Group("tuner", 240),
}
"""In order of worth."""

DEFAULT_MINUTES = 30.0


@dataclass(frozen=True)
class Plan:
    """What a run does: the seconds of each group it has time for, and what it leaves out."""

    seconds: dict[str, float]
    cut: tuple[str, ...]
    halves: bool

    def takes(self, item: dict[str, Any]) -> bool:
        """Whether an item is part of the plan."""
        return item["group"] in self.seconds and not (
            self.halves and item["group"] == "d" and item.get("second_half", False)
        )


def plan_for(minutes: float, groups: Sequence[str]) -> Plan:
    """The groups that fit into some minutes: f goes first, then e, then half of d.

    Where that is still too long, what is left shares the time in proportion.
    """
    seconds = {group: float(GROUPS[group].seconds) for group in GROUPS if group in groups}
    available = 60 * minutes
    cut: list[str] = []
    for group in ("f", "e"):
        if sum(seconds.values()) > available and group in seconds:
            del seconds[group]
            cut.append(group)
    halves = sum(seconds.values()) > available and "d" in seconds
    if halves:
        seconds["d"] /= 2
        cut.append("half of d")
    total = sum(seconds.values())
    if total > available:
        seconds = {group: limit * available / total for group, limit in seconds.items()}
    return Plan(seconds, tuple(cut), halves)
