"""The base class of the patterns, each of which rewrites an op of the tile program to ops of one
thread.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from xdsl.dialects import llvm
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.strategies import extension_strategy_of
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.walking import ops_in

from .probes import Probes, store_probes
from .program import ThreadProgram, ThreadRewriter

OpT = TypeVar("OpT", bound=Operation)


@dataclass(frozen=True)
class LoweredFunction:
    """A function of the tile program, as the program of one thread."""

    function: llvm.FuncOp
    program: ThreadProgram
    probes: tuple[Probes, SSAValue] | None = None
    """The probes of a kernel, and the address of their buffer."""


@dataclass(frozen=True)
class Lowering:
    """State that the patterns of a module share: lowered functions, and a table of the patterns."""

    notes_wavefronts: bool = False
    probed_executions: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many executions of an op store their results, by the number of the op in its kernel."""
    table: dict[type[Operation], RewritePattern] = field(
        default_factory=dict[type[Operation], RewritePattern]
    )
    """The patterns of the ops in functions."""
    functions: dict[nv_tileaa.FuncOp, LoweredFunction] = field(
        default_factory=dict[nv_tileaa.FuncOp, LoweredFunction]
    )
    """The lowered form of each function of the tile program."""
    inlined: set[Block] = field(default_factory=set[Block])
    """Blocks that the lowering of their parent op emits, any number of times."""
    _function_of: dict[Block, LoweredFunction] = field(default_factory=dict[Block, LoweredFunction])
    """A cache: the function of each block."""

    def function_of(self, op: Operation) -> LoweredFunction:
        """The lowered form of the function that an op is in."""
        block = op.parent
        assert block is not None
        if block not in self._function_of:
            self._function_of[block] = self.functions[function_of(op)]
        return self._function_of[block]

    def claim(self, block: Block) -> None:
        """Marks a block and its nested blocks as lowered by the parent op."""
        self.inlined.add(block)
        self.inlined.update(b for op in ops_in(block) for r in op.regions for b in r.blocks)

    def inline(
        self, block: Block, arguments: Sequence[SSAValue], rewriter: ThreadRewriter
    ) -> tuple[SSAValue, ...]:
        """Emits the ops of a block on scalars for its arguments; returns what its terminator
        yields.

        A block that has been claimed may be emitted many times, as the bodies of reductions are.
        """
        for argument, value in zip(block.args, arguments, strict=True):
            rewriter.replace(argument, (value,))
        terminator = block.last_op
        assert terminator is not None
        for op in block.ops:
            if op is not terminator:
                for nested in ops_in(op):
                    pattern = look_up(self.table, nested)
                    assert isinstance(pattern, LowerOp)
                    rewriter.builder.location = nested.location
                    pattern.lower(nested, rewriter)
        return tuple(rewriter.scalar(operand) for operand in terminator.operands)


Patterns = Mapping[type[Operation], "Callable[[Lowering], LowerOp[Any]]"]
"""The patterns for a family of ops, by op type."""


@dataclass
class LowerOp(RewritePattern, Generic[OpT], ABC):
    """Base of the patterns for one op type. The tile op stays until its function is erased."""

    lowering: Lowering

    @abstractmethod
    def lower(self, op: OpT, rewriter: ThreadRewriter) -> None:
        """Emits code for the op, and records the converted form of its results."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        # Bodies of reductions are emitted once for each pair of elements, by the reduction itself.
        if op.parent in self.lowering.inlined:
            return
        lowered = self.lowering.function_of(op)
        program = lowered.program
        inserting = ThreadRewriter.at(op, program.region_of(op), program, rewriter)
        self.lower(cast(OpT, op), inserting)
        if lowered.probes is not None:
            store_probes(op, *lowered.probes, inserting)
        # It goes with its function, also where no code takes its place.
        rewriter.notify_op_modified(op)


@dataclass
class LowerByStrategy(LowerOp[Operation]):
    """Lowers an op by the extension's strategy that its attribute names, otherwise by `pattern`."""

    pattern: Callable[[Lowering], LowerOp[Any]]
    strategies: Mapping[str, Callable[[Lowering], LowerOp[Any]]]

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        name = extension_strategy_of(op)
        lower = self.pattern if name is None else self.strategies.get(name, self.pattern)
        lower(self.lowering).lower(op, rewriter)
