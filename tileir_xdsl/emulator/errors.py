"""The error of the emulator, with the PTX line and the thread at fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tileir_xdsl.emulator.syntax import Instruction

WARP_SIZE = 32


@dataclass(frozen=True)
class ThreadLocation:
    """The thread an error is about: its block in the grid, and its warp and lane in the block."""

    block: tuple[int, int, int]
    warp: int
    lane: int

    def __str__(self) -> str:
        x, y, z = self.block
        return f"block ({x}, {y}, {z}), warp {self.warp}, lane {self.lane}"


class EmulatorError(Exception):
    """PTX text that cannot be loaded, a launch that does not fit its kernel, or a fault in a run.

    `line` is the line of the PTX text, counted from 1; `location` names the first thread at fault.
    Both are `None` where they do not apply: a wrong argument count has no line. `source` is the
    position in the kernel's source that the line comes from, if known.
    """

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        instruction: str | None = None,
        location: ThreadLocation | None = None,
        source: str | None = None,
    ) -> None:
        self.message = message
        self.line = line
        self.instruction = instruction
        self.location = location
        parts = [] if source is None else [f"{source}: "]
        if line is not None:
            parts.append(f"PTX line {line}: ")
        parts.append(message)
        if instruction is not None:
            parts.append(f" in '{instruction}'")
        if location is not None:
            parts.append(f" ({location})")
        super().__init__("".join(parts))


class MemoryFault(EmulatorError):
    """An access outside of all arrays, or one that is not aligned."""


class RaceFault(EmulatorError):
    """Accesses that nothing orders, as `races=True` reports them."""


class DeadlockFault(EmulatorError):
    """Threads that wait for an event that never happens."""


class ArgumentFault(EmulatorError):
    """A kernel argument that does not fit its parameter."""


class LaneFault(Exception):
    """A fault inside a running basic block; the scheduler turns it into an `EmulatorError`.

    `lanes` marks the threads at fault in the rectangle of the running group, `[blocks, threads]`.
    `instruction` is given if another instruction than the running one is at fault; `becomes` is the
    class of the error.
    """

    def __init__(
        self,
        message: str,
        lanes: npt.NDArray[np.bool_],
        instruction: Instruction | None = None,
        becomes: type[EmulatorError] = EmulatorError,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.lanes = lanes
        self.instruction = instruction
        self.becomes = becomes
