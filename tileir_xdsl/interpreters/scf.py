"""`scf` on numpy values; conditions and bounds are rank-0 arrays.

Induction variables keep the type of the bounds.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects import scf
from xdsl.interpreter import Interpreter, PythonValues

from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.registration import RegionTable


def _run_if(
    _execution: Execution, interpreter: Interpreter, op: scf.IfOp, condition: Array
) -> PythonValues:
    region = op.true_region if condition else op.false_region
    return interpreter.run_ssacfg_region(region, (), op.name)


def _run_for(
    execution: Execution,
    interpreter: Interpreter,
    op: scf.ForOp,
    lower: Array,
    upper: Array,
    step: Array,
    *carried: object,
) -> PythonValues:
    values: PythonValues = carried
    if int(step) <= 0:
        raise ExecutionError(f"the step must be positive, but is {int(step)}")
    for i in range(int(lower), int(upper), int(step)):
        execution.count_iteration(op)
        induction = np.asarray(i, lower.dtype)
        values = interpreter.run_ssacfg_region(op.body, (induction, *values), op.name)
    return values


def _run_while(
    execution: Execution, interpreter: Interpreter, op: scf.WhileOp, *operands: object
) -> PythonValues:
    values: PythonValues = operands
    with execution.turns_at(op) as turns:
        while True:
            execution.count_iteration(op)
            if turns is not None:
                turns.begin_iteration(values)
            condition, *rest = interpreter.run_ssacfg_region(op.before_region, values, op.name)
            if not wait_for((condition,))[0]:
                return tuple(rest)
            values = interpreter.run_ssacfg_region(op.after_region, tuple(rest), op.name)


SCF: RegionTable = {scf.ForOp: _run_for, scf.IfOp: _run_if, scf.WhileOp: _run_while}
"""Structured control flow."""

SCF_TERMINATORS = (scf.ConditionOp, scf.YieldOp)
"""The ops that end regions of `scf`."""
