"""Random programs draw every op of the roster, and each of them goes down to PTX."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from bench.road_rows import OPS
from tileir_xdsl.testing.tileas_programs.machine import compare_with_machine, generate_for_machine

SEEDS = range(100)
SIZE = 10

FURTHER = ("async.pipeline.create_null_token", "async.tiled_atomic_rmw")
"""Ops of the dialect that the tables of the seed leave out of their rosters."""

ROSTER = sorted(
    f"nv_tileas.{name}"
    for name in (*(name for family in OPS.values() for name in family), *FURTHER)
)

UNREACHED: Mapping[str, str] = {}
"""Ops that no random program can have, with the reason."""


@cache
def drawn(seed: int) -> frozenset[str]:
    """The names of the ops of a program."""
    return frozenset(op.name for op in generate_for_machine(seed, SIZE).module.walk())


@cache
def refusal(seed: int) -> str | None:
    """Why the program of a seed is refused; what it computes is checked."""
    return compare_with_machine(generate_for_machine(seed, SIZE))


def test_every_op_is_drawn() -> None:
    reached = frozenset[str]().union(*map(drawn, SEEDS))
    assert [name for name in ROSTER if name not in reached] == list(UNREACHED)


@pytest.mark.parametrize("name", [name for name in ROSTER if name not in UNREACHED])
def test_ptx_of_each_op_computes_what_the_interpreter_does(name: str) -> None:
    """Late, with races looked for; of several programs with the op the first is not refused."""
    with_op = [seed for seed in SEEDS if name in drawn(seed)]
    assert any(refusal(seed) is None for seed in with_op[:3])
