"""Machine blocks and module parts as PTX text."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import LocationAttr

from tileir_xdsl.backend.ptx.function import SelectedFunction
from tileir_xdsl.backend.ptx.instructions import (
    Address,
    Guard,
    InlineText,
    Instruction,
    Label,
    Line,
    MachineBlock,
    Operand,
    TensorAddress,
    VectorOperand,
    WithPredicate,
)
from tileir_xdsl.backend.ptx.registers import RegisterClass


class RegisterNames:
    """Names registers in the order in which they first appear, one counter per class."""

    def __init__(self, classes: Sequence[RegisterClass], replaced: dict[int, int]):
        self._classes = classes
        self._replaced = replaced
        self._names: dict[int, str] = {}
        self._counts: dict[str, int] = {}

    def __getitem__(self, register: int) -> str:
        names = self._names
        if (name := names.get(register)) is None:
            leader = self._replaced.get(register, register)
            if (name := names.get(leader)) is None:
                prefix = self._classes[leader].prefix
                number = self._counts.get(prefix, 0)
                self._counts[prefix] = number + 1
                name = names[leader] = f"%{prefix}{number}"
            names[register] = name
        return name

    def known(self, register: int) -> str | None:
        """The name of a register; None if it has no name yet."""
        return self._names.get(register) or self._names.get(self._replaced.get(register, register))

    def declarations(self) -> list[str]:
        """`.reg .b32 %r<5>;`, for the classes used."""
        return [
            f".reg .{c.declaration} %{c.prefix}<{self._counts[c.prefix]}>;"
            for c in RegisterClass
            if c.prefix in self._counts
        ]


def operand_text(operand: Operand, names: RegisterNames) -> str:
    """An operand as PTX text."""
    if isinstance(operand, int):
        return names[operand]
    if isinstance(operand, str):
        return operand
    match operand:
        case Address():
            base = operand.base if isinstance(operand.base, str) else names[operand.base]
            # ptxas takes a negative offset only after a plus.
            return f"[{base}+{operand.offset}]" if operand.offset else f"[{base}]"
        case VectorOperand():
            inner = [item if isinstance(item, str) else names[item] for item in operand.items]
            return f"{{{', '.join(inner)}}}"
        case WithPredicate():
            return f"{names[operand.destination]}|{names[operand.predicate]}"
        case TensorAddress():
            inside = operand_text(operand.address, names)[1:-1]
            return f"[{inside}, {operand_text(VectorOperand(operand.coordinates), names)}]"
        case InlineText():
            return "".join(p if isinstance(p, str) else names[p] for p in operand.parts)


def guard_text(guard: Guard | None, names: RegisterNames) -> str:
    """`@%p0 `, `@!%p0 ` or nothing."""
    if guard is None:
        return ""
    return f"@{'!' if guard.negated else ''}{names[guard.predicate]} "


def instruction_text(instruction: Instruction, names: RegisterNames) -> str:
    """An instruction as a line of PTX."""
    guard = "" if instruction.guard is None else guard_text(instruction.guard, names)
    if not instruction.opcode:
        text = operand_text(instruction.operands[-1], names)
        # A scope ends without a semicolon, an instruction whose last operand is a vector with one.
        is_scope = text.startswith("{") and text.endswith("}")
        return f"{guard}{text}" if is_scope else f"{guard}{text};"
    if not instruction.operands:
        return f"{guard}{instruction.opcode};"
    # Most operands are registers.
    operands = ", ".join(
        [
            names[operand] if isinstance(operand, int) else operand_text(operand, names)
            for operand in instruction.operands
        ]
    )
    return f"{guard}{instruction.opcode} {operands};"


StateLocation = Callable[[LocationAttr | None], Iterable[str]]
"""A function that returns the lines that state the location of the next instruction."""


def without_locations(_location: LocationAttr | None) -> Iterable[str]:
    """Prints no locations."""
    return ()


def body_lines(
    function: SelectedFunction,
    names: RegisterNames,
    state_location: StateLocation = without_locations,
) -> list[str]:
    """The labels and instructions of a function's body, with the lines of `state_location`."""
    blocks = function.blocks
    layout = _layout(blocks)
    follower = dict(pairwise(layout))
    jumps = {number: _jumps(blocks[number], follower.get(number)) for number in layout}
    targets = {target for block in jumps.values() for _, target in block}
    lines: list[str] = []

    def print_lines(printed: Iterable[Line]) -> None:
        if state_location is without_locations:
            lines.extend([_line_text(line, names) for line in printed])
            return
        for line in printed:
            if isinstance(line, Instruction):
                lines.extend(state_location(line.location))
            lines.append(_line_text(line, names))

    def print_jumps(block: MachineBlock, printed: Sequence[_Jump]) -> None:
        if printed:
            lines.extend(state_location(block.location))
        lines.extend(_jump_text(jump, names) for jump in printed)

    for number in layout:
        block, block_jumps = blocks[number], jumps[number]
        if number in targets:
            lines.append(f"{block_label(number)}:")
        conditional = [jump for jump in block_jumps if jump[0] is not None]
        print_lines(block.lines)
        print_jumps(block, conditional)
        print_lines(block.tail)
        print_jumps(block, block_jumps[len(conditional) :])
    return lines


def body_locations(function: SelectedFunction) -> list[LocationAttr | None]:
    """The location of each line of `body_lines` without those of `state_location`.

    None for a label.
    """
    blocks = function.blocks
    layout = _layout(blocks)
    follower = dict(pairwise(layout))
    jumps = {number: _jumps(blocks[number], follower.get(number)) for number in layout}
    targets = {target for block in jumps.values() for _, target in block}
    locations: list[LocationAttr | None] = []
    for number in layout:
        block, block_jumps = blocks[number], jumps[number]
        if number in targets:
            locations.append(None)
        conditional = sum(jump[0] is not None for jump in block_jumps)
        locations += [_location(line) for line in block.lines]
        locations += [block.location] * conditional
        locations += [_location(line) for line in block.tail]
        locations += [block.location] * (len(block_jumps) - conditional)
    return locations


def _location(line: Line) -> LocationAttr | None:
    return line.location if isinstance(line, Instruction) else None


def _line_text(line: Line, names: RegisterNames) -> str:
    return f"{line.name}:" if isinstance(line, Label) else f"\t{instruction_text(line, names)}"


_Jump = tuple[Guard | None, int]


def _jump_text(jump: _Jump, names: RegisterNames) -> str:
    guard, target = jump
    # Without a guard all threads of a warp jump together.
    opcode = "bra.uni" if guard is None else "bra"
    return f"\t{guard_text(guard, names)}{opcode} {block_label(target)};"


def block_label(number: int) -> str:
    """The label of a block."""
    return f"$L{number}"


def _layout(blocks: Sequence[MachineBlock]) -> list[int]:
    """The reachable blocks in order of their numbers."""
    reached, pending = {0}, [0]
    while pending:
        for edge in blocks[pending.pop()].edges():
            if edge.target not in reached:
                reached.add(edge.target)
                pending.append(edge.target)
    return sorted(reached)


def _jumps(block: MachineBlock, following: int | None) -> list[_Jump]:
    """The jumps at a block's end, without a jump to the next block."""
    branches: list[_Jump] = [(guard, edge.target) for guard, edge in block.branches]
    if block.fallthrough is None:
        return branches
    last = block.fallthrough.target
    # Inverted, the branch falls through to the next block: one jump less.
    if len(branches) == 1 and branches[0][1] == following and not block.tail:
        guard = block.branches[0][0]
        return [(Guard(guard.predicate, not guard.negated), last)]
    return branches if last == following else [*branches, (None, last)]
