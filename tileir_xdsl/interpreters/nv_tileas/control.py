"""Ends of regions, directives, and taking over other tile blocks."""

from __future__ import annotations

from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.nv_tileas.async_work import Work
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable


def _cancel(execution: Execution, _op: dialect.CancelNextProgramIdOp) -> PythonValues:
    """A tile block that has not started, None if all have."""
    return (next(execution.not_started, None),)


def _cancel_later(execution: Execution, _op: dialect.AsyncCancelNextProgramIdOp) -> PythonValues:
    return (Work.done(next(execution.not_started, None)),)


def _fence(_execution: Execution, _op: dialect.FenceOp) -> PythonValues:
    """The accesses of an agent happen in its order."""
    return ()


def _pragma(_execution: Execution, interpreter: Interpreter, op: dialect.PragmaOp) -> PythonValues:
    return interpreter.run_ssacfg_region(op.body, (), op.name)


CONTROL: StatefulTable = {
    dialect.AsyncCancelNextProgramIdOp: _cancel_later,
    dialect.CancelNextProgramIdOp: _cancel,
    dialect.FenceOp: _fence,
}

PRAGMA: RegionTable = {dialect.PragmaOp: _pragma}

TERMINATORS: tuple[type[Operation], ...] = (dialect.PipelineYieldOp, dialect.YieldOp)
"""What ends regions."""
