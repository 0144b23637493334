"""How many registers of a kernel hold values at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tileir_xdsl.emulator.flow import guards, successors, used, written
from tileir_xdsl.emulator.program import Barrier, BasicBlock
from tileir_xdsl.emulator.syntax import Kernel

_WORD = 32


def live_registers(kernel: Kernel, program: Sequence[BasicBlock]) -> int:
    """The most 32-bit registers that a thread needs at once, without predicates.

    An assembler allocates as many or more.
    """
    words = {name: type_.bits // _WORD or 1 for name, type_ in kernel.registers.items()}
    words |= {name: 0 for name, type_ in kernel.registers.items() if type_.kind == "predicate"}
    at_start: list[frozenset[str]] = [frozenset()] * len(program)
    predecessors: list[list[int]] = [[] for _ in program]
    for number, block in enumerate(program):
        for following in successors(block):
            predecessors[following].append(number)
    most, pending = 0, dict.fromkeys(reversed(range(len(program))))
    while pending:
        number = next(iter(pending))
        del pending[number]
        block = program[number]
        after = frozenset[str]().union(*(at_start[each] for each in successors(block)))
        before, held = _live_before(block, after, words)
        most = max(most, held)
        if before != at_start[number]:
            at_start[number] = before
            pending |= dict.fromkeys(predecessors[number])
    return most


def _live_before(
    block: BasicBlock, after: frozenset[str], words: dict[str, int]
) -> tuple[frozenset[str], int]:
    """Registers live at the start of a basic block, and the most live words inside of it."""
    live = {*after, *guards(block)}
    if isinstance(block.terminator, Barrier):
        live |= set(used(block.terminator.match.instruction))
    held = most = _words(live, words)
    for step in reversed(block.steps):
        instruction = step.match.instruction
        if instruction.guard is None:
            gone = live & set(written(instruction))
            live -= gone
            held -= _words(gone, words)
        more = set(used(instruction)) - live
        live |= more
        held += _words(more, words)
        most = max(most, held)
    return frozenset(live), most


def _words(names: Iterable[str], words: dict[str, int]) -> int:
    return sum(words.get(name, 0) for name in names)
