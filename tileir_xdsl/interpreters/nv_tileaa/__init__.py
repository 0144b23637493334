"""`nv_tileaa` on numpy values: layouts and hints have no effect here.

One module per family of operations, as in the dialect.
"""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.nv_tileaa.arithmetic import ARITHMETIC
from tileir_xdsl.interpreters.nv_tileaa.bodies import TERMINATORS
from tileir_xdsl.interpreters.nv_tileaa.collectives import COLLECTIVES
from tileir_xdsl.interpreters.nv_tileaa.conversions import BYTES, CONVERSIONS
from tileir_xdsl.interpreters.nv_tileaa.core import CORE, HINTS, PRAGMA, PROGRAM
from tileir_xdsl.interpreters.nv_tileaa.diagnostics import DIAGNOSTICS
from tileir_xdsl.interpreters.nv_tileaa.external import EXTERNAL
from tileir_xdsl.interpreters.nv_tileaa.functions import FUNCTIONS
from tileir_xdsl.interpreters.nv_tileaa.globals import GLOBALS, allocate_globals
from tileir_xdsl.interpreters.nv_tileaa.matrix import MATRIX
from tileir_xdsl.interpreters.nv_tileaa.pointer_accesses import MEMORY, POINTERS
from tileir_xdsl.interpreters.nv_tileaa.queues import PUTS, QUEUES
from tileir_xdsl.interpreters.nv_tileaa.shapes import GENERATION, SHAPES
from tileir_xdsl.interpreters.nv_tileaa.views import ACCESSES, VIEWS
from tileir_xdsl.interpreters.registration import (
    pure_functions,
    region_functions,
    stateful_functions,
    terminator_functions,
)

PURE = {
    **ARITHMETIC,
    **BYTES,
    **CONVERSIONS,
    **CORE,
    **MATRIX,
    **POINTERS,
    **SHAPES,
    **VIEWS,
}
"""The ops whose result depends on their operands alone."""

STATEFUL = {
    **ACCESSES,
    **DIAGNOSTICS,
    **EXTERNAL,
    **GLOBALS,
    **HINTS,
    **MEMORY,
    **PROGRAM,
    **QUEUES,
}
"""The ops that depend on the grid or memory, and those without exactly one result."""

REGIONS = {**COLLECTIVES, **FUNCTIONS, **GENERATION, **PRAGMA, **PUTS}
"""The ops that run regions."""

_FUNCTIONS = (
    pure_functions(PURE),
    stateful_functions(STATEFUL),
    region_functions(REGIONS),
    terminator_functions(TERMINATORS),
)


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations, for one launch, of all ops of the dialect."""
    return [functions(execution) for functions in _FUNCTIONS]


__all__ = ["PURE", "REGIONS", "STATEFUL", "TERMINATORS", "allocate_globals", "functions"]
