"""Loops of a kernel that may wait for other blocks, as its basic blocks say.

A cycle of basic blocks waits where a branch in it depends on what it reads from global memory
itself, by an atomic or a strong load: only other threads may change that. Data may pass through
registers and through shared memory on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.program import (
    PRIVATE,
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
    SpecialRegister,
    Vector,
)

_SHARED = "a value in shared memory"
"""Stands for all of it among the registers that something depends on."""

_OTHER_SPACES = frozenset(("shared", "param", "const", "local"))

_REPEATABLE = PRIVATE | frozenset(
    "abs activemask and atom bar barrier bfe bfi bfind bmsk bra brev brkpt clz cnot copysign cos "
    "discard div dp2a dp4a elect ex2 exit fence fma fns isspacep ld ldmatrix ldu lg2 lop3 mad24 "
    "match max membar min mul24 nanosleep neg pmevent popc prefetch prefetchu prmt rcp red redux "
    "rem ret rsqrt sad set shf shfl sin slct sqrt st szext tanh testp trap vote".split()
)
"""Opcodes whose effects on memory are seen by `Memory`, and that depend on nothing else."""

_CLOCKS = ("%clock", "%globaltimer")


@dataclass(frozen=True)
class Waits:
    """What of a kernel waits for memory: by basic block the read that a loop depends on.

    `opaque` are the basic blocks that may change more than registers, shared and global memory, or
    that depend on time.
    """

    reads: Mapping[int, Match] = field(default_factory=dict[int, Match])
    opaque: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.reads)


def find_waits(program: Sequence[BasicBlock]) -> Waits:
    """The loops of a kernel that wait."""
    if not any(_is_strong_read(step.match) for block in program for step in block.steps):
        return Waits()
    reads: dict[int, Match] = {}
    for cycle in _cycles(program):
        reads |= _reads_of(program, cycle)
    opaque = [number for number, block in enumerate(program) if _is_opaque(block)]
    return Waits(reads, frozenset(opaque))


def _is_opaque(block: BasicBlock) -> bool:
    match block.terminator:
        case ClusterWait():
            return True
        case Barrier(match) if "arrive" in match.instruction.mnemonic.split("."):
            return True
        case _:
            return not all(map(_is_repeatable, (step.match.instruction for step in block.steps)))


def _is_repeatable(instruction: Instruction) -> bool:
    parts = instruction.mnemonic.split(".")
    if parts[0] not in _REPEATABLE or "async" in parts or "cluster" in parts[1:2]:
        return False
    return not any(
        isinstance(each, SpecialRegister) and each.name.startswith(_CLOCKS)
        for each in instruction.operands
    )


def _is_strong_read(match: Match) -> bool:
    opcode, *qualifiers = match.instruction.mnemonic.split(".")
    is_strong = opcode == "atom" or (
        opcode == "ld" and not {"volatile", "relaxed", "acquire"}.isdisjoint(qualifiers)
    )
    return is_strong and _OTHER_SPACES.isdisjoint(_spaces(qualifiers))


def _spaces(qualifiers: Iterable[str]) -> Iterator[str]:
    return (qualifier.split("::")[0] for qualifier in qualifiers)


def _reads_of(program: Sequence[BasicBlock], cycle: Sequence[int]) -> dict[int, Match]:
    """The strong reads of a cycle that its branches depend on."""
    found: dict[int, Match] = {}
    steps = [(n, step.match) for n in cycle for step in program[n].steps]
    pending: list[str] = [name for n in cycle for name in _guards(program[n])]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for number, match in steps:
            instruction = match.instruction
            if name not in _written(instruction):
                continue
            if _is_strong_read(match):
                found.setdefault(number, match)
            pending += _used(instruction)
    return found


def _guards(block: BasicBlock) -> Iterator[str]:
    match block.terminator:
        case Branch(guard):
            yield guard.register
        case IndexedBranch(_, index):
            yield from _registers(index)
        case _:
            pass


def _in_shared(instruction: Instruction, opcodes: Iterable[str]) -> bool:
    opcode, *qualifiers = instruction.mnemonic.split(".")
    return opcode in opcodes and "shared" in _spaces(qualifiers)


def _written(instruction: Instruction) -> Sequence[str]:
    """The registers that an instruction may write."""
    if _in_shared(instruction, ("st", "red")):
        return (_SHARED,)
    first = instruction.operands[:1]
    return () if not first or isinstance(first[0], Address) else tuple(_registers(first[0]))


def _used(instruction: Instruction) -> Sequence[str]:
    """The registers that what an instruction writes depends on."""
    first = instruction.operands[:1]
    rest = instruction.operands if first and isinstance(first[0], Address) else ()
    names = [name for each in rest or instruction.operands[1:] for name in _registers(each)]
    if instruction.guard is not None:
        names.append(instruction.guard.register)
    if _in_shared(instruction, ("ld", "atom", "ldmatrix")):
        names.append(_SHARED)
    return names


def _registers(operand: Operand) -> Iterator[str]:
    match operand:
        case Register(name):
            yield name
        case Vector(elements):
            for element in elements:
                yield from _registers(element)
        case Pair(first, second):
            yield from _registers(first)
            yield from _registers(second)
        case Negated(inner) | Selected(inner):
            yield from _registers(inner)
        case Address(base, _, further):
            for each in (base, *further):
                yield from _registers(each)
        case _:
            pass


def _successors(block: BasicBlock) -> Sequence[int]:
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


def _cycles(program: Sequence[BasicBlock]) -> list[list[int]]:
    """The strongly connected components of the basic blocks that are cycles (Tarjan)."""
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
        pending.append((block, iter(_successors(program[block]))))

    enter(0)
    while pending:
        block, successors = pending[-1]
        following = next(successors, None)
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
            if len(component) > 1 or block in _successors(program[block]):
                found.append(component)
    return found
