"""Random blocks of instructions do the same before and after registers are merged and jumps are saved."""

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random

import pytest

from tileir_xdsl.backend.ptx.coalescing import coalesce, sequentialise
from tileir_xdsl.backend.ptx.control_flow import (
    lower_edges,
    predicate_small_branches,
    without_unreachable,
)
from tileir_xdsl.backend.ptx.instructions import Edge, Guard, Instruction, Line, MachineBlock
from tileir_xdsl.backend.ptx.registers import Component, Constant, RegisterClass

STEPS = 40
"""So many blocks are run of each graph, which may have loops without an end."""
MORE_STEPS = 3 * STEPS
"""The same with blocks of their own for copies."""
COLLECTIVE = (
    "bar.sync",
    "barrier.cluster.wait",
    "mma.sync.x",
    "wgmma.mma_async.x",
    "tcgen05.mma.x",
)
"""What threads of a warp execute together, so not under a guard (PTX ISA)."""


class Machine:
    """Runs blocks, and notes what they store and in which order."""

    def __init__(self, blocks: Sequence[MachineBlock], merged: Mapping[int, int]):
        self.blocks, self.merged = blocks, merged
        self.values: dict[int, int] = {}
        self.stored = list[tuple[str, int]]()

    def read(self, component: Component) -> int:
        if isinstance(component, Constant):
            return component.bits
        return self.values.get(self.merged.get(component, component), 0)

    def write(self, register: int, value: int) -> None:
        self.values[self.merged.get(register, register)] = value % 1009

    def holds(self, guard: Guard | None) -> bool:
        return guard is None or bool(self.read(guard.predicate) % 2) != guard.negated

    def execute(self, lines: Sequence[Line]) -> None:
        for line in lines:
            assert isinstance(line, Instruction)
            assert line.guard is None or line.opcode not in COLLECTIVE
            if not self.holds(line.guard):
                continue
            written, *read = line.operands[: line.definitions], *line.operands[line.definitions :]
            # A constant of a move is text.
            values = [self.read(r) if isinstance(r, int) else int(str(r)) for r in read]
            if not written:
                self.stored.append((line.opcode, sum(values)))
            elif line.opcode.startswith("mov"):
                self.write(int(str(written[0])), values[0])
            elif line.opcode == "setp.eq":
                self.write(int(str(written[0])), int(values[0] % 3 == values[1]))
            else:
                self.write(int(str(written[0])), 3 * values[0] + 5 * values[1] + 1)

    def run(self, steps: int) -> Sequence[tuple[str, int]]:
        number = 0
        for _ in range(steps):
            block = self.blocks[number]
            self.execute(block.lines)
            edge = next((edge for guard, edge in block.branches if self.holds(guard)), None)
            if edge is None:
                self.execute(block.tail)
                edge = block.fallthrough
            if edge is None:
                self.stored.append(("end", 0))
                break
            # All at once.
            for register, value in [(to, self.read(source)) for to, source in edge.copies]:
                self.write(register, value)
            number = edge.target
        return self.stored


def dominators(targets: Sequence[Sequence[int]]) -> list[set[int]]:
    """The blocks that are on each way to a block."""

    def reached(without: int) -> set[int]:
        found, pending = {0} - {without}, [0] if without else []
        while pending:
            new = [t for t in targets[pending.pop()] if t not in found and t != without]
            found.update(new)
            pending += new
        return found

    every = range(len(targets))
    around = [reached(without) for without in every]
    return [{other for other in every if block not in around[other]} for block in every]


class Drawn:
    """A graph of blocks; each register is written before it is read, on every way."""

    def __init__(self, rng: Random):
        self.rng, self.classes = rng, list[RegisterClass]()
        count = rng.randint(3, 7)
        self.blocks = [MachineBlock() for _ in range(count)]
        # Each block goes on to the next, or to the one after it, or back.
        targets = list[list[int]]()
        for number in range(count - 1):
            far = min(number + 2, count - 1)
            ways = [number + 1, far, far, far, rng.randrange(1, count)]
            targets.append([number + 1, *rng.choices(ways, k=rng.choice([0, 0, 1, 1, 1, 2]))])
        targets.append([])
        self.arguments = [
            [self.fresh() for _ in range(rng.choice([0, 0, 1, 2, 3]))] for _ in self.blocks
        ]
        self.arguments[0] = []
        self.defined = [list[int]() for _ in self.blocks]
        dominating = dominators(targets)
        for number in range(count):
            known = [
                r for other in sorted(dominating[number] - {number}) for r in self.defined[other]
            ]
            self.fill(number, known + self.arguments[number])
            self.defined[number] += self.arguments[number]
            available = known + self.defined[number]
            edges = [Edge(target, self.copies(target, available)) for target in targets[number]]
            block = self.blocks[number]
            block.fallthrough = edges[0] if edges else None
            guards = self.guards(number, max(len(edges) - 1, 0), available)
            block.branches = list(zip(guards, edges[1:], strict=True))

    def guards(self, number: int, count: int, available: Sequence[int]) -> list[Guard]:
        """Of jumps; those of a switch exclude each other."""
        if count == 1:
            return [Guard(self.rng.choice(available), self.rng.random() < 0.5)]
        found = list[Guard]()
        for case in range(count):
            found.append(Guard(self.fresh()))
            operands = (found[-1].predicate, available[-1], str(case))
            self.blocks[number].lines.append(Instruction("setp.eq", operands, 1))
        return found

    def fresh(self) -> int:
        self.classes.append(RegisterClass.B32)
        return len(self.classes) - 1

    def copies(self, target: int, available: Sequence[int]) -> list[tuple[int, Component]]:
        """Of recent values, so that arguments are passed on and swapped, and of constants."""
        rng, word = self.rng, RegisterClass.B32
        return [
            (
                argument,
                Constant(rng.randrange(3), word)
                if rng.random() < 0.25
                else rng.choice(available[-6:]),
            )
            for argument in self.arguments[target]
        ]

    def fill(self, number: int, available: list[int]) -> None:
        """Some instructions; a block of few may become predicated."""
        rng, lines = self.rng, self.blocks[number].lines
        kept = list[int]()
        if number == 0:
            available.append(self.fresh())
            self.defined[0] += available
            lines.append(Instruction("add", (available[0], "5", "6"), 1))
        for _ in range(rng.randrange(6)):
            read = [rng.choice(available) for _ in range(2)]
            match rng.choice(
                ["add", "add", "copy", "kept", "kept", "store", "store", "collective"]
            ):
                case "store":
                    lines.append(Instruction("st", tuple(read)))
                    continue
                case "collective":
                    lines.append(Instruction(rng.choice(COLLECTIVE)))
                    continue
                case "copy":
                    new = self.fresh()
                    lines.append(Instruction("mov.b32", (new, read[0]), 1, is_copy=True))
                case "kept" if not kept:
                    # Under a false guard the register will keep what is moved into it.
                    kept.append(self.fresh())
                    lines.append(Instruction("mov.b32", (kept[0], read[0]), 1, is_copy=True))
                    continue
                case "kept":
                    guard = Guard(rng.choice(available), rng.random() < 0.5)
                    new = kept.pop()
                    lines.append(Instruction("add", (new, *read), 1, guard))
                case _:
                    new = self.fresh()
                    pairs = ((new, read[0]),) if rng.random() < 0.5 else ()
                    lines.append(Instruction("add", (new, *read), 1, in_position=pairs))
            available.append(new)
            self.defined[number].append(new)


@pytest.mark.parametrize("first", range(0, 1200, 400))
def test_blocks_store_the_same_after_each_step(first: int) -> None:
    for seed in range(first, first + 400):
        drawn = Drawn(Random(seed))
        blocks, classes = drawn.blocks, drawn.classes
        wanted = Machine(blocks, {}).run(STEPS)

        def stored(
            blocks: Sequence[MachineBlock], merged: Mapping[int, int], count: int = len(wanted)
        ):
            return Machine(blocks, merged).run(MORE_STEPS)[:count]

        blocks = without_unreachable(blocks)
        assert stored(blocks, {}) == wanted, seed
        merged = coalesce(blocks)
        assert stored(blocks, merged) == wanted, seed
        blocks = lower_edges(blocks, classes, merged)
        assert not any(edge.copies for block in blocks for edge in block.edges())
        assert stored(blocks, merged) == wanted, seed
        predicate_small_branches(blocks, merged)
        assert stored(blocks, merged) == wanted, seed


@pytest.mark.parametrize("opcode", [*COLLECTIVE, "st.shared.b32", "red.global.add.u32"])
def test_threads_that_work_together_are_not_guarded(opcode: str) -> None:
    """Others are, and the jump around them is spared."""
    join, side = Edge(2), MachineBlock([Instruction(opcode)], fallthrough=Edge(2))
    first = MachineBlock(branches=[(Guard(0), join)], fallthrough=Edge(1))
    predicate_small_branches([first, side, MachineBlock()], {})
    assert bool(first.branches) is (opcode in COLLECTIVE)


def test_a_block_that_writes_its_own_guard_by_another_name_keeps_its_jump() -> None:
    lines: list[Line] = [Instruction("mov.pred", (5, "1"), 1), Instruction("st", (3,))]
    side = MachineBlock(lines, fallthrough=Edge(2))
    first = MachineBlock(branches=[(Guard(0), Edge(2))], fallthrough=Edge(1))
    predicate_small_branches([first, side, MachineBlock()], {5: 0})
    assert first.branches
    predicate_small_branches([first, side, MachineBlock()], {})
    assert not first.branches


def test_copies_at_once_are_the_same_one_after_the_other() -> None:
    """All ways in which four registers may get each other's values, or a constant."""
    sources: list[Component] = [0, 1, 2, 3, Constant(77, RegisterClass.B32)]
    for chosen in product(sources, repeat=4):
        classes = [RegisterClass.B32] * 4
        values: dict[Component, int] = {register: 10 + register for register in range(4)}
        values[sources[4]] = 77
        for destination, source in sequentialise(list(enumerate(chosen)), classes):
            values[destination] = values[source]
        assert [values[r] for r in range(4)] == [
            c.bits if isinstance(c, Constant) else 10 + c for c in chosen
        ]
        assert len(classes) == max(4, *(r + 1 for r in values if isinstance(r, int)))
