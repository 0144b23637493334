"""Assertions and output of `nv_tileaa`."""

from __future__ import annotations

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.formatting import check_assertion, format_tiles
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable


def _assert(_execution: Execution, op: dialect.AssertOp, condition: Array) -> PythonValues:
    check_assertion(condition, op.message.data)
    return ()


def _print(execution: Execution, op: dialect.PrintOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    tiles = operands.several(op.args)

    def action() -> None:
        execution.output.write(format_tiles(op.format.data, tiles))

    _, token = execution.perform(op, operands.optional(op.token), action)
    return (token,)


DIAGNOSTICS: StatefulTable = {dialect.AssertOp: _assert, dialect.PrintOp: _print}
