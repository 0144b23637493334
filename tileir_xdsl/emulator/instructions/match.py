"""An instruction matched with a form: its qualifiers and operands by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.syntax import Instruction, Integer, Operand
from tileir_xdsl.emulator.types import TYPES, ScalarType


@dataclass(frozen=True)
class Match:
    """An instruction with the qualifiers and operands that its form names."""

    instruction: Instruction
    qualifiers: Mapping[str, str]
    operands: Mapping[str, Operand]

    def __getitem__(self, name: str) -> str:
        """The qualifier chosen for a name; empty if it was left out."""
        return self.qualifiers.get(name, "")

    def has(self, flag: str) -> bool:
        return flag in self.qualifiers

    def type(self, name: str = "type") -> ScalarType:
        return TYPES[self.qualifiers[name]]

    def immediate(self, operand: str) -> int | None:
        """The value of an operand, if it is an integer constant."""
        found = self.operands.get(operand)
        return found.value if isinstance(found, Integer) else None

    def fail(self, message: str) -> EmulatorError:
        return EmulatorError(message, line=self.instruction.line, instruction=self.instruction.text)
