"""Covering arrays: few rows that contain every pair of values of any two axes."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

CANDIDATES = 12
"""Rows that are tried for each row of the array."""

Axes = Mapping[str, Sequence[T]]
Pair = tuple[tuple[str, T], tuple[str, T]]


def pairs_of(row: Mapping[str, T]) -> set[Pair[T]]:
    """The pairs of values that a row contains."""
    return set(combinations(sorted(row.items(), key=lambda item: item[0]), 2))


def all_pairs(axes: Axes[T]) -> list[Pair[T]]:
    """Every pair of values of two different axes, whether a row may contain it or not."""
    names = sorted(axes)
    return [
        ((first, one), (second, other))
        for first, second in combinations(names, 2)
        for one, other in product(axes[first], axes[second])
    ]


def _always(_row: Mapping[str, T]) -> bool:
    return True


def complete(
    axes: Axes[T],
    fixed: Mapping[str, T],
    allowed: Callable[[Mapping[str, T]], bool],
    rng: random.Random,
) -> dict[str, T] | None:
    """A random allowed row with the values of `fixed`; `None` if there is none."""
    free = [name for name in axes if name not in fixed]
    orders = [rng.sample(list(axes[name]), len(axes[name])) for name in free]
    for chosen in product(*orders):
        values = dict(fixed) | dict(zip(free, chosen, strict=True))
        if allowed(values):
            return {name: values[name] for name in axes}
    return None


def covering_rows(
    axes: Axes[T], seed: int, allowed: Callable[[Mapping[str, T]], bool] = _always
) -> Iterator[dict[str, T]]:
    """Different allowed rows without end, until all are used up.

    The first ones cover every pair that an allowed row can contain, each as many new pairs as a
    greedy choice among `CANDIDATES` finds; random ones follow. The same seed yields the same rows.
    """
    rng = random.Random(seed)
    missing = dict.fromkeys(all_pairs(axes))
    drawn: set[tuple[T, ...]] = set()
    while missing:
        wanted = rng.choice(list(missing))
        found = (complete(axes, dict(wanted), allowed, rng) for _ in range(CANDIDATES))
        candidates = [row for row in found if row is not None]
        if not candidates:
            del missing[wanted]
            continue
        best = max(candidates, key=lambda row: sum(pair in missing for pair in pairs_of(row)))
        for pair in pairs_of(best):
            missing.pop(pair, None)
        drawn.add(tuple(best.values()))
        yield best
    space = [
        row
        for values in product(*axes.values())
        if values not in drawn and allowed(row := dict(zip(axes, values, strict=True)))
    ]
    rng.shuffle(space)
    yield from space
