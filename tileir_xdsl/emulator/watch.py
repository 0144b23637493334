"""Watches a launch: its progress, the executed instructions, and its time limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TextIO

import numpy as np

from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.program import BasicBlock
from tileir_xdsl.emulator.schedule import Scheduler
from tileir_xdsl.emulator.syntax import Instruction, Operand, Register, Vector
from tileir_xdsl.emulator.types import Array

_SHOWN_REGISTERS = 4
"""The most result registers of an instruction that a trace shows."""


@dataclass
class Watch:
    """Observes a launch after every basic block that a group of threads has executed.

    `progress` is called with the number of ended blocks of the grid, and should return at once.
    After `time_limit` seconds the launch ends with an error. `trace` receives a line for every
    instruction: its PTX line, its text, the number of its threads and the first of them. The line
    also has the first result registers of that thread, at the end of the basic block.
    """

    time_limit: float | None = None
    progress: Callable[[int], None] | None = None
    trace: TextIO | None = None
    ended: int = 0
    """The number of blocks of earlier batches."""
    _started: float = field(default_factory=time.monotonic)

    def expired(self) -> bool:
        """Whether the time limit of the launch is exceeded."""
        return self.time_limit is not None and time.monotonic() - self._started > self.time_limit

    def executed(self, scheduler: Scheduler, group: ThreadGroup, block: BasicBlock) -> None:
        """Reports progress, and traces a basic block that a group has executed."""
        if self.progress is not None:
            self.progress(self.ended + scheduler.ended)
        if self.trace is not None:
            for line in _lines(scheduler, group, block):
                self.trace.write(f"{line}\n")


def _lines(scheduler: Scheduler, group: ThreadGroup, block: BasicBlock) -> Iterator[str]:
    lanes = group.active()
    first = scheduler.faults.first_thread(group, lanes)
    row, column = (int(i) for i in np.argwhere(lanes)[0])
    threads = int(np.count_nonzero(lanes))
    for step in block.steps:
        instruction = step.match.instruction
        values = ", ".join(
            f"{name} = {_held(scheduler, name)[group.b0 + row, group.t0 + column]}"
            for name in _results(instruction)[:_SHOWN_REGISTERS]
            if name in scheduler.registers.storage
        )
        where = f"PTX line {instruction.line}: {first}, {threads} threads"
        yield f"{where}: {instruction.text}{': ' if values else ''}{values}"


def _held(scheduler: Scheduler, register: str) -> Array:
    """The values of a register in all threads, as floats if any instruction uses it as a float."""
    for number, slot in enumerate(scheduler.registers.slots[: len(scheduler.registers.views)]):
        if slot.register == register and slot.type.kind == "float":
            return scheduler.registers.views[number]
    return scheduler.registers.storage[register]


def _results(instruction: Instruction) -> list[str]:
    """The registers of the first operand, which is the result if there is one."""
    return list(_registers(instruction.operands[0])) if instruction.operands else []


def _registers(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Vector(elements):
            for element in elements:
                yield from _registers(element)
        case _:
            pass
