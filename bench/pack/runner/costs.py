"""What the steps of a run cost, from one table that measured costs correct."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COSTS: dict[str, float] = {
    "start": 15.0,
    "open": 1.0,
    "item": 0.004,
    "module": 0.02,
    "host_byte": 1 / 2e9,
    "copy_byte": 1 / 5e9,
    "reference": 0.1,
    "kernel": 1e-3,
    "flop": 1 / 3e14,
    "memory_byte": 1 / 2e12,
    "contender": 0.5,
    "tool": 25.0,
    "hang": 15.0,
}
"""Seconds, each estimated until a first run has measured it.

`start`: a process until torch is imported. `open`: a context. `item`: an order, its answer and the
comparison. `module`: loading machine code. `host_byte`: making random data. `copy_byte`: to or from
the device. `reference`: what sampled elements of a timed problem must be. `kernel`: a launch that
nothing is known of. `flop`, `memory_byte`: a launch by its work. `contender`: checking, capturing
and timing one, beside its launches. `tool`: an item under compute-sanitizer or ncu. `hang`: the
longest silence of a process, after which it counts as hanging.
"""


def table_of(*corrections: Mapping[str, float]) -> dict[str, float]:
    """The table with measured costs in place of estimates; later corrections hold."""
    found = dict(COSTS)
    for correction in corrections:
        found |= correction
    return found


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
