"""The state of a launch that ops see."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TextIO

from tileir_xdsl.interpreters.memory import AddressSpace

Coordinates = tuple[int, int, int]
"""x, y, z."""


@dataclass
class Token:
    """A memory order token; program order satisfies every order that tokens ask for."""


@dataclass
class Execution:
    """What the tile blocks of one launch share, and which of them runs.

    `symbols` holds the address of each global variable; `output` takes what kernels print;
    `iterations` counts those of all loops of the running tile block, up to `iteration_limit`;
    the first `lasting_allocations` outlive it.
    """

    memory: AddressSpace
    grid: Coordinates
    iteration_limit: int
    block: Coordinates = (0, 0, 0)
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    output: TextIO = field(default_factory=lambda: sys.stdout)
    iterations: int = 0
    lasting_allocations: int = 0

    def start_block(self, block: Coordinates) -> None:
        """Make `block` the running tile block."""
        self.block = block
        self.iterations = 0
        self.memory.release(self.lasting_allocations)


TOKEN = Token()
"""The value of every token."""
