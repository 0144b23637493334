"""Facts about the instructions of a kernel that the race detector needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.types import REACHES


@dataclass(frozen=True)
class Sites:
    """The instructions of a kernel that access memory, and facts about them.

    `instructions` has the compiled instructions by number; the list grows while the kernel runs.
    `granules` are the bytes per cell of shared and of global memory, and `mma_registers` the
    registers of asynchronous mma.
    """

    instructions: Sequence[Instruction]
    granules: Mapping[str, int]
    mma_registers: Sequence[str]


def granules(matches: Iterable[Match]) -> dict[str, int]:
    """The bytes per cell of shared and of global memory: the narrowest access, at most four."""
    found = {"shared": 4, "global": 4}
    for match in matches:
        # `st.bulk` has no type, and is made of longer words.
        if match.instruction.opcode in ("ld", "ldu", "st", "atom", "red") and match["type"]:
            width = match.type().bytes
            space = match["space"].split("::")[0]
            for name in found:
                if space in ("", name):
                    found[name] = min(found[name], width)
    return found


def reach_of(instruction: Instruction) -> int:
    """The reach of the scope of a strong access; the device for accesses to barrier objects."""
    opcode, *qualifiers = instruction.mnemonic.split(".")
    if opcode not in ("ld", "st", "atom", "red"):
        return REACHES["gpu"]
    return next((REACHES[part] for part in qualifiers if part in REACHES), REACHES["gpu"])
