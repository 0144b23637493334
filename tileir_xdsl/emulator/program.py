"""Splits a kernel body into basic blocks.

A block is straight-line code followed by one terminator. The guard of an instruction that ends a
block becomes a branch, so that every terminator but `Branch` applies to all threads that reach it.
A block also begins before an instruction that the lanes of a warp execute together, since the
scheduler reunites them there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tileir_xdsl.emulator import syntax
from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.instructions.form import Collective, Compute, Control, FormTable
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.work import is_double, is_special


@dataclass(frozen=True, slots=True)
class Jump:
    """Threads continue at a block."""

    target: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Threads whose guard holds continue at `target`, the others at `otherwise`."""

    guard: syntax.Guard
    target: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class IndexedBranch:
    """`brx.idx`: each thread continues at the target that its index selects."""

    instruction: syntax.Instruction
    index: syntax.Operand
    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Exit:
    """The threads end."""


@dataclass(frozen=True, slots=True)
class Trap:
    """The launch ends with an error."""

    instruction: syntax.Instruction


@dataclass(frozen=True, slots=True)
class Barrier:
    """`barrier.cta` in all its forms; `match` holds its operands."""

    match: Match
    following: int


@dataclass(frozen=True, slots=True)
class ClusterWait:
    """`barrier.cluster.wait`, alone in its block."""

    instruction: syntax.Instruction
    following: int


Terminator = Jump | Branch | IndexedBranch | Exit | Trap | Barrier | ClusterWait


@dataclass(frozen=True, slots=True)
class BoundInstruction:
    """An instruction inside a block, with its semantics."""

    match: Match
    semantics: Compute | Collective


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Straight-line code; `line` is the PTX line of its first instruction.

    `size` counts the instructions, including the terminator. `convergence` is the collective
    instruction at the start of the block, if any. `may_wait` is set if the block reads memory as a
    thread does to wait for another one. `is_private` is set if no other thread can observe when the
    block runs: it only uses registers, or ends at a barrier. `special` and `double` count
    instructions as `Work` does.
    """

    steps: tuple[BoundInstruction, ...]
    terminator: Terminator
    line: int
    size: int
    convergence: Match | None = None
    may_wait: bool = False
    is_private: bool = False
    special: int = 0
    double: int = 0


def build_program(kernel: syntax.Kernel, forms: FormTable) -> tuple[BasicBlock, ...]:
    """Splits a kernel into basic blocks; block 0 is its entry.

    Raises `EmulatorError` for an instruction that no form describes.
    """
    return _ProgramBuilder(kernel, forms).build()


@dataclass
class _OpenBlock:
    """A block under construction; labels stand for blocks."""

    steps: list[BoundInstruction]
    line: int
    convergence: Match | None = None
    terminator: _OpenTerminator | None = None


@dataclass(frozen=True)
class _OpenTerminator:
    """A terminator whose targets are labels or, for the next block, `None`."""

    match: Match | None
    kind: str
    guard: syntax.Guard | None = None
    targets: tuple[str, ...] = ()


class _ProgramBuilder:
    def __init__(self, kernel: syntax.Kernel, forms: FormTable) -> None:
        self.kernel = kernel
        self.forms = forms
        self.blocks: list[_OpenBlock] = [_OpenBlock([], kernel.line)]
        self.starts: dict[str, int] = {}
        self.branch_targets = {
            statement.name: tuple(target.name for target in statement.targets)
            for statement in kernel.body
            if isinstance(statement, syntax.Label) and statement.targets
        }
        self.united: dict[syntax.Operand, int] = {}

    def build(self) -> tuple[BasicBlock, ...]:
        for statement in self.kernel.body:
            if isinstance(statement, syntax.Label):
                self.open_block(statement.line)
                self.starts[statement.name] = len(self.blocks) - 1
            else:
                self.instruction(statement)
        if self.blocks[-1].terminator is None:
            self.close(_OpenTerminator(None, "exit"))
        return tuple(self.finish(index, block) for index, block in enumerate(self.blocks))

    def open_block(self, line: int) -> None:
        """Begins a block, unless the current one is still empty."""
        self.united = {}
        current = self.blocks[-1]
        if current.steps or current.terminator or current.convergence:
            self.blocks.append(_OpenBlock([], line))
        else:
            current.line = line

    def close(self, terminator: _OpenTerminator) -> None:
        self.blocks[-1].terminator = terminator
        self.united = {}

    def instruction(self, instruction: syntax.Instruction) -> None:
        form, match = self.forms.match(instruction)
        if self.blocks[-1].terminator is not None:
            self.open_block(instruction.line)
        if not self.blocks[-1].steps:
            self.blocks[-1].line = instruction.line
        semantics = form.semantics
        if isinstance(semantics, Compute):
            self.blocks[-1].steps.append(BoundInstruction(match, semantics))
            self.separate(instruction)
            return
        guard = instruction.guard
        if isinstance(semantics, Control) and semantics.kind == "branch":
            self.branch(match)
        elif guard is not None:
            skip = f"#after {len(self.blocks)}"
            self.close(_OpenTerminator(match, "skip", guard, (skip,)))
            self.blocks.append(_OpenBlock([], instruction.line))
            self.unguarded(replace(match, instruction=replace(instruction, guard=None)), semantics)
            self.blocks.append(_OpenBlock([], instruction.line))
            self.starts[skip] = len(self.blocks) - 1
            self.united = {}
        else:
            self.unguarded(match, semantics)

    def branch(self, match: Match) -> None:
        target = match.operands["target"]
        if not isinstance(target, syntax.LabelReference):
            raise match.fail("the target of a branch must be a label")
        self.close(_OpenTerminator(match, "branch", match.instruction.guard, (target.name,)))

    def unguarded(self, match: Match, semantics: Collective | Control) -> None:
        if isinstance(semantics, Collective):
            self.collective(match, semantics)
        elif semantics.kind == "indexed branch":
            target_list = match.operands["targets"]
            name = target_list.name if isinstance(target_list, syntax.LabelReference) else ""
            targets = self.branch_targets.get(name)
            if targets is None:
                raise match.fail(
                    "the targets of an indexed branch must be the name of a .branchtargets list"
                )
            self.close(_OpenTerminator(match, semantics.kind, None, targets))
        else:
            if semantics.kind == "cluster wait":
                # A block that is run again and again until the wait is over does nothing else.
                self.open_block(match.instruction.line)
            self.close(_OpenTerminator(match, semantics.kind))

    def collective(self, match: Match, semantics: Collective) -> None:
        """Appends a collective instruction, in a new block unless its lanes are together."""
        mask = match.operands[semantics.member_mask] if semantics.member_mask else syntax.Sink()
        if self.united.get(mask, 0) < semantics.warps:
            self.open_block(match.instruction.line)
            self.blocks[-1].convergence = match
        self.blocks[-1].steps.append(BoundInstruction(match, semantics))
        self.united[mask] = max(semantics.warps, self.united.get(mask, 0))
        self.separate(match.instruction)

    def separate(self, instruction: syntax.Instruction) -> None:
        """Forgets lanes as together if an instruction writes their mask."""
        for written in _destinations(instruction):
            self.united.pop(written, None)

    def finish(self, index: int, block: _OpenBlock) -> BasicBlock:
        terminator = self.terminator(index, block)
        instructions = [step.match.instruction for step in block.steps]
        return BasicBlock(
            tuple(block.steps),
            terminator,
            block.line,
            len(block.steps)
            + (block.terminator is not None and block.terminator.match is not None),
            block.convergence,
            any(map(_may_wait, instructions)),
            isinstance(terminator, Jump | Branch | Exit | Barrier | ClusterWait)
            and all(map(_is_private, instructions)),
            sum(map(is_special, instructions)),
            sum(map(is_double, instructions)),
        )

    def terminator(self, index: int, block: _OpenBlock) -> Terminator:
        opened = block.terminator
        following = index + 1
        if opened is None:
            return Jump(following)
        targets = tuple(self.starts[name] for name in opened.targets)
        match = opened.match
        if opened.kind == "exit" or match is None:
            return Exit()
        if opened.guard is not None:
            guard = opened.guard
            if opened.kind == "skip":
                guard = replace(guard, negated=not guard.negated)
            return Branch(guard, targets[0], self.within(following, match))
        if opened.kind == "branch":
            return Jump(targets[0])
        if opened.kind == "indexed branch":
            return IndexedBranch(match.instruction, match.operands["index"], targets)
        if opened.kind == "trap":
            return Trap(match.instruction)
        if opened.kind == "cluster wait":
            return ClusterWait(match.instruction, self.within(following, match))
        return Barrier(match, self.within(following, match))

    def within(self, index: int, match: Match) -> int:
        if index == len(self.blocks):
            raise EmulatorError(
                "control runs past the end of the kernel",
                line=match.instruction.line,
                instruction=match.instruction.text,
            )
        return index


def _may_wait(instruction: syntax.Instruction) -> bool:
    opcode, *qualifiers = instruction.mnemonic.split(".")
    return (
        opcode in ("atom", "nanosleep")
        or (opcode == "mbarrier" and not {"test_wait", "try_wait"}.isdisjoint(qualifiers))
        or (opcode == "ld" and not {"volatile", "relaxed", "acquire"}.isdisjoint(qualifiers))
    )


_MOVES = frozenset(("mov", "cvt", "cvta", "mapa", "selp", "setp"))
PRIVATE = _MOVES | {"add", "sub", "mul", "mad", "and", "or", "xor", "not", "shl", "shr"}
"""Opcodes that use registers only."""


def _is_private(instruction: syntax.Instruction) -> bool:
    opcode, *qualifiers = instruction.mnemonic.split(".")
    arrives_at_cluster = opcode == "barrier" and "cluster" in qualifiers
    is_fence = opcode in ("fence", "membar")
    return (
        opcode in PRIVATE
        or is_fence
        or arrives_at_cluster
        or (opcode == "ld" and "param" in qualifiers)
    )


def _destinations(instruction: syntax.Instruction) -> frozenset[syntax.Operand]:
    """The registers that an instruction may write: those in its first operand."""
    if not instruction.operands:
        return frozenset()
    found: set[syntax.Operand] = set()
    pending: list[syntax.Operand] = [instruction.operands[0]]
    while pending:
        operand = pending.pop()
        if isinstance(operand, syntax.Register):
            found.add(operand)
        elif isinstance(operand, syntax.Vector):
            pending.extend(operand.elements)
        elif isinstance(operand, syntax.Selected):
            pending.append(operand.operand)
    return frozenset(found)


def warps_together(block: BasicBlock) -> int:
    """How many warps execute the collective instruction of a block together."""
    semantics = block.steps[0].semantics if block.convergence is not None else None
    return semantics.warps if isinstance(semantics, Collective) else 1
