"""Runs ops of extensions: calls their `meaning`, and checks results against the ops' types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, PythonValues
from xdsl.ir import Operation

from tileir_xdsl.extension_parts import KnownOp
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import (
    pure_functions,
    region_functions,
    stateful_functions,
)
from tileir_xdsl.levels import EXTENSION_OPS

_FUNCTIONS = {
    "operands": pure_functions,
    "launch": stateful_functions,
    "regions": region_functions,
}


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations, for one launch, of all ops of extensions."""
    tables = {sees: dict[type[Operation], Callable[..., Any]]() for sees in _FUNCTIONS}
    for op, known in EXTENSION_OPS.items():
        tables[known.parts.sees][op] = _meaning(known)
    return [_FUNCTIONS[sees](table)(execution) for sees, table in tables.items() if table]


def _meaning(known: KnownOp) -> Callable[..., Any]:
    meaning = known.parts.meaning
    if meaning is None:
        return _missing(known)
    return _checked(meaning) if known.parts.sees == "operands" else meaning


def _missing(known: KnownOp) -> Callable[..., Any]:
    def run(*_: object) -> PythonValues:
        raise ExecutionError(
            f"the op cannot be executed: extension '{known.origin}' defines no meaning for it"
        )

    return run


def _checked(meaning: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a `meaning`: checks that its result fits the op's result type.

    numpy widens integers implicitly, so a result of another type would go unnoticed.
    """

    def run(op: Operation, *operands: Any) -> Any:
        try:
            result = np.asarray(meaning(op, *operands))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ExecutionError(f"the function meaning of the op fails: {error}") from error
        type_ = op.results[0].type
        dtype, shape = element_of(type_).dtype, shape_of(type_)
        # Tile blocks that run together have axes of their own before those of the tile.
        if result.dtype != dtype or result.shape[result.ndim - len(shape) :] != shape:
            found = f"{result.dtype}{list(result.shape)}"
            raise ExecutionError(
                f"the function meaning of the op returns {found}, expected {dtype}{list(shape)}"
            )
        return result

    return run
