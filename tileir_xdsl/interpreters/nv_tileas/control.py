"""Ends of regions, directives, and taking over other tile blocks."""

from __future__ import annotations

from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.nv_tileaa.core import run_pragma, take_next_program
from tileir_xdsl.interpreters.nv_tileas.async_work import Work
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable


def _cancel_later(execution: Execution, _op: dialect.AsyncCancelNextProgramIdOp) -> PythonValues:
    return (Work.done(next(execution.not_started, None)),)


def _fence(_execution: Execution, _op: dialect.FenceOp) -> PythonValues:
    """The accesses of an agent happen in its order."""
    return ()


CONTROL: StatefulTable = {
    dialect.AsyncCancelNextProgramIdOp: _cancel_later,
    dialect.CancelNextProgramIdOp: take_next_program,
    dialect.FenceOp: _fence,
}

PRAGMA: RegionTable = {dialect.PragmaOp: run_pragma}

TERMINATORS: tuple[type[Operation], ...] = (dialect.PipelineYieldOp, dialect.YieldOp)
"""What ends regions."""
