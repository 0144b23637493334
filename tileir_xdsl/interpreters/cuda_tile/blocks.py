"""Runs blocks of `cuda_tile`, which control flow may leave from nested regions.

Branches inside a loop or kernel may contain the `break`, `continue` or `return` that ends it. This
module runs blocks, since xDSL's interpreter cannot leave two regions at once. The `Exit` of a block
says how it ended; each enclosing operation handles or forwards it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Block, Operation

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.errors import ExecutionError, error_at
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.pending import wait_for


class Leave(Enum):
    """The construct that a block leaves at its end."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()


@dataclass(frozen=True)
class Exit:
    """How a block ended, and the values its terminator forwards."""

    leave: Leave
    values: PythonValues


TERMINATORS: dict[type[Operation], Leave] = {
    dialect.YieldOp: Leave.YIELD,
    dialect.ContinueOp: Leave.CONTINUE,
    dialect.BreakOp: Leave.BREAK,
    dialect.ReturnOp: Leave.RETURN,
}


RegionTable: TypeAlias = Mapping[
    type[Operation], Callable[["BlockRunner", Any, PythonValues], Exit]
]
"""For each op type with regions: `function(runner, op, operands)`; a `YIELD` exit has results."""

CheckTable: TypeAlias = Mapping[type[Operation], Callable[..., None]]
"""For each op type: `check(op, *operands)`, which raises `ExecutionError`."""


@dataclass(frozen=True)
class BlockRunner:
    """Runs blocks of `cuda_tile` operations for one launch; checks each operation before."""

    interpreter: Interpreter
    execution: Execution
    region_operations: RegionTable
    checks: CheckTable

    @property
    def is_watched(self) -> bool:
        """Whether a listener or a check needs every operation."""
        return bool(self.checks or self.interpreter.listeners)

    def run_block(self, block: Block, arguments: PythonValues) -> Exit:
        """Runs the operations of `block` up to its terminator, or to a branch that leaves it."""
        self.interpreter.push_scope()
        self.interpreter.set_values(zip(block.args, arguments, strict=True))
        exit_ = self._run_operations(block)
        self.interpreter.pop_scope()
        return exit_

    def _run_operations(self, block: Block) -> Exit:
        for op in block.ops:
            operands = self.interpreter.get_values(op.operands)
            if (check := self.checks.get(type(op))) is not None:
                self._check(check, op, operands)
            if (leave := TERMINATORS.get(type(op))) is not None:
                self._announce(op, operands)
                return Exit(leave, operands)
            if (run := self.region_operations.get(type(op))) is not None:
                self._announce(op, operands)
                exit_ = run(self, op, wait_for(operands))
                if exit_.leave is not Leave.YIELD:
                    return exit_
                results = exit_.values
                for listener in self.interpreter.listeners:
                    listener.did_interpret_op(op, results)
            else:
                results = self.interpreter.run_op(op, operands)
            self.interpreter.set_values(zip(op.results, results, strict=True))
        raise AssertionError("a verified block ends in a terminator")

    def _announce(self, op: Operation, operands: PythonValues) -> None:
        for listener in self.interpreter.listeners:
            listener.will_interpret_op(op, operands)

    def _check(self, check: Callable[..., None], op: Operation, operands: PythonValues) -> None:
        try:
            check(op, *wait_for(operands))
        except ExecutionError as error:
            raise error_at(op, self.execution.block, error) from None
