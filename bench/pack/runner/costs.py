"""What the steps of a run cost, from one table that measured costs correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.pack.runner.competitors import OPERATIONS
from bench.pack.runner.memory import PATTERN_ELEMENTS
from bench.pack.runner.timing import GRAPH_SECONDS, LEAST_ROUNDS, MOST_SECONDS, ROUNDS

COSTS: dict[str, float] = {
    "start": 15.0,
    "bare_start": 1.5,
    "open": 1.0,
    "item": 0.005,
    "module": 0.02,
    "host_byte": 1 / 1e9,
    "copy_byte": 1 / 5e9,
    "reference": 0.2,
    "kernel": 1e-3,
    "flop": 1 / 3e14,
    "memory_byte": 1 / 2e12,
    "contender": 0.1,
    "torch": 0.5,
    "sanitize": 60.0,
    "profile": 10.0,
    "hang": 15.0,
}
"""Seconds, each estimated until a run has measured it.

`start`: a process until torch is imported; `bare_start`: one without. `open`: a context. `item`: an
order, its answer and what is compared. `module`: loading machine code. `host_byte`: making random
data. `copy_byte`: to or from the device. `reference`: what sampled elements of a timed problem must
be. `kernel`: a launch of which nothing is known. `flop`, `memory_byte`: a launch by its work.
`contender`: checking and capturing one, beside its launches; `torch`: one of torch, which chooses
an algorithm. `sanitize`, `profile`: an item under compute-sanitizer or ncu. `hang`: the longest
silence of a process, after which it counts as hanging.
"""

ESTIMATES_UNTIL = 3
"""Items of a kind after which what they took corrects the estimates of the others."""

LEAST_FACTOR, MOST_FACTOR = 0.1, 10.0


def kernel_seconds(
    item: Mapping[str, Any], launch: Mapping[str, Any], costs: Mapping[str, float]
) -> float:
    """How long a launch of an item takes: as predicted for it, else by the work of the problem."""
    if "predicted" in launch:
        return float(launch["predicted"])
    if "work" in item:
        rate = "flop" if item["unit"] == "FLOP" else "memory_byte"
        return float(item["work"]) * costs[rate]
    return costs["kernel"]


def contenders_of(item: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The launches of an item that several take part in, by their names."""
    if "launches" in item:
        return item["launches"]
    return {launch["who"]: launch for launch in item.get("contenders", ())}


def launches_of(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All launches that an item asks for."""
    return [*contenders_of(item).values()] or ([item["launch"]] if "launch" in item else [])


def rivals_of(item: Mapping[str, Any]) -> int:
    """How many contenders of torch there are for an item."""
    return len(OPERATIONS.get(item["reference"], {})) if item.get("torch") else 0


def host_seconds(item: Mapping[str, Any], costs: Mapping[str, float]) -> float:
    """What the host does for an item: an order, random data, references, contenders of torch."""
    fills = [region["fill"] for region in item.get("regions", ()) if region.get("fill")]
    made = sum(min(fill["elements"], PATTERN_ELEMENTS) for fill in fills if len(fill) > PLAIN)
    found = costs["item"] + 4 * made * costs["host_byte"]
    if item["kind"] == "time":
        found += costs["reference"] + costs["contender"] * len(launches_of(item))
        found += costs["torch"] * rivals_of(item)
    return found


PLAIN = 2
"""The entries of a filling with zeros: a format, and how many."""


def device_seconds(item: Mapping[str, Any], costs: Mapping[str, float]) -> float:
    """How long launches of an item take, as timing repeats them."""
    each = [kernel_seconds(item, launch, costs) for launch in launches_of(item)]
    if item["kind"] != "time":
        return sum(each)
    each += [min(each, default=costs["kernel"])] * rivals_of(item)
    replayed = sum(max(GRAPH_SECONDS, seconds) for seconds in each)
    rounds = min(ROUNDS, max(LEAST_ROUNDS, MOST_SECONDS / max(replayed, GRAPH_SECONDS)))
    return sum(each) + (rounds + 1) * replayed


def estimated_seconds(item: Mapping[str, Any], costs: Mapping[str, float]) -> float:
    """What an item costs by the table: a tool, the host, copies, modules and launches."""
    copied = sum(region["bytes"] for region in item.get("regions", ()) if "data" in region)
    modules = {launch["module"] for launch in launches_of(item)}
    moved = 2 * copied * costs["copy_byte"] + len(modules) * costs["module"]
    watched = costs.get(item["kind"], 0.0)
    return watched + host_seconds(item, costs) + moved + device_seconds(item, costs)


@dataclass
class Costs:
    """The table, and what items of each kind take in parts of their estimates.

    `factors` come from a run before; `estimated` and `took` are sums of this one.
    """

    table: Mapping[str, float] = field(default_factory=lambda: COSTS)
    factors: Mapping[str, float] = field(default_factory=lambda: dict[str, float]())
    counts: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    estimated: dict[str, float] = field(default_factory=lambda: dict[str, float]())
    took: dict[str, float] = field(default_factory=lambda: dict[str, float]())
    steps: dict[str, float] = field(default_factory=lambda: dict[str, float]())
    """Entries of the table that this run has measured."""

    @staticmethod
    def corrected(*measured: Mapping[str, Any]) -> Costs:
        """The table with what runs have measured; later ones hold."""
        table, factors = dict(COSTS), dict[str, float]()
        for each in measured:
            table |= each.get("steps", {})
            factors |= each.get("factors", {})
        return Costs(table, factors)

    def seconds(self, item: Mapping[str, Any]) -> float:
        """What an item is expected to take."""
        return self._factor(item["kind"]) * estimated_seconds(item, self.table)

    def start_seconds(self, *, has_torch: bool) -> float:
        """What a fresh process takes until it has the device."""
        return self.table["start" if has_torch else "bare_start"] + self.table["open"]

    def _factor(self, kind: str) -> float:
        if self.counts.get(kind, 0) < ESTIMATES_UNTIL:
            return self.factors.get(kind, 1.0)
        measured = self.took[kind] / self.estimated[kind]
        return min(max(measured, LEAST_FACTOR), MOST_FACTOR)

    def note(self, item: Mapping[str, Any], took: float) -> None:
        """Learns from an item that has ended well."""
        kind = item["kind"]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        estimated = estimated_seconds(item, self.table)
        self.estimated[kind] = self.estimated.get(kind, 0.0) + estimated
        self.took[kind] = self.took.get(kind, 0.0) + took

    def measured(self) -> dict[str, Any]:
        """What this run knows better than the table, for a next one."""
        kinds = {*self.factors, *self.counts}
        return {
            "steps": {name: self.steps.get(name, value) for name, value in self.table.items()},
            "factors": {kind: round(self._factor(kind), 3) for kind in sorted(kinds)},
        }
