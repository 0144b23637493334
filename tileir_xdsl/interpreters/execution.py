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

    `symbols` holds the address of each global variable; `output` takes what kernels print.
    """

    memory: AddressSpace
    grid: Coordinates
    block: Coordinates = (0, 0, 0)
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    output: TextIO = field(default_factory=lambda: sys.stdout)


TOKEN = Token()
"""The value of every token."""
