"""How the registers of a block are dealt to the agents of a warp-specialised kernel.

Source: PTX ISA, "setmaxnreg": a count is a multiple of 8 between 24 and 256, and all warps of a
warpgroup have the same. What the launch gives a thread is what all agents share.
"""

from dataclasses import dataclass

from .target import Limits

WARPS_PER_GROUP = 4
THREADS_PER_GROUP = 128
PRODUCER_REGISTERS = 40
"""What a thread needs that starts bulk copies."""
GRANULE = 8
MOST_REGISTERS = 240
"""With more, the pool has none left for other warpgroups."""


@dataclass(frozen=True)
class AgentRegisters:
    """Registers of a thread of the agents that compute, and of the one that starts copies."""

    compute: int
    producer: int


def agent_registers(compute_warps: int, limits: Limits) -> AgentRegisters:
    """The registers of the agents of a block with one warpgroup that only starts copies."""
    groups = -(-compute_warps // WARPS_PER_GROUP)
    launched = _rounded(
        limits.registers_per_multiprocessor // ((groups + 1) * THREADS_PER_GROUP),
        limits.max_registers_per_thread,
    )
    pool = launched * (groups + 1) - PRODUCER_REGISTERS
    return AgentRegisters(_rounded(pool // groups, MOST_REGISTERS), PRODUCER_REGISTERS)


def _rounded(registers: int, most: int) -> int:
    return min(registers, most) // GRANULE * GRANULE
