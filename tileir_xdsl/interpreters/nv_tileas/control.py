"""Terminators, directives, and ops that take over other tile blocks."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.core import run_pragma, take_next_program
from tileir_xdsl.interpreters.nv_tileas.async_work import Work, start
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable


def _cancel_later(
    execution: Execution,
    op: dialect.AsyncCancelNextProgramIdOp,
    destination: Buffer | None = None,
) -> PythonValues:
    if destination is None:
        return (Work.done(next(execution.not_started, None)),)

    def answer() -> Array:
        program = next(execution.not_started, None)
        return np.asarray([0] * 4 if program is None else [1, *program], np.int32)

    return (start(execution, op, answer, destination),)


def _read_answer(
    _execution: Execution, _op: dialect.ReadProgramIdOp, answer: Array
) -> PythonValues:
    valid, x, y, z = (int(value) for value in answer)
    return ((x, y, z) if valid else None,)


def _fence(_execution: Execution, _op: dialect.FenceOp) -> PythonValues:
    """Does nothing: an agent's accesses happen in program order."""
    return ()


CONTROL: StatefulTable = {
    dialect.CancelNextProgramIdOp: take_next_program,
    dialect.FenceOp: _fence,
    dialect.ReadProgramIdOp: _read_answer,
}

REQUESTS: StatefulTable = {dialect.AsyncCancelNextProgramIdOp: _cancel_later}
"""The ops whose answer may be written to a buffer."""

PRAGMA: RegionTable = {dialect.PragmaOp: run_pragma}

TERMINATORS: tuple[type[Operation], ...] = (dialect.PipelineYieldOp, dialect.YieldOp)
"""The ops that end regions."""
