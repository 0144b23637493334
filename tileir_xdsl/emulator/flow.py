"""Registers that instructions read and write, and the control flow between basic blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tileir_xdsl.emulator.program import (
    Barrier,
    BasicBlock,
    Branch,
    ClusterWait,
    IndexedBranch,
    Jump,
)
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

SHARED = "a value in shared memory"
"""The name that represents all of shared memory among the registers that a value depends on."""


def spaces_in(qualifiers: Iterable[str]) -> Iterator[str]:
    """Qualifiers up to `::`; some are the names of state spaces."""
    return (qualifier.split("::")[0] for qualifier in qualifiers)


def guards(block: BasicBlock) -> Iterator[str]:
    """The registers that decide which basic block runs next."""
    match block.terminator:
        case Branch(guard):
            yield guard.register
        case IndexedBranch(_, index):
            yield from registers_in(index)
        case _:
            pass


def _in_shared(instruction: Instruction, opcodes: Iterable[str]) -> bool:
    opcode, *qualifiers = instruction.mnemonic.split(".")
    return opcode in opcodes and "shared" in spaces_in(qualifiers)


def written(instruction: Instruction) -> Sequence[str]:
    """The registers that an instruction may write."""
    if _in_shared(instruction, ("st", "red")):
        return (SHARED,)
    first = instruction.operands[:1]
    return () if not first or isinstance(first[0], Address) else tuple(registers_in(first[0]))


def used(instruction: Instruction) -> Sequence[str]:
    """The registers that the results of an instruction depend on."""
    first = instruction.operands[:1]
    rest = instruction.operands if first and isinstance(first[0], Address) else ()
    names = [name for each in rest or instruction.operands[1:] for name in registers_in(each)]
    if instruction.guard is not None:
        names.append(instruction.guard.register)
    if _in_shared(instruction, ("ld", "atom", "ldmatrix")):
        names.append(SHARED)
    return names


def registers_in(operand: Operand) -> Iterator[str]:
    """The registers that an operand names."""
    match operand:
        case Register(name):
            yield name
        case Vector(elements):
            for element in elements:
                yield from registers_in(element)
        case Pair(first, second):
            yield from registers_in(first)
            yield from registers_in(second)
        case Negated(inner) | Selected(inner):
            yield from registers_in(inner)
        case Address(base, _, further):
            for each in (base, *further):
                yield from registers_in(each)
        case _:
            pass


def successors(block: BasicBlock) -> Sequence[int]:
    """The basic blocks that may run after this one."""
    match block.terminator:
        case Jump(target):
            return (target,)
        case Branch(_, target, otherwise):
            return (target, otherwise)
        case IndexedBranch(_, _, targets):
            return targets
        case Barrier(_, following) | ClusterWait(_, following):
            return (following,)
        case _:
            return ()


def cycles(program: Sequence[BasicBlock]) -> list[list[int]]:
    """The cycles among basic blocks, as strongly connected components (Tarjan)."""
    found: list[list[int]] = []
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    pending: list[tuple[int, Iterator[int]]] = []

    def enter(block: int) -> None:
        number[block] = low[block] = len(number)
        path.append(block)
        on_path.add(block)
        pending.append((block, iter(successors(program[block]))))

    enter(0)
    while pending:
        block, left = pending[-1]
        following = next(left, None)
        if following is not None:
            if following not in number:
                enter(following)
            elif following in on_path:
                low[block] = min(low[block], number[following])
            continue
        pending.pop()
        if pending:
            around = pending[-1][0]
            low[around] = min(low[around], low[block])
        if low[block] == number[block]:
            start = path.index(block)
            component = path[start:]
            del path[start:]
            on_path -= set(component)
            if len(component) > 1 or block in successors(program[block]):
                found.append(component)
    return found
