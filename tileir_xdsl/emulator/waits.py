"""Finds loops of a kernel that may wait for other blocks.

A cycle of basic blocks waits if one of its branches depends on its read of global memory, by an
atomic or a strong load. Only other threads may change the value that is read. The value may reach
the branch through registers and shared memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tileir_xdsl.emulator.flow import cycles, guards, spaces_in, used, written
from tileir_xdsl.emulator.instructions.isa import CHAPTERS
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.program import Barrier, BasicBlock, ClusterWait
from tileir_xdsl.emulator.syntax import Instruction, SpecialRegister

_OTHER_SPACES = frozenset(("shared", "param", "const", "local"))

_REPEATABLE = {
    name.split(".")[0]
    for chapter, names in CHAPTERS.items()
    if chapter not in ("Asynchronous Copy", "Control Flow", "Stack Manipulation")
    and not chapter.startswith(("Asynchronous Warpgroup", "TensorCore"))
    for name in names
} - {
    "clusterlaunchcontrol",
    "cp",
    "griddepcontrol",
    "mbarrier",
    "multimem",
    "setmaxnreg",
    "tensormap",
}
"""Opcodes that change only registers and memory whose changes count, and read nothing else."""

_CLOCKS = ("%clock", "%globaltimer")


@dataclass(frozen=True)
class Waits:
    """The polling reads of a kernel by basic block: loops depend on these reads.

    `opaque` are the basic blocks that may change other state than registers, shared and global
    memory, or that depend on time.
    """

    reads: Mapping[int, Match] = field(default_factory=dict[int, Match])
    opaque: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.reads)


def find_waits(program: Sequence[BasicBlock]) -> Waits:
    """The loops of a kernel that wait."""
    if not any(_is_strong_read(step.match) for block in program for step in block.steps):
        return Waits()
    reads: dict[int, Match] = {}
    for cycle in cycles(program):
        reads |= _reads_of(program, cycle)
    opaque = [number for number, block in enumerate(program) if _is_opaque(block)]
    return Waits(reads, frozenset(opaque))


def _is_opaque(block: BasicBlock) -> bool:
    match block.terminator:
        case ClusterWait():
            return True
        case Barrier(match) if "arrive" in match.instruction.mnemonic.split("."):
            return True
        case _:
            return not all(map(_is_repeatable, (step.match.instruction for step in block.steps)))


def _is_repeatable(instruction: Instruction) -> bool:
    parts = instruction.mnemonic.split(".")
    if parts[0] not in _REPEATABLE or "async" in parts or "cluster" in parts[1:2]:
        return False
    return not any(
        isinstance(each, SpecialRegister) and each.name.startswith(_CLOCKS)
        for each in instruction.operands
    )


def _is_strong_read(match: Match) -> bool:
    opcode, *qualifiers = match.instruction.mnemonic.split(".")
    is_strong = opcode == "atom" or (
        opcode == "ld" and not {"volatile", "relaxed", "acquire"}.isdisjoint(qualifiers)
    )
    return is_strong and _OTHER_SPACES.isdisjoint(spaces_in(qualifiers))


def _reads_of(program: Sequence[BasicBlock], cycle: Sequence[int]) -> dict[int, Match]:
    """The strong reads of a cycle that its branches depend on."""
    found: dict[int, Match] = {}
    steps = [(n, step.match) for n in cycle for step in program[n].steps]
    pending: list[str] = [name for n in cycle for name in guards(program[n])]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for number, match in steps:
            instruction = match.instruction
            if name not in written(instruction):
                continue
            if _is_strong_read(match):
                found.setdefault(number, match)
            pending += used(instruction)
    return found
