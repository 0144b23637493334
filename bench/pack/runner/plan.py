"""Which groups a run has time for, and for how long."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
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
    "r": Group("disputed readings", 30),
}
"""In order of worth."""

DRAWN = (
    "vector_add", "elementwise_f32", "elementary_f32", "conversions", "transpose",
    "softmax_f32", "layer_norm", "reductions", "argmax_rows", "cumulative",
    "histogram", "gather_rows", "rope", "matmul_bf16", "matmul_f8", "matmul_tf32",
    "matmul_i8", "split_k_matmul", "convolution", "attention_causal", "mixture_of_experts",
    "collatz", "atomic_updates_i32", "spin_lock", "last_block_sum", "integer_division_i32",
    "matrix_product_128x256x64", "matrix_attention_128x128x128",
    "matrix_persistent_128x256x64", "matrix_grouped_128x128x64",
)  # fmt: skip
"""Thirty kernels, drawn over their families, that tell early whether kernels are right."""


@dataclass(frozen=True)
class Stage:
    """Items of like worth: a pattern of their names, and seconds after which others are first."""

    title: str
    names: str
    seconds: float = math.inf


STAGES: tuple[Stage, ...] = (
    Stage("driver facts", r"a(/.*)?", 60),
    Stage("correctness of drawn kernels", rf"c/(\w+/)?({'|'.join(DRAWN)})", 120),
    Stage("disputed readings, litmus", r"[rl](/.*)?", 60),
    Stage(
        "times of bf16 matmul, attention, rows",
        r"d/(?!.*(grouped|backward))(matmul_bf16|attention|copy|softmax|layer_norm|rope"
        r"|cross_entropy|row_sum|transpose|gather).*",
    ),
    Stage("times of other types, grouped, backward", r"d/.*"),
    Stage("instructions", r"b/.*"),
    Stage("other kernels", r"c/.*"),
    Stage("model", r"e/.*"),
    Stage("tuner", r"f/.*"),
)
"""In order of worth: the first whose pattern is all of a name, of an item or of a unit, has it."""


def stage_of(item: Mapping[str, Any]) -> int:
    """The number of the stage of an item, or of a unit, by its `id`."""
    return next(n for n, stage in enumerate(STAGES) if re.fullmatch(stage.names, item["id"]))


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
