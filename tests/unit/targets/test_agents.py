"""Which warps run the agents of a block, and how many registers they have."""

import random

import pytest

from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.agents import (
    GRANULE,
    PRODUCER_REGISTERS,
    THREADS_PER_WARP,
    WARPS_PER_GROUP,
    UnitMapping,
    agent_registers,
    map_units,
    registers_at_launch,
)

LIMITS = get_target("sm_90a").limits


@pytest.mark.parametrize(
    ("num_warps", "warp_id", "strides"),
    [
        ([8, 1], (0, 8), (8, 4)),
        ([1, 4], (4, 0), (4, 4)),
        ([4, 1, 8], (0, 12, 4), (4, 4, 8)),
        ([1, 2, 3], (0, 2, 4), (2, 2, 4)),
        ([4], (0,), (4,)),
        ([6, 2], (0, 6), (6, 2)),
        ([], (), ()),
    ],
)
def test_where_agents_are(num_warps: list[int], warp_id: tuple[int, ...], strides: tuple[int, ...]):
    mapping = map_units(num_warps)
    assert mapping.warp_id == warp_id
    assert mapping.agent_strides == strides


@pytest.mark.parametrize("seed", range(20))
def test_agents_share_no_warp_and_small_ones_no_warpgroup(seed: int):
    generator = random.Random(seed)
    num_warps = [generator.randint(1, 9) for _ in range(generator.randint(1, 6))]
    mapping = map_units(num_warps)
    assert mapping.total % 4 == 0 and sum(mapping.agent_strides) == mapping.total
    runs = [
        set(range(first, first + warps))
        for first, warps in zip(mapping.warp_id, num_warps, strict=True)
    ]
    assert len(set[int]().union(*runs)) == sum(num_warps)
    assert all(len({warp // 4 for warp in run}) == 1 for run in runs if len(run) <= 4)
    assert all(min(run) % 4 == 0 for run in runs if len(run) % 4 == 0)


def test_holes_are_in_strides():
    assert UnitMapping((4, 4), (8, 0)).agent_strides == (4, 8)


@pytest.mark.parametrize(
    ("num_warps", "blocks", "registers"),
    [
        ([4, 1], 1, (240, 40)),
        ([8, 1], 1, (232, 40)),
        ([16, 1], 1, (104, 40)),
        ([8, 1], 2, (96, 40)),
        ([4, 1], 2, (216, 40)),
        ([8, 1], 8, None),
    ],
)
def test_registers(num_warps: list[int], blocks: int, registers: tuple[int, ...] | None):
    mapping = map_units(num_warps)
    assert agent_registers(mapping, [True, False], LIMITS, blocks) == registers


@pytest.mark.parametrize("seed", range(20))
def test_no_more_registers_than_there_are(seed: int):
    """What warpgroups take, others have given back."""
    generator = random.Random(seed)
    num_warps = [generator.randint(1, 8) for _ in range(generator.randint(2, 4))]
    tiles = [generator.random() < 0.5 for _ in num_warps]
    mapping, blocks = map_units(num_warps), generator.randint(1, 3)
    registers = agent_registers(mapping, tiles, LIMITS, blocks)
    if registers is None:
        return
    groups = {
        group: each
        for first, warps, each in zip(mapping.warp_id, num_warps, registers, strict=True)
        for group in range(first // 4, -(-(first + warps) // 4))
    }
    launched = registers_at_launch(mapping.total * blocks, LIMITS)
    assert launched % GRANULE == 0
    assert sum(groups.values()) <= launched * len(groups)
    assert (
        sum(groups.values()) * WARPS_PER_GROUP * THREADS_PER_WARP * blocks
        <= LIMITS.registers_per_multiprocessor
    )
    assert set(registers) == {max(registers), PRODUCER_REGISTERS}


def test_agents_of_one_kind_share_alike():
    mapping = map_units([4, 4])
    assert agent_registers(mapping, [True, True], LIMITS) is None
    assert agent_registers(mapping, [False, False], LIMITS) is None
