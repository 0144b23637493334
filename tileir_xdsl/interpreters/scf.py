"""`scf` on numpy values. Induction variables keep the type of the bounds."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import scf
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)

from tileir_xdsl.interpreters.memory_order import wait_for


@register_impls
class ScfFunctions(InterpreterFunctions):
    """Structured control flow; conditions and bounds are rank-0 arrays."""

    @impl(scf.IfOp)
    def run_if(self, interpreter: Interpreter, op: scf.IfOp, args: PythonValues) -> PythonValues:
        region = op.true_region if wait_for(args)[0] else op.false_region
        return interpreter.run_ssacfg_region(region, (), op.name)

    @impl(scf.ForOp)
    def run_for(self, interpreter: Interpreter, op: scf.ForOp, args: PythonValues) -> PythonValues:
        lower, upper, step, *carried = wait_for(args)
        values = tuple(carried)
        for i in range(int(lower), int(upper), int(step)):
            induction = np.asarray(i, lower.dtype)
            values = interpreter.run_ssacfg_region(op.body, (induction, *values), op.name)
        return values

    @impl(scf.WhileOp)
    def run_while(
        self, interpreter: Interpreter, op: scf.WhileOp, args: PythonValues
    ) -> PythonValues:
        while True:
            condition, *values = interpreter.run_ssacfg_region(op.before_region, args, op.name)
            if not wait_for((condition,))[0]:
                return tuple(values)
            args = interpreter.run_ssacfg_region(op.after_region, tuple(values), op.name)

    @impl_terminator(scf.YieldOp)
    def run_yield(self, interpreter: Interpreter, op: scf.YieldOp, args: PythonValues):
        return ReturnedValues(args), ()

    @impl_terminator(scf.ConditionOp)
    def run_condition(self, interpreter: Interpreter, op: scf.ConditionOp, args: PythonValues):
        return ReturnedValues(args), ()
