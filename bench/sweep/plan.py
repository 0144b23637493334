"""Which points of which kinds a sample has."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from bench.sweep import (
    attention,
    attention_backward,
    convolutions,
    dequantised,
    experts,
    matmuls,
    moves,
    rows,
    scans,
    spellings,
)
from bench.sweep.kinds import Generated, Kind, Value
from bench.sweep.pairwise import covering_rows

SHARING: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        matmuls.KIND,
        attention.KIND,
        attention_backward.KIND,
        rows.KIND,
        scans.KIND,
        convolutions.KIND,
        *moves.KINDS,
    )
}
"""Kinds that share the points of a sample by their weights."""
FURTHER = experts.KIND
"""A kind whose points come on top of a sample, so that the others stay the same."""
EVERY = 20
"""A further point follows so many others."""
NAMED = (spellings.KIND, dequantised.KIND)
"""Kinds whose points are named, and in no sample."""
KINDS: Mapping[str, Kind] = {
    **SHARING,
    FURTHER.name: FURTHER,
    **{kind.name: kind for kind in NAMED},
}
SEED = 19
EMULATED = 10
"""One of so many points is run in the emulator."""


@dataclass(frozen=True)
class Point:
    """One kernel of a sample; equal values of axes make equal kernels."""

    kind: str
    values: Mapping[str, Value]

    @property
    def name(self) -> str:
        """`attention queries=64 keys=128 ...`: what `point_of` reads."""
        return " ".join([self.kind, *(f"{axis}={value}" for axis, value in self.values.items())])

    @property
    def is_emulated(self) -> bool:
        """Whether it is one of those that run in the emulator: the same ones every time."""
        return zlib.crc32(self.name.encode()) % EMULATED == 0

    def generate(self) -> Generated:
        """The kernel."""
        return KINDS[self.kind].make(self.values)


def point_of(name: str) -> Point:
    """Reads the name of a point; raises ValueError for a name that none has."""
    kind, *parts = name.split()
    if kind not in KINDS:
        raise ValueError(f"expected a kind of {', '.join(KINDS)}, got {kind}")
    known = KINDS[kind].axes("sm_90a")
    values: dict[str, Value] = {}
    for part in parts:
        axis, _, text = part.partition("=")
        found = [value for value in known.get(axis, ()) if str(value) == text]
        if not found:
            raise ValueError(f"expected a value of an axis of {kind}, got {part}")
        values[axis] = found[0]
    if missing := set(known) - set(values):
        raise ValueError(f"expected a value for every axis of {kind}, none for {sorted(missing)}")
    return Point(kind, values)


def sample(gpu: str, count: int, seed: int = SEED) -> list[Point]:
    """The first `count` points of a target, kinds in turns by their weights, and further ones.

    Each kind's points are a covering array of its axes, and random ones after that. A longer
    sample begins with the shorter one.
    """
    drawn = {
        name: covering_rows(kind.axes(gpu), seed, kind.allowed) for name, kind in SHARING.items()
    }
    further = covering_rows(FURTHER.axes(gpu), seed, FURTHER.allowed)
    taken = dict.fromkeys(SHARING, 0)
    points: list[Point] = []
    while drawn and sum(taken.values()) < count:
        # The kind that has had least of its share.
        name = min(drawn, key=lambda name: (taken[name] + 0.5) / KINDS[name].weight)
        values = next(drawn[name], None)
        if values is None:
            del drawn[name]
            continue
        taken[name] += 1
        points.append(Point(name, values))
        if sum(taken.values()) % EVERY == 0 and (values := next(further, None)) is not None:
            points.append(Point(FURTHER.name, values))
    return points
