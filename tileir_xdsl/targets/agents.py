"""Assigns the warps and registers of a block to the agents of a warp-specialised kernel.

Source: PTX ISA, "setmaxnreg": a count is a multiple of 8 between 24 and 256, and all warps of a
warpgroup have the same count. The registers at launch are the pool that all agents share.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from .target import Limits

WARPS_PER_GROUP = 4
THREADS_PER_WARP = 32
PRODUCER_REGISTERS = 40
"""Registers of a thread that handles scalars and starts bulk copies."""
GRANULE = 8
"""The granularity of the registers of a thread."""
MOST_REGISTERS = 240
"""The most registers of a thread; with more, the pool would be empty for other warpgroups."""


@dataclass(frozen=True)
class UnitMapping:
    """The warps of a block that run each agent, in the order of the agents."""

    num_warps: tuple[int, ...]
    """The number of warps that run each agent."""
    warp_id: tuple[int, ...]
    """The first warp of each agent."""

    @property
    def total(self) -> int:
        """The number of warps of the block: whole warpgroups."""
        ends = map(sum, zip(self.num_warps, self.warp_id, strict=True))
        return _rounded_up(max(ends, default=0), WARPS_PER_GROUP)

    @property
    def agent_strides(self) -> tuple[int, ...]:
        """The distance in warps from the start of each agent to that of the next.

        Where it exceeds `num_warps`, the warps between run no agent.
        """
        starts = sorted((*self.warp_id, self.total))
        return tuple(starts[bisect_right(starts, first)] - first for first in self.warp_id)


def map_units(num_warps: Sequence[int]) -> UnitMapping:
    """Assigns the warps of a block to agents that need given numbers of warps, at least one.

    Agents of whole warpgroups come first, to avoid unused warps before them; otherwise agents stay
    in order. An agent begins at a multiple of a warpgroup, or if it has fewer warps, of the next
    power of two. So a small agent never spans two warpgroups.
    """
    warpgroups = [n for n, warps in enumerate(num_warps) if warps % WARPS_PER_GROUP == 0]
    others = [n for n, warps in enumerate(num_warps) if warps % WARPS_PER_GROUP]
    firsts, end = [0] * len(num_warps), 0
    for agent in (*warpgroups, *others):
        firsts[agent] = _rounded_up(end, _group_size(num_warps[agent]))
        end = firsts[agent] + num_warps[agent]
    return UnitMapping(tuple(num_warps), tuple(firsts))


def _group_size(warps: int) -> int:
    """The number of warps of which an agent's first warp is a multiple."""
    return min(WARPS_PER_GROUP, 1 << (warps - 1).bit_length())


def agent_registers(
    mapping: UnitMapping, handle_tiles: Sequence[bool], limits: Limits, blocks: int = 1
) -> tuple[int, ...] | None:
    """The registers per thread of each agent, if agents can leave registers to others.

    Args:
        mapping: the warps of the agents.
        handle_tiles: for each agent, whether it handles more than scalars.
        limits: what the registers of a multiprocessor are.
        blocks: the blocks that share them.

    Returns:
        None where all warpgroups need as many, or there are not enough registers to deal.
    """
    groups = mapping.total // WARPS_PER_GROUP
    wide = {
        group
        for first, warps, tiles in zip(
            mapping.warp_id, mapping.num_warps, handle_tiles, strict=True
        )
        if tiles
        for group in range(first // WARPS_PER_GROUP, -(-(first + warps) // WARPS_PER_GROUP))
    }
    narrow = groups - len(wide)
    if not wide or not narrow:
        return None
    launched = registers_at_launch(mapping.total * blocks, limits)
    pool = launched * groups - PRODUCER_REGISTERS * narrow
    most = _rounded_down(pool // len(wide), MOST_REGISTERS)
    if most <= PRODUCER_REGISTERS:
        return None
    return tuple(
        most if first // WARPS_PER_GROUP in wide else PRODUCER_REGISTERS
        for first in mapping.warp_id
    )


def registers_at_launch(warps: int, limits: Limits) -> int:
    """The registers per thread if `warps` warps share a multiprocessor."""
    share = limits.registers_per_multiprocessor // (warps * THREADS_PER_WARP)
    return _rounded_down(share, limits.max_registers_per_thread)


def _rounded_down(registers: int, most: int) -> int:
    return min(registers, most) // GRANULE * GRANULE


def _rounded_up(warps: int, size: int) -> int:
    return -(-warps // size) * size
