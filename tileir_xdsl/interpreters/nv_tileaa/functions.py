"""Calls, launches and agents of `nv_tileaa`."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation, Region

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.functions import look_up_function
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution, ctas_of
from tileir_xdsl.interpreters.grid import check_grid, tile_blocks
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import RegionTable


def _function(op: Operation, symbol: SymbolRefAttr) -> dialect.FuncOp:
    function = look_up_function(op, symbol)
    if function is None or not function.body.blocks:
        raise ExecutionError(f"the function {symbol} has no body")
    return function


def _call(
    _execution: Execution, interpreter: Interpreter, op: dialect.CallOp, *values: object
) -> PythonValues:
    return interpreter.run_ssacfg_region(_function(op, op.callee).body, values, op.name)


def _launch(
    execution: Execution, interpreter: Interpreter, op: dialect.LaunchFuncOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    x, y, z = (int(as_unsigned(extent)) for extent in operands.several(op.grid))
    grid = (x, y, z)
    check_grid(grid, ExecutionError)
    kernel, args = _function(op, op.kernel), tuple(operands.several(op.args))

    def run() -> PythonValues:
        return copy(interpreter).run_ssacfg_region(kernel.body, args, op.name)

    execution.run_grid(grid, tile_blocks(grid), run, ctas_of(kernel))
    return ()


def run_agents(
    execution: Execution,
    interpreter: Interpreter,
    bodies: Sequence[Region],
    inputs: PythonValues,
    name: str,
) -> None:
    """Runs each body as an agent until all have ended. Raises the first exception of a body."""
    # A copy of the interpreter shares the values of the scopes around it, and opens its own.
    execution.agents.run(
        [partial(copy(interpreter).run_ssacfg_region, body, inputs, name) for body in bodies]
    )


def _execute(
    execution: Execution, interpreter: Interpreter, op: dialect.ExecuteOp, *inputs: object
) -> PythonValues:
    run_agents(execution, interpreter, op.agent_bodies, inputs, op.name)
    return ()


FUNCTIONS: RegionTable = {
    dialect.CallOp: _call,
    dialect.ExecuteOp: _execute,
    dialect.LaunchFuncOp: _launch,
}
