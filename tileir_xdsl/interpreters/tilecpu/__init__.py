"""`tilecpu` on numpy values: an op of a nest computes all elements at once.

The indices of a nest are arrays, one for each dimension, and so is every value in its body. Buffers
are parts of one arena, so two buffers that share bytes by mistake give wrong results.
"""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import (
    region_functions,
    stateful_functions,
    terminator_functions,
)
from tileir_xdsl.interpreters.tilecpu.accesses import ACCESSES
from tileir_xdsl.interpreters.tilecpu.buffers import BUFFERS, SCANS
from tileir_xdsl.interpreters.tilecpu.nests import INDICES, NESTS, TERMINATORS

_FUNCTIONS = (
    stateful_functions({**ACCESSES, **BUFFERS, **INDICES}),
    region_functions({**NESTS, **SCANS}),
    terminator_functions(TERMINATORS),
)


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations of all ops of the dialect for one launch."""
    return [functions(execution) for functions in _FUNCTIONS]


__all__ = ["functions"]
