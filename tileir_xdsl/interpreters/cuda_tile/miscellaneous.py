"""Miscellaneous operations of `cuda_tile`."""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.formatting import format_tiles
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _assume(_op: dialect.AssumeOp, value: Any) -> Any:
    return value


def _print(execution: Execution, op: dialect.PrintTkoOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    tiles = operands.several(op.args)

    def action() -> None:
        execution.output.write(format_tiles(op.str_.data, tiles))

    _, token = execution.perform(op, operands.optional(op.token), action)
    return (token,)


MISCELLANEOUS: PureTable = {dialect.AssumeOp: _assume}

PRINTING: StatefulTable = {dialect.PrintTkoOp: _print}
