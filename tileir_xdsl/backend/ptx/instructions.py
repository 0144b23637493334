"""The light instruction list between ops and text.

An instruction is an opcode with operands; registers are numbers. This module knows only the
registers that an instruction writes and reads, not its meaning.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import LocationAttr

from tileir_xdsl.backend.ptx.registers import Component


class Address(NamedTuple):
    """`[base+offset]`: a register or a symbol plus a signed byte offset."""

    base: int | str
    offset: int


class VectorOperand(NamedTuple):
    """`{a, b, c}`: the registers of a vector access or of a matrix fragment."""

    items: tuple[int | str, ...]


class WithPredicate(NamedTuple):
    """`d|p`: a destination together with a predicate."""

    destination: int
    predicate: int


class TensorAddress(NamedTuple):
    """`[map, {c0, c1}]`: a tensor map and coordinates in its tensor."""

    address: Address
    coordinates: tuple[int | str, ...]


class InlineText(NamedTuple):
    """The whole text of an instruction, in pieces between registers."""

    parts: tuple[int | str, ...]


Operand = int | str | Address | VectorOperand | WithPredicate | TensorAddress | InlineText
"""A register, literal text, or one of the classes above."""


class Guard(NamedTuple):
    """`@%p` or `@!%p`: the instruction runs only where the predicate is true, or false."""

    predicate: int
    negated: bool = False


@dataclass(slots=True)
class Instruction:
    """`@guard opcode operands;`, which writes the first `definitions` operands.

    `is_copy` marks a move between registers, which disappears if the two registers are merged.
    `in_position` pairs a written register with a read one that may be the same register. `location`
    is that of the selected op; None if there is no such op.
    """

    opcode: str
    operands: tuple[Operand, ...] = ()
    definitions: int = 0
    guard: Guard | None = None
    is_copy: bool = False
    location: LocationAttr | None = None
    in_position: tuple[tuple[int, int], ...] = ()

    def written(self) -> Iterator[int]:
        """The registers that the instruction writes."""
        for operand in self.operands[: self.definitions]:
            if type(operand) is int:
                yield operand
            else:
                yield from operand_registers(operand)

    def read(self) -> Iterator[int]:
        """The registers that the instruction reads, without those written under a guard."""
        for operand in self.operands[self.definitions :]:
            # Most operands are registers and immediates.
            if type(operand) is int:
                yield operand
            elif type(operand) is str:
                continue
            elif isinstance(operand, InlineText):
                # The text names the registers that it writes, too.
                written = set(self.written())
                yield from (r for r in operand_registers(operand) if r not in written)
            else:
                yield from operand_registers(operand)
        if self.guard is not None:
            yield self.guard.predicate


@dataclass(slots=True)
class Label:
    """A jump target inside a block, after instructions that may be skipped."""

    name: str


Line = Instruction | Label


def operand_registers(operand: Operand) -> Iterator[int]:
    """The registers in an operand."""
    match operand:
        case int():
            yield operand
        case str():
            return
        case Address():
            if isinstance(operand.base, int):
                yield operand.base
        case VectorOperand():
            for item in operand.items:
                if isinstance(item, int):
                    yield item
        case WithPredicate():
            yield operand.destination
            yield operand.predicate
        case TensorAddress():
            yield from operand_registers(operand.address)
            yield from operand_registers(VectorOperand(operand.coordinates))
        case InlineText():
            yield from operand_registers(VectorOperand(operand.parts))


@dataclass(slots=True)
class Edge:
    """An edge to block `target`, with parallel `copies` (destination, source)."""

    target: int
    copies: list[tuple[int, Component]] = field(default_factory=lambda: [])


@dataclass(slots=True)
class MachineBlock:
    """Lines, then conditional edges tried in order, then `tail` and the edge taken otherwise.

    `location` is that of the terminator, which its jumps and copies share.
    """

    lines: list[Line] = field(default_factory=lambda: [])
    branches: list[tuple[Guard, Edge]] = field(default_factory=lambda: [])
    tail: list[Line] = field(default_factory=lambda: [])
    fallthrough: Edge | None = None
    location: LocationAttr | None = None

    def edges(self) -> Iterator[Edge]:
        for _, edge in self.branches:
            yield edge
        if self.fallthrough is not None:
            yield self.fallthrough
