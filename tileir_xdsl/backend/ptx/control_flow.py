"""Edges with copies made explicit, and small branches turned into predicated instructions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr

from tileir_xdsl.backend.ptx.coalescing import sequentialise
from tileir_xdsl.backend.ptx.instructions import (
    Edge,
    Guard,
    Instruction,
    Line,
    MachineBlock,
)
from tileir_xdsl.backend.ptx.registers import Component, Constant, RegisterClass, constant_text

# Measured with 2 or 8: at most one instruction more in the reference programs.
PREDICATED_COPIES = 4
"""The most copies of a conditional edge that are predicated; more copies get a dedicated block."""

# Measured: dots take 26 to 30 instructions more with 8, and 7 or 8 fewer with 2.
PREDICATED_INSTRUCTIONS = 4
"""The most instructions that are predicated in place of a branch around them."""


def without_unreachable(blocks: Sequence[MachineBlock]) -> list[MachineBlock]:
    """The blocks that can be reached from the first one, with their edges renumbered.

    A constant condition leaves a successor without edges, so that nothing writes the registers of
    its arguments.
    """
    reached, pending = {0}, [0]
    while pending:
        for edge in blocks[pending.pop()].edges():
            if edge.target not in reached:
                reached.add(edge.target)
                pending.append(edge.target)
    if len(reached) == len(blocks):
        return list(blocks)
    numbers = {old: new for new, old in enumerate(sorted(reached))}
    kept = [blocks[old] for old in numbers]
    for block in kept:
        for edge in block.edges():
            edge.target = numbers[edge.target]
    return kept


def copy_instructions(
    copies: Sequence[tuple[int, Component]],
    classes: list[RegisterClass],
    location: LocationAttr | None,
    guard: Guard | None = None,
) -> list[Line]:
    """The moves that execute parallel copies, all at the `location` of their terminator."""
    return [
        Instruction(
            f"mov.{classes[destination].declaration}",
            (destination, constant_text(source) if isinstance(source, Constant) else source),
            1,
            guard,
            location=location,
        )
        for destination, source in sequentialise(copies, classes)
    ]


def lower_edges(
    blocks: Sequence[MachineBlock], classes: list[RegisterClass], replaced: dict[int, int]
) -> list[MachineBlock]:
    """Turns the copies on edges into moves.

    Copies that all edges of a block share come before its jumps. A conditional edge with many other
    copies gets a block of its own, at the end. `replaced` are the registers that coalescing merged.
    """
    result = list(blocks)
    for number, block in enumerate(blocks):
        if block.fallthrough is None:
            continue
        if common := _take_common_copies(block, replaced):
            block.lines.extend(copy_instructions(common, classes, block.location))
        if len(block.branches) == 1:
            (guard, taken), otherwise = block.branches[0], block.fallthrough
            goes_back = taken.target <= number and len(taken.copies) <= PREDICATED_COPIES
            if taken.copies and not otherwise.copies and not goes_back:
                # The edge without copies takes the conditional jump.
                block.branches = [(Guard(guard.predicate, not guard.negated), otherwise)]
                block.fallthrough = taken
        branches: list[tuple[Guard, Edge]] = []
        for guard, edge in block.branches:
            branches.append(
                (guard, _position_copies(block, guard, edge, classes, replaced, result))
            )
        block.branches = branches
        block.tail = copy_instructions(block.fallthrough.copies, classes, block.location)
        block.fallthrough = Edge(block.fallthrough.target)
    return result


def _take_common_copies(
    block: MachineBlock, replaced: dict[int, int]
) -> list[tuple[int, Component]]:
    """Moves a copy that all edges of a block share off the edges, unless the move would change a
    value that the copy reads.
    """
    edges = list(block.edges())
    if len(edges) < 2:
        return []
    common = set(edges[0].copies).intersection(*(edge.copies for edge in edges[1:]))
    others = [copy for edge in edges for copy in edge.copies if copy not in common]
    read: set[Component] = {*_tested(block, replaced), *(source for _, source in others)}
    while overwriting := [copy for copy in common if copy[0] in read]:
        common.difference_update(overwriting)
        read.update(source for _, source in overwriting)
    # The order of the edge, so that the text is the same every time.
    taken = [copy for copy in edges[0].copies if copy in common]
    for edge in edges:
        edge.copies = [copy for copy in edge.copies if copy not in common]
    return taken


def _tested(block: MachineBlock, replaced: dict[int, int]) -> set[int]:
    """The predicates that the jumps of a block test."""
    return {replaced.get(guard.predicate, guard.predicate) for guard, _ in block.branches}


def _position_copies(
    block: MachineBlock,
    guard: Guard,
    edge: Edge,
    classes: list[RegisterClass],
    replaced: dict[int, int],
    blocks: list[MachineBlock],
) -> Edge:
    if not edge.copies:
        return edge
    overwrites = not _tested(block, replaced).isdisjoint(copy[0] for copy in edge.copies)
    if len(edge.copies) > PREDICATED_COPIES or overwrites:
        return _split(edge, classes, block.location, blocks)
    block.lines.extend(copy_instructions(edge.copies, classes, block.location, guard))
    return Edge(edge.target)


def _split(
    edge: Edge,
    classes: list[RegisterClass],
    location: LocationAttr | None,
    blocks: list[MachineBlock],
) -> Edge:
    lines = copy_instructions(edge.copies, classes, location)
    blocks.append(MachineBlock(lines, fallthrough=Edge(edge.target), location=location))
    return Edge(len(blocks) - 1)


def predicate_small_branches(blocks: Sequence[MachineBlock], replaced: dict[int, int]) -> None:
    """Replaces a jump around a few simple instructions by guards on these instructions.

    `if (p) { a; b; }` is a block that either enters a side block or goes to the join. The side
    block has no other predecessor, and ends with a jump to the join. `replaced` are the registers
    that coalescing merged.
    """
    entries = [0] * len(blocks)
    for block in blocks:
        for edge in block.edges():
            entries[edge.target] += 1
    for block in blocks:
        while (found := _small_side(blocks, block, entries, replaced)) is not None:
            guard, side, join = found
            body = blocks[side].lines + blocks[side].tail
            block.lines += _guarded(block.tail, Guard(guard.predicate, not guard.negated))
            block.lines += _guarded(body, guard)
            block.branches, block.tail, block.fallthrough = [], [], Edge(join)
            blocks[side].lines, blocks[side].tail, blocks[side].fallthrough = [], [], None
            entries[side] = 0
            entries[join] -= 1


def _guarded(lines: Sequence[Line], guard: Guard) -> list[Line]:
    for line in lines:
        assert isinstance(line, Instruction)
        line.guard = guard
    return list(lines)


def _small_side(
    blocks: Sequence[MachineBlock],
    block: MachineBlock,
    entries: Sequence[int],
    replaced: dict[int, int],
) -> tuple[Guard, int, int] | None:
    """The guard, the side block and the join after `block` if its branch can be predicated."""
    if len(block.branches) != 1 or block.fallthrough is None:
        return None
    (guard, taken), otherwise = block.branches[0], block.fallthrough
    inverted = Guard(guard.predicate, not guard.negated)
    choices = [(taken.target, otherwise.target, guard)]
    if not block.tail:
        choices.append((otherwise.target, taken.target, inverted))
    for side, join, side_guard in choices:
        body = blocks[side]
        if entries[side] != 1 or body.branches or body is block or body.fallthrough is None:
            continue
        if body.fallthrough.target != join or side == join:
            continue
        lines = block.tail + body.lines + body.tail
        if len(lines) <= PREDICATED_INSTRUCTIONS and all(
            _is_simple(line, guard.predicate, replaced) for line in lines
        ):
            return side_guard, side, join
    return None


_UNGUARDED = ("bar.", "barrier.", "bra", "ret", "exit", "wgmma.", "tcgen05.")
"""Prefixes of opcodes that take no guard: jumps, and collective instructions without `.sync`."""


def _is_simple(line: Line, predicate: int, replaced: dict[int, int]) -> bool:
    """Whether an instruction may run under a guard instead of after a jump."""
    if not isinstance(line, Instruction) or line.guard is not None:
        return False
    # A text of its own, which has no opcode, may hold several instructions.
    if not line.opcode or ".sync" in line.opcode or line.opcode.startswith(_UNGUARDED):
        return False
    # Instructions after one that writes the guard would run under another condition.
    held = replaced.get(predicate, predicate)
    return all(replaced.get(register, register) != held for register in line.written())
