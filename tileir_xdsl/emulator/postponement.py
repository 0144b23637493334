"""Which accesses of a program may be delayed, and until when (see `races/put_off.py`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tileir_xdsl.emulator.program import (
    PRIVATE,
    BasicBlock,
    Branch,
    IndexedBranch,
    Jump,
    Terminator,
)
from tileir_xdsl.emulator.races.put_off import Needs
from tileir_xdsl.emulator.syntax import (
    Address,
    Instruction,
    Negated,
    Operand,
    Pair,
    Register,
    Selected,
    Vector,
)

_ALL = Needs(everything=True)
_ACCESSES = ("ld", "st", "atom", "red")
# Loads, stores and updates that are asynchronous, or made by another proxy.
_OTHER_WAYS = frozenset(("bulk", "async"))


def needs_of(instruction: Instruction) -> Needs:
    """The delayed accesses that an instruction needs completed."""
    opcode, *qualifiers = instruction.mnemonic.split(".")
    registers = frozenset(_registers(*instruction.operands))
    if instruction.guard is not None:
        registers |= {instruction.guard.register}
    if opcode in PRIVATE:
        return Needs(registers=registers)
    acquires = not {"acquire", "acq_rel"}.isdisjoint(qualifiers)
    if opcode not in _ACCESSES or acquires or not _OTHER_WAYS.isdisjoint(qualifiers):
        return _ALL
    return Needs(updates="release" in qualifiers, registers=registers)


def needs_of_end(terminator: Terminator) -> Needs:
    """The delayed accesses that a terminator needs completed."""
    match terminator:
        case Jump():
            return Needs()
        case Branch(guard):
            return Needs(registers=frozenset((guard.register,)))
        case IndexedBranch(_, index):
            return Needs(registers=frozenset(_registers(index)))
        case _:
            return _ALL


def can_wait(program: Sequence[BasicBlock], index: int, position: int) -> bool:
    """Whether an instruction of a basic block is an access that may be delayed after a later store.

    Delaying other loads is useless: they can return the same values without it.
    """
    instruction = program[index].steps[position].match.instruction
    opcode, *qualifiers = instruction.mnemonic.split(".")
    is_load = opcode == "ld" and not {"relaxed", "acquire", "volatile"}.isdisjoint(qualifiers)
    is_update = opcode in ("atom", "red") and {"acquire", "acq_rel", "release", "cas"}.isdisjoint(
        qualifiers
    )
    if not is_load and not is_update:
        return False
    returned = frozenset(_registers(*instruction.operands[:1])) if opcode != "red" else frozenset()
    seen: set[int] = set()
    pending = [(index, position + 1)]
    while pending:
        block, first = pending.pop()
        for step in program[block].steps[first:]:
            later = step.match.instruction
            if _is_needed(returned, needs_of(later), is_update=is_update):
                break
            if _is_strong_store(later):
                return True
        else:
            end = program[block].terminator
            if not _is_needed(returned, needs_of_end(end), is_update=is_update):
                following = [each for each in _following(end) if each not in seen]
                seen.update(following)
                pending += [(each, 0) for each in following]
    return False


def _is_needed(returned: frozenset[str], needs: Needs, *, is_update: bool) -> bool:
    if needs.everything or (needs.updates and is_update):
        return True
    return not needs.registers.isdisjoint(returned)


def _following(terminator: Terminator) -> tuple[int, ...]:
    match terminator:
        case Jump(target):
            return (target,)
        case Branch(_, target, otherwise):
            return target, otherwise
        case _:
            return ()


def _is_strong_store(instruction: Instruction) -> bool:
    opcode, *qualifiers = instruction.mnemonic.split(".")
    is_strong = not {"relaxed", "release", "volatile"}.isdisjoint(qualifiers)
    return opcode in ("atom", "red") or (opcode == "st" and is_strong)


def _registers(*operands: Operand) -> Iterator[str]:
    """The registers that operands name, also in addresses."""
    for operand in operands:
        match operand:
            case Register(name):
                yield name
            case Vector(elements):
                yield from _registers(*elements)
            case Pair(first, second):
                yield from _registers(first, second)
            case Address(base, _, further):
                yield from _registers(base, *further)
            case Negated(inner) | Selected(inner):
                yield from _registers(inner)
            case _:
                pass
