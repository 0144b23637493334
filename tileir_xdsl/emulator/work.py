"""Counts the work of a launch for each unit of a multiprocessor."""

from __future__ import annotations

from dataclasses import dataclass

from tileir_xdsl.emulator.syntax import Instruction

_SPECIAL = frozenset(("cos", "ex2", "lg2", "rcp", "rsqrt", "sin", "sqrt", "tanh"))
_ARITHMETIC = frozenset(("add", "div", "fma", "mad", "max", "min", "mul", "neg", "sub"))


@dataclass
class Work:
    """Counts of a launch so far; bytes are counted for each thread that accesses them.

    `mma_bits` counts multiply-adds times the bits of an element of A, without zeros of a sparse A.
    `special` and `double` count instructions per thread that compute elementary functions, and that
    use f64.
    """

    global_bytes: int = 0
    shared_bytes: int = 0
    mma_bits: int = 0
    special: int = 0
    double: int = 0


def is_special(instruction: Instruction) -> bool:
    """Whether the unit for elementary functions executes an instruction."""
    return instruction.mnemonic.partition(".")[0] in _SPECIAL


def is_double(instruction: Instruction) -> bool:
    """Whether the unit for f64 executes an instruction."""
    opcode, *qualifiers = instruction.mnemonic.split(".")
    return opcode in _ARITHMETIC and "f64" in qualifiers
