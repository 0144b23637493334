"""Shares of the tests: what `make test` runs of many cases, and what continuous integration draws.

`@pytest.mark.one_in(n)` on a test says that one of its cases in `n` finds almost all that all of
them find. `make test` runs the same cases each time: those that hold as many values of the
parameters as so few can, and those that the mark names after `n`. The others are marked `soak`; a run with `--drawn SEED` takes a tenth of
them, another one for each seed, and nothing else.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

DRAWN = 10
"""One in so many of the cases that `make test` leaves out is drawn."""


def left_out(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """The cases that `one_in` leaves out of `make test`.

    Raises:
        pytest.UsageError: the mark has no whole number from 2.
    """
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("one_in") is not None:
            groups.setdefault(item.nodeid.partition("[")[0], []).append(item)
    others: list[pytest.Item] = []
    for group in groups.values():
        cases = [item for item in group if item.get_closest_marker("soak") is None]
        kept = chosen([item.nodeid for item in cases], one_in(group[0])) | always(group[0])
        others += [item for item in cases if item.nodeid not in kept]
    return others


def one_in(item: pytest.Item) -> int:
    """The number of the mark that stands closest to a test."""
    marker = item.get_closest_marker("one_in")
    match marker and marker.args:
        case (int(number), *_) if number > 1:
            return number
        case _:
            raise pytest.UsageError(f"{item.nodeid}: `one_in` takes a whole number from 2")


def always(item: pytest.Item) -> frozenset[str]:
    """The cases that a mark names: they alone reach a line of the source or find a planted fault."""
    marker = item.get_closest_marker("one_in")
    function = item.nodeid.partition("[")[0]
    return frozenset(f"{function}[{case}]" for case in marker.args[1:]) if marker else frozenset()


def chosen(names: Sequence[str], number: int) -> frozenset[str]:
    """One in `number` of the names of cases, rounded up; each in turn has most words of its
    parameters, by position, that are rarest so far.

    >>> sorted(chosen(["f[a-1]", "f[a-2]", "f[b-1]", "f[b-2]"], 2))
    ['f[a-1]', 'f[b-2]']
    """
    waiting = {
        name: tuple(enumerate(re.split(r"[-,\]]", name.partition("[")[2]))) for name in names
    }
    seen, kept = Counter[tuple[int, str]](), set[str]()

    def order(name: str) -> tuple[float, int]:
        words = waiting[name]
        return -sum(1 / (1 + seen[word]) for word in words), zlib.crc32(name.encode())

    for _ in range(-(-len(names) // number)):
        best = min(waiting, key=order)
        kept.add(best)
        seen.update(waiting.pop(best))
    return frozenset(kept)


def drawn(items: Iterable[pytest.Item], seed: int) -> list[pytest.Item]:
    """A tenth of some tests, by their names and a seed."""
    return [item for item in items if zlib.crc32(f"{seed} {item.nodeid}".encode()) % DRAWN == 0]
