"""Instructions of a kernel with their operands by name."""

from collections.abc import Collection, Iterator

from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.table import FORM_TABLE
from tileir_xdsl.emulator.syntax import Instruction, Kernel, Label


def matches(kernel: Kernel, opcodes: Collection[str]) -> Iterator[Match]:
    """The instructions with one of some opcodes, in order; see `match_of`."""
    for statement in kernel.body:
        if not isinstance(statement, Label) and statement.opcode in opcodes:
            match = match_of(statement)
            if match is not None:
                yield match


def match_of(instruction: Instruction) -> Match | None:
    """The operands of an instruction by name; `None` if the emulator does not know the instruction.

    Raises `EmulatorError` if it has too few or too many operands.
    """
    found = FORM_TABLE.find(instruction)
    return None if found is None else found[1]
