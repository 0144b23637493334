"""Program coordinates, assumptions and hints of `nv_tileaa`."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.registration import PureTable, RegionTable, StatefulTable


def _assume(_op: dialect.AssumeOp, value: object) -> object:
    return value


def _program_id(
    execution: Execution, op: dialect.GetProgramIdOp, *program: Coordinates | None
) -> PythonValues:
    (block,) = program or (execution.block,)
    if block is None:
        raise ExecutionError("the program ID is not valid")
    return (np.asarray(block[op.axis.value.data], np.int32),)


def _cta_id(execution: Execution, op: dialect.GetCtaIdOp) -> PythonValues:
    return (np.asarray(execution.cta[op.axis.value.data], np.int32),)


def _number_of_programs(execution: Execution, op: dialect.GetNumProgramsOp) -> PythonValues:
    return (np.asarray(execution.grid[op.axis.value.data], np.int32),)


def _current_program(execution: Execution, _op: dialect.CurrentProgramIdOp) -> PythonValues:
    return (execution.block,)


def take_next_program(execution: Execution, _op: dialect.CancelNextProgramIdOp) -> PythonValues:
    """Cancels the start of a tile block, and returns its coordinates; None if all have started."""
    return (next(execution.not_started, None),)


def _is_program(
    _execution: Execution, _op: dialect.IsValidProgramIdOp, program: Coordinates | None
) -> PythonValues:
    return (np.asarray(program is not None),)


def _no_results(
    _execution: Execution,
    _op: dialect.MarkForReuseOp | dialect.MessageOp,
    *_values: object,
) -> PythonValues:
    return ()


def _same_values(
    _execution: Execution, _op: dialect.OptimizationBarrierOp, *values: object
) -> PythonValues:
    return values


def run_pragma(
    _execution: Execution, interpreter: Interpreter, op: dialect.PragmaOp
) -> PythonValues:
    """Runs the body, and returns the values that it yields."""
    return interpreter.run_ssacfg_region(op.body, (), op.name)


CORE: PureTable = {dialect.AssumeOp: _assume}

PROGRAM: StatefulTable = {
    dialect.CancelNextProgramIdOp: take_next_program,
    dialect.CurrentProgramIdOp: _current_program,
    dialect.GetCtaIdOp: _cta_id,
    dialect.GetNumProgramsOp: _number_of_programs,
    dialect.GetProgramIdOp: _program_id,
    dialect.IsValidProgramIdOp: _is_program,
}

HINTS: StatefulTable = {
    dialect.MarkForReuseOp: _no_results,
    dialect.MessageOp: _no_results,
    dialect.OptimizationBarrierOp: _same_values,
}
"""The ops without effect at run time."""

PRAGMA: RegionTable = {dialect.PragmaOp: run_pragma}
