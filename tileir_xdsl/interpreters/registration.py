"""Interpreter functions from tables: op type -> what it computes.

An op without regions is one row of a table. A pure op's function takes the op and the values of
its operands and returns the array of its only result; the function of an op that reads or changes
the state of the launch takes the `Execution` before them and returns all results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Operation

from tileir_xdsl.interpreters.errors import ExecutionError, error_at
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.memory_order import wait_for

PureTable: TypeAlias = Mapping[type[Operation], Callable[..., Any]]
"""Op type -> `function(op, *operands)`."""

StatefulTable: TypeAlias = Mapping[type[Operation], Callable[..., PythonValues]]
"""Op type -> `function(execution, op, *operands)`."""


def pure_functions(table: PureTable, execution: Execution) -> InterpreterFunctions:
    """The implementations of a table of pure ops; errors name op and tile block."""

    def implementation(function: Callable[..., Any]) -> Callable[..., PythonValues]:
        def run(op: Operation, operands: PythonValues) -> PythonValues:
            result = function(op, *operands)
            # numpy turns results of rank 0 into scalars.
            return (np.asarray(result) if isinstance(result, np.generic) else result,)

        return run

    return _register({t: implementation(f) for t, f in table.items()}, execution)


def stateful_functions(table: StatefulTable, execution: Execution) -> InterpreterFunctions:
    """The implementations of a table of ops that work on `execution`; errors as above."""

    def implementation(function: Callable[..., PythonValues]) -> Callable[..., PythonValues]:
        def run(op: Operation, operands: PythonValues) -> PythonValues:
            return function(execution, op, *operands)

        return run

    return _register({t: implementation(f) for t, f in table.items()}, execution)


def _register(
    functions: Mapping[type[Operation], Callable[..., PythonValues]], execution: Execution
) -> InterpreterFunctions:
    def method(function: Callable[..., PythonValues]) -> Callable[..., PythonValues]:
        def run(
            _functions: InterpreterFunctions,
            _interpreter: Interpreter,
            op: Operation,
            operands: PythonValues,
        ) -> PythonValues:
            try:
                return function(op, wait_for(operands))
            except ExecutionError as error:
                raise error_at(op, execution.block, error) from None

        return run

    namespace = {repr(t): cast(Any, impl(t)(method(f))) for t, f in functions.items()}
    table = type("TableFunctions", (InterpreterFunctions,), namespace)
    return register_impls(table)()
