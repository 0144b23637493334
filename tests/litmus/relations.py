"""Relations over events numbered from 0: a row of bits for each event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Relation = list[int]


def relation(size: int, pairs: Iterable[tuple[int, int]]) -> Relation:
    rows = [0] * size
    for first, second in pairs:
        rows[first] |= 1 << second
    return rows


def where(size: int, holds: Callable[[int, int], bool]) -> Relation:
    return relation(size, ((i, j) for i in range(size) for j in range(size) if holds(i, j)))


def pairs(rows: Relation) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(rows) for j in range(len(rows)) if row >> j & 1]


def union(*relations: Relation) -> Relation:
    result = [0] * len(relations[0])
    for rows in relations:
        result = [a | b for a, b in zip(result, rows, strict=True)]
    return result


def both(first: Relation, second: Relation) -> Relation:
    return [a & b for a, b in zip(first, second, strict=True)]


def then(first: Relation, second: Relation) -> Relation:
    """What is related by the first relation, followed by the second one."""
    result: Relation = []
    for row in first:
        reached, number = 0, 0
        while row:
            if row & 1:
                reached |= second[number]
            row >>= 1
            number += 1
        result.append(reached)
    return result


def closure(rows: Relation) -> Relation:
    """The transitive closure."""
    result = list(rows)
    for middle, _ in enumerate(result):
        through = result[middle]
        for number, row in enumerate(result):
            if row >> middle & 1:
                result[number] = row | through
    return result


def inverse(rows: Relation) -> Relation:
    return relation(len(rows), ((j, i) for i, j in pairs(rows)))


def is_irreflexive(rows: Relation) -> bool:
    return not any(row >> number & 1 for number, row in enumerate(rows))


def is_acyclic(rows: Relation) -> bool:
    return is_irreflexive(closure(rows))
