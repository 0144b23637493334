"""Removes needless moves of block arguments and accumulators.

Selection leaves one register per block argument and parallel copies on the edges into its block,
and moves before instructions that work in place. A copy disappears where its two registers are
never live at the same time: the two registers become one. So a loop-carried accumulator keeps one
register. The module also orders the copies that remain on edges.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tileir_xdsl.backend.ptx.instructions import Instruction, Line, MachineBlock
from tileir_xdsl.backend.ptx.registers import Component, RegisterClass

Site = tuple[int, int]
"""Number of a block, and position of a line in the block: -1 is its start, its length the end."""

RegisterGroup = dict[int, list[int]]
"""Registers that are merged into one, by the blocks in which each is live or defined."""


@dataclass
class _Liveness:
    """Where the registers named in copies are defined, used and live."""

    defined: dict[int, Site] = field(default_factory=lambda: {})
    last_use: list[dict[int, int]] = field(default_factory=lambda: [])
    live_in: list[set[int]] = field(default_factory=lambda: [])
    live_out: list[set[int]] = field(default_factory=lambda: [])

    def is_live_after(self, register: int, site: Site) -> bool:
        block, position = site
        if register not in self.live_in[block]:
            defined_in, defined_at = self.defined[register]
            if defined_in != block or defined_at > position:
                return False
        if register in self.live_out[block]:
            return True
        return self.last_use[block].get(register, -2) > position

    def blocks_of(self, related: set[int]) -> dict[int, RegisterGroup]:
        """For each register, a group of itself alone in each block where it is live or defined."""
        found = {register: {self.defined[register][0]: [register]} for register in related}
        for block, registers in enumerate(self.live_in):
            for register in registers:
                found[register][block] = [register]
        return found

    def interfere(self, first: int, second: int) -> bool:
        a, b = self.defined[first], self.defined[second]
        return a == b or self.is_live_after(first, b) or self.is_live_after(second, a)


def _liveness(blocks: Sequence[MachineBlock], related: set[int]) -> _Liveness:
    result = _Liveness()
    upward_exposed: list[set[int]] = []
    killed: list[set[int]] = []
    for number, block in enumerate(blocks):
        last: dict[int, int] = {}
        exposed: set[int] = set()
        written: set[int] = set()
        for position, line in enumerate(block.lines):
            if not isinstance(line, Instruction):
                continue
            for register in line.read():
                if register in related:
                    last[register] = position
                    if register not in written:
                        exposed.add(register)
            for register in line.written():
                if register in related:
                    written.add(register)
                    result.defined.setdefault(register, (number, position))
                    # Under a false guard the old value stays, so the write reads it too.
                    if line.guard is not None:
                        last[register] = position
        end = len(block.lines)
        for register in _read_at_end(block):
            if register in related:
                last[register] = end
                if register not in written:
                    exposed.add(register)
        result.last_use.append(last)
        upward_exposed.append(exposed)
        killed.append(written)
    arguments: list[set[int]] = [set() for _ in blocks]
    for block in blocks:
        for edge in block.edges():
            arguments[edge.target].update(destination for destination, _ in edge.copies)
    for number, registers in enumerate(arguments):
        for register in registers:
            result.defined[register] = (number, -1)
        upward_exposed[number] -= registers
        killed[number] |= registers
    _solve(blocks, upward_exposed, killed, result)
    return result


def _read_at_end(block: MachineBlock) -> Iterable[int]:
    for guard, _ in block.branches:
        yield guard.predicate
    for edge in block.edges():
        for _, source in edge.copies:
            if isinstance(source, int):
                yield source


def _solve(
    blocks: Sequence[MachineBlock],
    upward_exposed: Sequence[set[int]],
    killed: Sequence[set[int]],
    result: _Liveness,
) -> None:
    result.live_in = [set(exposed) for exposed in upward_exposed]
    result.live_out = [set() for _ in blocks]
    changed = True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            out = result.live_out[number]
            size = len(out)
            for edge in blocks[number].edges():
                out |= result.live_in[edge.target]
            if len(out) != size:
                changed = True
                result.live_in[number] |= out - killed[number]


def coalesce(blocks: Sequence[MachineBlock]) -> dict[int, int]:
    """Removes copies within one register from `blocks`; returns the register that replaces each.

    `blocks` are in an order in which definitions come before uses.
    """
    copies = list(_copies(blocks))
    related = {register for pair in copies for register in pair}
    if not related:
        return {}
    liveness = _liveness(blocks, related)
    members: dict[int, list[int]] = {register: [register] for register in related}
    by_block = liveness.blocks_of(related)
    leader = {register: register for register in related}
    for destination, source in copies:
        a, b = leader[destination], leader[source]
        if a == b or _interfere(liveness, by_block[a], by_block[b]):
            continue
        for register in members.pop(b):
            leader[register] = a
            members[a].append(register)
        by_block[a] = _joined(by_block[a], by_block.pop(b))
    _remove_redundant(blocks, leader)
    return {register: head for register, head in leader.items() if register != head}


def _interfere(liveness: _Liveness, first: RegisterGroup, second: RegisterGroup) -> bool:
    """Whether registers of two groups interfere, which they can only in a block of both groups."""
    few, many = sorted((first, second), key=len)
    return any(
        liveness.interfere(x, y)
        for block in few
        if block in many
        for x in few[block]
        for y in many[block]
    )


def _joined(first: RegisterGroup, second: RegisterGroup) -> RegisterGroup:
    few, many = sorted((first, second), key=len)
    for block, registers in few.items():
        many.setdefault(block, []).extend(registers)
    return many


def _copies(blocks: Sequence[MachineBlock]) -> Iterator[tuple[int, int]]:
    """The copies between registers: those of back edges first, which cost in every iteration.

    The last pairs are a written and a read register that an instruction may merge.
    """
    forward: list[tuple[int, int]] = []
    in_position: list[tuple[int, int]] = []
    for number, block in enumerate(blocks):
        for edge in block.edges():
            for destination, source in edge.copies:
                if not isinstance(source, int):
                    continue
                # A back edge is passed in every iteration: its copies are the first to be merged.
                if edge.target <= number:
                    yield destination, source
                else:
                    forward.append((destination, source))
    for block in blocks:
        for line in block.lines:
            if not isinstance(line, Instruction):
                continue
            in_position.extend(line.in_position)
            if line.is_copy:
                destination, source = line.operands
                if isinstance(destination, int) and isinstance(source, int):
                    yield destination, source
    yield from forward
    yield from in_position


def _remove_redundant(blocks: Sequence[MachineBlock], leader: dict[int, int]) -> None:
    def renamed(component: Component) -> Component:
        return leader.get(component, component) if isinstance(component, int) else component

    for block in blocks:
        block.lines = [line for line in block.lines if not _is_redundant(line, leader)]
        for edge in block.edges():
            pairs = [(leader.get(d, d), renamed(source)) for d, source in edge.copies]
            edge.copies = [pair for pair in pairs if pair[0] != pair[1]]


def _is_redundant(line: Line, leader: dict[int, int]) -> bool:
    if not isinstance(line, Instruction) or not line.is_copy:
        return False
    destination, source = (leader[o] for o in line.operands if isinstance(o, int))
    return destination == source


def sequentialise(
    copies: Sequence[tuple[int, Component]], classes: list[RegisterClass]
) -> list[tuple[int, Component]]:
    """The parallel `copies` as copies one after the other.

    A cycle, such as a swap, goes through one new register, appended to `classes`.
    """
    pending = dict(copies)
    readers: dict[int, int] = {}
    for source in pending.values():
        if isinstance(source, int):
            readers[source] = readers.get(source, 0) + 1
    ready = [destination for destination in pending if destination not in readers]
    ordered: list[tuple[int, Component]] = []
    while pending:
        while ready:
            destination = ready.pop(0)
            source = pending.pop(destination)
            ordered.append((destination, source))
            if isinstance(source, int):
                readers[source] -= 1
                if readers[source] == 0 and source in pending:
                    ready.append(source)
        if pending:
            # Only cycles are left: save one register, then its cycle opens.
            saved = next(iter(pending))
            temporary = len(classes)
            classes.append(classes[saved])
            ordered.append((temporary, saved))
            for destination, source in pending.items():
                if source == saved:
                    pending[destination] = temporary
            readers[temporary] = readers.pop(saved)
            ready.append(saved)
    return ordered
