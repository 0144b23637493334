"""Finds the instructions of a basic block that use registers of asynchronous mma.

The state of these registers changes only at `wgmma` instructions, so all instructions between two
of them are checked together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.races.registers import RegisterUse
from tileir_xdsl.emulator.syntax import Address, Instruction, Operand, Pair, Register, Vector


def mma_registers(matches: Iterable[Match]) -> tuple[str, ...]:
    """The registers of accumulators and of operands A of `wgmma`."""
    found: dict[str, None] = {}
    for match in matches:
        if _is_mma(match):
            for name in ("d", "a"):
                operand = match.operands[name]
                if isinstance(operand, Vector):
                    found.update(dict.fromkeys(_registers(operand)))
    return tuple(found)


def register_uses(
    matches: Sequence[Match], names: Sequence[str]
) -> dict[int, tuple[RegisterUse, ...]]:
    """The register uses to check before instructions of a block, by position of the instruction."""
    numbers = {name: number for number, name in enumerate(names)}
    found: dict[int, tuple[RegisterUse, ...]] = {}
    if not names:
        return found
    reads: dict[int, Instruction] = {}
    writes: dict[int, Instruction] = {}
    first = 0
    for position, match in enumerate((*matches, None)):
        own = _family_use(match, numbers) if match is not None else RegisterUse("other")
        if own is None:
            assert match is not None
            for register, written in _other_registers(match.instruction):
                number = numbers.get(register)
                if number is not None:
                    if not reads and not writes:
                        first = position
                    (writes if written else reads).setdefault(number, match.instruction)
            continue
        if reads or writes:
            use = RegisterUse(
                "other", tuple(reads), tuple(writes), (*reads.values(), *writes.values())
            )
            found[first] = (use,)
            reads, writes = {}, {}
        if match is not None:
            found[position] = (own,)
    return found


def _is_mma(match: Match) -> bool:
    return match.instruction.mnemonic.startswith("wgmma.mma_async")


def _family_use(match: Match, numbers: dict[str, int]) -> RegisterUse | None:
    """The register use of an instruction of the `wgmma` family."""
    if match.instruction.opcode != "wgmma":
        return None
    if _is_mma(match):
        results = tuple(numbers[name] for name in _registers(match.operands["d"]))
        operand = match.operands["a"]
        operands = (
            tuple(numbers[name] for name in _registers(operand))
            if isinstance(operand, Vector)
            else ()
        )
        return RegisterUse("mma", operands, results)
    kind = match.instruction.mnemonic.split(".")[1]
    if kind == "wait_group":
        return RegisterUse("wait", pending=match.immediate("count") or 0)
    return RegisterUse("fence" if kind == "fence" else "commit")


def _other_registers(instruction: Instruction) -> list[tuple[str, bool]]:
    """The registers that an instruction names, and whether it may write each.

    Only the first operand may be written, except by stores and reductions.
    """
    found: list[tuple[str, bool]] = []
    for position, operand in enumerate(instruction.operands):
        written = position == 0 and instruction.opcode not in ("st", "red")
        found += [(name, written) for name in _registers(operand)]
    if instruction.guard is not None:
        found.append((instruction.guard.register, False))
    return found


def _registers(operand: Operand) -> list[str]:
    match operand:
        case Register(name):
            return [name]
        case Vector(elements):
            return [name for element in elements for name in _registers(element)]
        case Pair(first, second):
            return _registers(first) + _registers(second)
        case Address():
            return _registers(operand.base)
        case _:
            return []
