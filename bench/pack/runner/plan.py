"""What is run first: stages in order of worth, and what of them fits into some minutes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.pack.runner.clock import Clock, SimulatedClock

GROUPS: dict[str, str] = {
    "a": "driver facts",
    "b": "instructions",
    "c": "kernels",
    "d": "times",
    "e": "model",
    "f": "tuner",
    "r": "disputed readings",
    "l": "litmus",
}
"""By the first letter of an item's name."""

DEFAULT_MINUTES = 9.0
"""A GPU is often at hand for ten minutes."""

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
    Stage("other kernels", r"c/(?!(tools|racecheck|synccheck)/).*"),
    Stage("model", r"e/.*"),
    Stage("tuner", r"f/.*"),
    Stage("kernels under compute-sanitizer", r"c/.*"),
)
"""In order of worth: the first whose pattern is all of a name, of an item or of a unit, has it."""


def stage_of(item: Mapping[str, Any]) -> int:
    """The number of the stage of an item, or of a unit, by its `id`."""
    return next(n for n, stage in enumerate(STAGES) if re.fullmatch(stage.names, item["id"]))


Item = Mapping[str, Any]


def sorted_by_worth(items: Sequence[Item]) -> list[Item]:
    """Items by their stage; in one, problems of the second half last."""
    return sorted(items, key=lambda item: (stage_of(item), item.get("second_half", False)))


def in_time(
    items: Sequence[Item],
    cost: Callable[[Item], float],
    clock: Clock,
    end: Callable[[], float],
) -> Iterator[Item]:
    """Gives items in order of worth while they fit before `end`, a moment of the clock.

    The time that one needs, planned or real, passes before the next is asked for. When the seconds
    of a stage are over, the rest of it comes last.
    """
    rest: list[Item] = []
    limits: dict[int, float] = {}
    for item in sorted_by_worth(items):
        stage = stage_of(item)
        limit = limits.setdefault(stage, clock.now() + STAGES[stage].seconds)
        if clock.now() + cost(item) <= min(limit, end()):
            yield item
        else:
            rest.append(item)
    for item in rest:
        if clock.now() + cost(item) <= end():
            yield item


@dataclass(frozen=True)
class Share:
    """What a stage gets: items, their seconds, and those left out."""

    stage: Stage
    taken: Sequence[Item]
    seconds: float
    left_out: Sequence[Item]


@dataclass(frozen=True)
class Plan:
    """What fits into some seconds, by stage."""

    available: float
    shares: Sequence[Share]

    @property
    def seconds(self) -> float:
        """What is planned."""
        return sum(share.seconds for share in self.shares)

    def lines(self) -> list[str]:
        """The plan as a table, and what is left out of timed problems by name."""
        found = [f"{self.seconds:.0f} of {self.available:.0f} s are planned:"]
        for share in self.shares:
            count = len(share.taken) + len(share.left_out)
            items = f"{len(share.taken)} of {count} items"
            found.append(f"  {share.stage.title:40} {items:>20} {share.seconds:6.0f} s")
        left = [item["id"] for share in self.shares for item in share.left_out]
        problems = [name for name in left if name[0] == "d"]
        if problems:
            found.append(f"  left out: {', '.join(problems)}")
        return found


def plan_for(
    items: Sequence[Item], seconds: float, cost: Callable[[Item], float], begun: float = 0.0
) -> Plan:
    """What a run of so many seconds will do, if all goes well and costs what it should.

    `begun` are the seconds until the first item.
    """
    clock, taken = SimulatedClock(begun), dict[str, float]()
    for item in in_time(items, cost, clock, lambda: seconds):
        taken[item["id"]] = cost(item)
        clock.charge(cost(item))
    shares: list[Share] = []
    for number in sorted({stage_of(item) for item in items}):
        mine = [item for item in items if stage_of(item) == number]
        chosen = [item for item in mine if item["id"] in taken]
        left = [item for item in mine if item["id"] not in taken]
        shares.append(Share(STAGES[number], chosen, sum(taken[i["id"]] for i in chosen), left))
    return Plan(seconds, shares)
