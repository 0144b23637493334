"""The base of the patterns: each emits one op of the tile program into the thread's program."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from .values import ThreadProgram

OpT = TypeVar("OpT", bound=Operation)


@dataclass
class Lowering:
    """The thread program of the function being converted; the function's pattern sets it."""

    program: ThreadProgram


@dataclass
class LowerOp(RewritePattern, Generic[OpT], ABC):
    """Base of the patterns of one op type. The tile op stays until its function is erased."""

    lowering: Lowering

    @abstractmethod
    def lower(self, op: OpT, program: ThreadProgram) -> None:
        """Emits the op, and records what its results became."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        program = self.lowering.program
        program.builder.location = op.location
        self.lower(cast(OpT, op), program)
