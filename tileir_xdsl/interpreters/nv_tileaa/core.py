"""Program coordinates and the ops that build and reshape tiles."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation

from tileir_xdsl.dialects.nv_tileaa import core, shapes
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable, StatefulTable


def _broadcast(op: Operation, source: Array) -> Array:
    return np.broadcast_to(source, shape_of(op.results[0].type))


def _reshape(op: Operation, source: Array) -> Array:
    return source.reshape(shape_of(op.results[0].type))


def _make_range(op: core.MakeRangeOp, start: Array, _end: Array) -> Array:
    (length,) = shape_of(op.result.type)
    steps = np.arange(length, dtype=np.uint64) + np.uint64(int(start) % (1 << 64))
    return steps.astype(element_of(op.result.type).dtype)


def _assume(_op: core.AssumeOp, value: Array) -> Array:
    return value


def _program_id(execution: Execution, op: core.GetProgramIdOp) -> PythonValues:
    return (np.asarray(execution.block[op.axis.value.data], np.int32),)


def _number_of_programs(execution: Execution, op: core.GetNumProgramsOp) -> PythonValues:
    return (np.asarray(execution.grid[op.axis.value.data], np.int32),)


CORE: PureTable = {
    shapes.SplatOp: _broadcast,
    shapes.BroadcastOp: _broadcast,
    shapes.ViewOp: _reshape,
    shapes.ExtractOp: _reshape,
    core.MakeRangeOp: _make_range,
    core.AssumeOp: _assume,
}

PROGRAM: StatefulTable = {
    core.GetProgramIdOp: _program_id,
    core.GetNumProgramsOp: _number_of_programs,
}


@register_impls
class ReturnFunctions(InterpreterFunctions):
    """The end of a kernel."""

    @impl_terminator(core.ReturnOp)
    def run_return(self, interpreter: Interpreter, op: core.ReturnOp, args: PythonValues):
        return ReturnedValues(args), ()
