"""The tile block of a launch that is running."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tileir_xdsl.interpreters.address_space import AddressSpace
from tileir_xdsl.interpreters.agents import Agent, Agents
from tileir_xdsl.interpreters.grid import Coordinates

Cta: TypeAlias = tuple[int, int]
"""The index of a thread block among those that execute its tile block."""

FIRST_CTA: Cta = (0, 0)


@dataclass
class RunningBlock:
    """The running tile block of a grid; the launch updates its fields for every tile block.

    `cta` is the running one of the thread blocks that execute the tile block, and `agents` are
    those of the tile block. `block_agent` runs the tile block where tile blocks take turns. All
    share `memory`.
    """

    memory: AddressSpace
    grid: Coordinates
    block: Coordinates = (0, 0, 0)
    cta: Cta = FIRST_CTA
    agents: Agents = field(default_factory=Agents)
    block_agent: Agent | None = None
