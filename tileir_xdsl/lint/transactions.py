"""Compares the bytes that an mbarrier expects with the bytes of the copies that complete on it.

Only instructions of the same basic block are compared, where one thread sets the expected bytes and
starts the copies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tileir_xdsl.emulator import syntax

from .finding import Finding
from .matches import match_of

_BRANCHES = frozenset({"bra", "brx", "ret", "exit", "call"})


@dataclass(frozen=True)
class _Definitions:
    """For each register that only one instruction writes, that instruction."""

    by_register: Mapping[str, syntax.Instruction]

    @staticmethod
    def of(kernel: syntax.Kernel) -> "_Definitions":
        """Collects the instructions of a kernel."""
        found: dict[str, syntax.Instruction | None] = {}
        for instruction in kernel.body:
            if isinstance(instruction, syntax.Instruction) and instruction.operands:
                match instruction.operands[0]:
                    case syntax.Register(name):
                        names = [name]
                    case syntax.Vector(elements):
                        names = [e.name for e in elements if isinstance(e, syntax.Register)]
                    case _:
                        names = []
                for name in names:
                    found[name] = None if name in found else instruction
        return _Definitions({name: one for name, one in found.items() if one is not None})

    def root(self, operand: syntax.Operand) -> syntax.Operand:
        """The source of a chain of moves and address conversions."""
        seen: set[syntax.Operand] = set()
        while isinstance(operand, syntax.Register) and operand not in seen:
            seen.add(operand)
            definition = self.by_register.get(operand.name)
            if definition is None or definition.opcode not in ("mov", "cvta"):
                break
            if len(definition.operands) != 2:
                break
            operand = definition.operands[1]
        return operand


def _basic_blocks(kernel: syntax.Kernel) -> Iterator[list[syntax.Instruction]]:
    block: list[syntax.Instruction] = []
    for statement in kernel.body:
        if isinstance(statement, syntax.Label) or statement.opcode in _BRANCHES:
            yield block
            block = []
        else:
            block.append(statement)
    yield block


def _expected(
    instruction: syntax.Instruction, definitions: _Definitions
) -> tuple[syntax.Operand, int] | None:
    """The barrier of an `expect_tx` instruction, and the bytes that it adds."""
    if instruction.opcode != "mbarrier" or ".expect_tx" not in instruction.mnemonic:
        return None
    match = match_of(instruction)
    count = None if match is None else definitions.root(match.operands["count"])
    return (
        (match.operands["a"], count.value) if match and isinstance(count, syntax.Integer) else None
    )


def _completed(
    instruction: syntax.Instruction, definitions: _Definitions, boxes: Mapping[str, int]
) -> tuple[syntax.Operand, int | None] | None:
    """The barrier on which a copy completes, and its bytes where they are known."""
    if "mbarrier::complete_tx::bytes" not in instruction.mnemonic:
        return None
    match = match_of(instruction)
    if match is None:
        return None
    barrier = match.operands["barrier"]
    tensor = match.operands.get("tensor")
    if isinstance(tensor, syntax.Address):
        source = definitions.root(tensor.base)
        return barrier, boxes.get(source.name) if isinstance(source, syntax.Symbol) else None
    size = definitions.root(match.operands["size"]) if "size" in match.operands else None
    return barrier, size.value if isinstance(size, syntax.Integer) else None


def transaction_findings(kernel: syntax.Kernel, boxes: Mapping[str, int]) -> Iterator[Finding]:
    """Barriers whose expected bytes differ from those of their copies.

    `boxes` maps a parameter that holds a tensor map to the bytes of a box; barriers of copies of
    unknown size are not compared.
    """
    definitions = _Definitions.of(kernel)
    for block in _basic_blocks(kernel):
        yield from _block_findings(kernel, block, definitions, boxes)


def _block_findings(
    kernel: syntax.Kernel,
    block: Sequence[syntax.Instruction],
    definitions: _Definitions,
    boxes: Mapping[str, int],
) -> Iterator[Finding]:
    expected: dict[syntax.Operand, int] = {}
    lines: dict[syntax.Operand, int] = {}
    completed: dict[syntax.Operand, list[int | None]] = {}
    for instruction in block:
        if (posted := _expected(instruction, definitions)) is not None:
            barrier, count = posted
            expected[barrier] = expected.get(barrier, 0) + count
            lines.setdefault(barrier, instruction.line)
        if (copied := _completed(instruction, definitions, boxes)) is not None:
            completed.setdefault(copied[0], []).append(copied[1])
    for barrier, count in expected.items():
        sizes = completed.get(barrier, [])
        known = [size for size in sizes if size is not None]
        if sizes and len(known) == len(sizes) and sum(known) != count:
            yield Finding(
                "transactions",
                f"{count} bytes are expected, and {len(sizes)} copies bring {sum(known)}",
                lines[barrier],
                kernel.name,
            )
