"""`nv_tileaa` on numpy values: layouts and hints change nothing here."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.nv_tileaa.arithmetic import ARITHMETIC
from tileir_xdsl.interpreters.nv_tileaa.core import CORE, PROGRAM, ReturnFunctions
from tileir_xdsl.interpreters.nv_tileaa.memory import MEMORY, POINTERS
from tileir_xdsl.interpreters.nv_tileaa.views import ACCESSES, VIEWS
from tileir_xdsl.interpreters.registration import pure_functions, stateful_functions

PURE = {**ARITHMETIC, **CORE, **POINTERS, **VIEWS}
"""The ops whose result depends on their operands alone."""

STATEFUL = {**PROGRAM, **MEMORY, **ACCESSES}
"""The ops that see the grid or memory."""


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations of all ops of the dialect for one launch."""
    return [
        pure_functions(PURE, execution),
        stateful_functions(STATEFUL, execution),
        ReturnFunctions(),
    ]
