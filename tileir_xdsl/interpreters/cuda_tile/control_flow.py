"""Control flow of `cuda_tile`: branches, loops, assertions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.cuda_tile.blocks import BlockRunner, Exit, Leave, RegionTable
from tileir_xdsl.interpreters.errors import error_at
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.formatting import check_assertion
from tileir_xdsl.interpreters.integer_operations import as_signed, as_unsigned
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import StatefulTable


def _run_if(runner: BlockRunner, op: dialect.IfOp, operands: PythonValues) -> Exit:
    (condition,) = operands
    region = op.then_region if condition else op.else_region
    if not region.blocks:
        return Exit(Leave.YIELD, ())
    return runner.run_block(region.block, ())


def _induction_values(
    runner: BlockRunner, op: dialect.ForOp, bounds: tuple[Array, ...]
) -> Iterator[Array]:
    """The values of the induction variable, which never wraps around."""
    lower, upper, step = bounds
    read = as_unsigned if op.unsigned_cmp is not None else as_signed
    increment = int(as_signed(step))
    if increment <= 0:
        message = f"the step must be positive, but is {increment}"
        raise error_at(op, runner.execution.block, message)
    for value in range(int(read(lower)), int(read(upper)), increment):
        runner.execution.count_iteration(op)
        yield np.asarray(value).astype(lower.dtype)


def _run_for(runner: BlockRunner, op: dialect.ForOp, operands: PythonValues) -> Exit:
    values = operands[3:]
    for induction in _induction_values(runner, op, operands[:3]):
        exit_ = runner.run_block(op.body.block, (induction, *values))
        if exit_.leave is Leave.RETURN:
            return exit_
        values = exit_.values
    return Exit(Leave.YIELD, values)


def _run_loop(runner: BlockRunner, op: dialect.LoopOp, operands: PythonValues) -> Exit:
    values = operands
    with runner.execution.turns_at(op) as turns:
        while True:
            runner.execution.count_iteration(op)
            if turns is not None:
                turns.begin_iteration(values)
            exit_ = runner.run_block(op.body.block, values)
            match exit_.leave:
                case Leave.BREAK:
                    return Exit(Leave.YIELD, exit_.values)
                case Leave.RETURN:
                    return exit_
                case _:
                    values = exit_.values


CONTROL_FLOW: RegionTable = {
    dialect.ForOp: _run_for,
    dialect.IfOp: _run_if,
    dialect.LoopOp: _run_loop,
}


def _assert(_execution: Execution, op: dialect.AssertOp, condition: Array) -> PythonValues:
    check_assertion(condition, op.message.data)
    return ()


ASSERTIONS: StatefulTable = {dialect.AssertOp: _assert}
