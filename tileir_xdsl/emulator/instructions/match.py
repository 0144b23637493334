"""An instruction that a form describes: its qualifiers and operands by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.syntax import Instruction, Integer, Operand
from tileir_xdsl.emulator.types import TYPES, ScalarType


@dataclass(frozen=True)
class Match:
    """An instruction together with the qualifiers and operands its form names."""

    instruction: Instruction
    qualifiers: Mapping[str, str]
    operands: Mapping[str, Operand]

    def __getitem__(self, name: str) -> str:
        """The qualifier chosen for a name, or the empty string when it was left out."""
        return self.qualifiers.get(name, "")

    def has(self, flag: str) -> bool:
        return flag in self.qualifiers

    def type(self, name: str = "type") -> ScalarType:
        return TYPES[self.qualifiers[name]]

    def immediate(self, operand: str) -> int | None:
        """The value of an operand that is an integer constant."""
        found = self.operands.get(operand)
        return found.value if isinstance(found, Integer) else None

    def fail(self, message: str) -> EmulatorError:
        return EmulatorError(message, line=self.instruction.line, instruction=self.instruction.text)
