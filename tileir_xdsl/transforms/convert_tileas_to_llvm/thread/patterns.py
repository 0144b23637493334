"""The base of the patterns: each lowers one op of the tile program into the thread program."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.rewriting import look_up

from .probes import Probes, store_probes
from .program import ThreadProgram

OpT = TypeVar("OpT", bound=Operation)


@dataclass
class Lowering:
    """What the patterns share: the thread programs of the functions so far, and each other."""

    notes_wavefronts: bool = False
    programs: list[tuple[llvm.FuncOp, ThreadProgram]] = field(
        default_factory=list[tuple[llvm.FuncOp, ThreadProgram]]
    )
    table: Mapping[type[Operation], RewritePattern] = field(
        default_factory=dict[type[Operation], RewritePattern]
    )
    inlined: set[Block] = field(default_factory=set[Block])
    """Blocks that their parent op lowers, as often as it needs."""
    probed_executions: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many executions to store of the results of an op, by its number in its kernel."""
    probes: tuple[Probes, SSAValue] | None = None
    """The probes of the kernel that is being converted, and the address of their buffer."""

    @property
    def program(self) -> ThreadProgram:
        """The program of the function that is being converted."""
        return self.programs[-1][1]

    def begin(self, function: llvm.FuncOp, program: ThreadProgram) -> None:
        """Continues with another function."""
        self.programs.append((function, program))

    def claim(self, block: Block) -> None:
        """Marks a block and its nested blocks as lowered by the parent op."""
        self.inlined.add(block)
        self.inlined |= {b for op in block.walk() for region in op.regions for b in region.blocks}

    def inline(self, block: Block, arguments: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Emits the ops of a block on scalars for its arguments; returns what its terminator
        yields.

        A block that has been claimed may be emitted many times, as the bodies of reductions are.
        """
        program = self.program
        for argument, value in zip(block.args, arguments, strict=True):
            program.values[argument] = (value,)
        terminator = block.last_op
        assert terminator is not None
        for op in block.ops:
            if op is not terminator:
                for nested in op.walk():
                    pattern = look_up(self.table, nested)
                    assert isinstance(pattern, LowerOp)
                    pattern.emit(nested)
        return tuple(program.scalar(operand) for operand in terminator.operands)


Patterns = Mapping[type[Operation], "Callable[[Lowering], LowerOp[Any]]"]
"""How the ops of one family are converted."""


@dataclass
class LowerOp(RewritePattern, Generic[OpT], ABC):
    """Base of the patterns of one op type. The tile op stays until its function is erased."""

    lowering: Lowering

    @abstractmethod
    def lower(self, op: OpT, program: ThreadProgram) -> None:
        """Emits the op, and records the lowering of its results."""

    def emit(self, op: Operation) -> None:
        """Emits an op of this type with its location."""
        program = self.lowering.program
        program.builder.location = op.location
        self.lower(cast(OpT, op), program)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        # Bodies of reductions are emitted once for each pair of elements, by the reduction itself.
        if op.parent in self.lowering.inlined:
            return
        self.emit(op)
        if self.lowering.probes is not None:
            store_probes(op, *self.lowering.probes, self.lowering.program)
