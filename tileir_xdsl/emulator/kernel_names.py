"""The names that generated code of a kernel uses: register slots, Python objects, variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tileir_xdsl.emulator.registers import Slot
from tileir_xdsl.emulator.syntax import Instruction, Kernel
from tileir_xdsl.emulator.types import TYPES, ScalarType

PREDICATE = TYPES["pred"]
CARRY = "%carry"
"""The register of the carry flag of extended-precision arithmetic; PTX text cannot name it."""


@dataclass
class KernelNames:
    """The names of one kernel, to which each compiled block adds.

    `addresses` holds the generic addresses of the module's global and constant variables. `sites`
    lists the instructions that have been compiled with race detection.
    """

    kernel: Kernel
    addresses: dict[str, int]
    slots: list[Slot] = field(default_factory=list[Slot])
    slot_numbers: dict[Slot, int] = field(default_factory=dict[Slot, int])
    namespace: dict[str, Any] = field(default_factory=dict[str, Any])
    sites: list[Instruction] = field(default_factory=list[Instruction])
    registers: dict[str, ScalarType] = field(init=False)
    parameter_offsets: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.namespace["copyto"] = np.copyto
        self.registers = {**self.kernel.registers, CARRY: PREDICATE}
        self.parameter_offsets = {p.name: p.offset for p in self.kernel.parameters}

    def slot(self, register: str, type_: ScalarType) -> int:
        """The index, among the views `v`, of a register viewed as a type."""
        slot = Slot(register, type_)
        number = self.slot_numbers.get(slot)
        if number is None:
            number = len(self.slots)
            self.slots.append(slot)
            self.slot_numbers[slot] = number
        return number

    def bind(self, value: object) -> str:
        """Makes a name by which generated code refers to a Python object."""
        name = f"k{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def symbol_address(self, name: str) -> int:
        """The address of a symbol within its state space."""
        if name in self.parameter_offsets:
            return self.parameter_offsets[name]
        variable = self.kernel.variables.get(name)
        return self.addresses[name] if variable is None else variable.offset

    def symbol_space(self, name: str) -> str:
        """The state space of a symbol."""
        if name in self.parameter_offsets:
            return "param"
        variable = self.kernel.variables.get(name)
        return "global" if variable is None else variable.space
