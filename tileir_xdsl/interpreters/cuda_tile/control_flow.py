"""Control flow of `cuda_tile`: loops, branches, and leaving them from below.

`break`, `continue` and `return` may stand in a branch deep below the loop or kernel they end. So
blocks are run here, not by xDSL's interpreter, which knows no way out of two regions at once: a
block ends in an `Exit` that says how, and each enclosing operation takes it or passes it on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Block, Operation

from tileir_xdsl.dialects.cuda_tile.control_flow import ReturnOp
from tileir_xdsl.dialects.cuda_tile.core import EntryOp


class Leave(Enum):
    """What the end of a block leaves."""

    YIELD = auto()
    CONTINUE = auto()
    BREAK = auto()
    RETURN = auto()


@dataclass(frozen=True)
class Exit:
    """How a block ended, and the values its terminator hands on."""

    leave: Leave
    values: PythonValues


TERMINATORS: dict[type[Operation], Leave] = {ReturnOp: Leave.RETURN}


def run_block(interpreter: Interpreter, block: Block, arguments: PythonValues) -> Exit:
    """Run the operations of `block` up to its terminator, or to a branch that leaves it."""
    interpreter.push_scope()
    interpreter.set_values(zip(block.args, arguments, strict=True))
    for op in block.ops:
        operands = interpreter.get_values(op.operands)
        leave = TERMINATORS.get(type(op))
        if leave is not None:
            interpreter.pop_scope()
            return Exit(leave, operands)
        results = interpreter.run_op(op, operands)
        interpreter.set_values(zip(op.results, results, strict=True))
    raise AssertionError("a verified block ends in a terminator")


def entry_runner(op: EntryOp) -> Callable[[Interpreter, PythonValues], object]:
    """A function that runs the kernel once."""

    def run(interpreter: Interpreter, parameters: PythonValues) -> object:
        return run_block(interpreter, op.body.block, parameters)

    return run
