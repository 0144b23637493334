"""Interpreter functions from tables: op type -> what it computes.

Every op is one row of a table. The function of a pure op takes the op and the values of its
operands, and returns the array of its only result. For an op that reads or changes the state of the
launch, the function also takes the `Execution` and returns all results. For an op with regions, it
takes the interpreter as well. A terminator of a region only forwards its operands. A table becomes
a class once, and every launch makes an object of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation

from tileir_xdsl.interpreters.buffers import tiles_of
from tileir_xdsl.interpreters.errors import ExecutionError, error_at
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.pending import wait_for

PureTable: TypeAlias = Mapping[type[Operation], Callable[..., Any]]
"""Op type -> `function(op, *operands)`."""

StatefulTable: TypeAlias = Mapping[type[Operation], Callable[..., PythonValues]]
"""Op type -> `function(execution, op, *operands)`."""

RegionTable: TypeAlias = Mapping[type[Operation], Callable[..., PythonValues]]
"""Op type -> `function(execution, interpreter, op, *operands)`."""


class TableFunctions(InterpreterFunctions):
    """The implementations of the ops of one table, for one launch."""

    def __init__(self, execution: Execution):
        self.execution = execution


_Implementation: TypeAlias = Callable[[Execution, Interpreter, Operation, PythonValues], Any]


def pure_functions(table: PureTable) -> type[TableFunctions]:
    """The implementations of a table of pure ops; errors name op and tile block."""

    def implementation(function: Callable[..., Any]) -> _Implementation:
        def run(
            _execution: Execution, _interpreter: Interpreter, op: Operation, operands: PythonValues
        ) -> PythonValues:
            result = function(op, *operands)
            # numpy turns results of rank 0 into scalars.
            return (np.asarray(result) if isinstance(result, np.generic) else result,)

        return run

    return _register({t: implementation(f) for t, f in table.items()})


def stateful_functions(
    table: StatefulTable, *, keeps_buffers: bool = False
) -> type[TableFunctions]:
    """The implementations of a table of ops that use the `Execution`; errors name the op.

    With `keeps_buffers` the functions receive buffers, otherwise the tiles in them.
    """

    def implementation(function: Callable[..., PythonValues]) -> _Implementation:
        def run(
            execution: Execution, _interpreter: Interpreter, op: Operation, operands: PythonValues
        ) -> PythonValues:
            return function(execution, op, *operands)

        return run

    return _register({t: implementation(f) for t, f in table.items()}, keeps_buffers)


def region_functions(table: RegionTable, *, keeps_buffers: bool = False) -> type[TableFunctions]:
    """The implementations of a table of ops with regions, as by `stateful_functions`."""

    def implementation(function: Callable[..., PythonValues]) -> _Implementation:
        def run(
            execution: Execution, interpreter: Interpreter, op: Operation, operands: PythonValues
        ) -> PythonValues:
            return function(execution, interpreter, op, *operands)

        return run

    return _register({t: implementation(f) for t, f in table.items()}, keeps_buffers)


def terminator_functions(types: Iterable[type[Operation]]) -> type[TableFunctions]:
    """The implementations of terminators: a region yields their operands."""

    def finish(
        _functions: TableFunctions,
        _interpreter: Interpreter,
        _op: Operation,
        operands: PythonValues,
    ) -> tuple[ReturnedValues, PythonValues]:
        return ReturnedValues(operands), ()

    return _function_type({t: impl_terminator(t)(finish) for t in types})


def _register(
    functions: Mapping[type[Operation], _Implementation], keeps_buffers: bool = False
) -> type[TableFunctions]:
    values_of = wait_for if keeps_buffers else tiles_of

    def method(function: _Implementation) -> Callable[..., PythonValues]:
        def run(
            functions: TableFunctions,
            interpreter: Interpreter,
            op: Operation,
            operands: PythonValues,
        ) -> PythonValues:
            execution = functions.execution
            try:
                return function(execution, interpreter, op, values_of(operands))
            except ExecutionError as error:
                raise error_at(op, execution.block, error) from None

        return run

    return _function_type({t: cast(Any, impl(t)(method(f))) for t, f in functions.items()})


def _function_type(methods: Mapping[type[Operation], Any]) -> type[TableFunctions]:
    namespace = {repr(t): function for t, function in methods.items()}
    return register_impls(type("TableFunctions", (TableFunctions,), namespace))
