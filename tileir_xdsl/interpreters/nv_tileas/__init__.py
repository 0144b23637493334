"""`nv_tileas` on numpy values: layouts have no effect on the values of elements.

One module per family of operations, as in the dialect.
"""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.nv_tileas.accesses import ACCESSES, LOCATIONS
from tileir_xdsl.interpreters.nv_tileas.async_work import ASYNC_TOKENS
from tileir_xdsl.interpreters.nv_tileas.compute import ASYNC_MMA_OPS, COLLECTIVES, MMA_OPS
from tileir_xdsl.interpreters.nv_tileas.control import CONTROL, PRAGMA, REQUESTS, TERMINATORS
from tileir_xdsl.interpreters.nv_tileas.conversions import CONVERSIONS, GENERATION, VIEWS
from tileir_xdsl.interpreters.nv_tileas.mutexes import MUTEXES
from tileir_xdsl.interpreters.nv_tileas.pipelines import HANDSHAKES, WHOLE_HANDSHAKES
from tileir_xdsl.interpreters.nv_tileas.slices import SLICES, STORAGE
from tileir_xdsl.interpreters.nv_tileas.synchronization import SYNCHRONIZATION
from tileir_xdsl.interpreters.nv_tileas.tma import TMA
from tileir_xdsl.interpreters.registration import (
    pure_functions,
    region_functions,
    stateful_functions,
    terminator_functions,
)

PURE = {**CONVERSIONS, **MMA_OPS, **SLICES}
"""The ops whose result depends on their operands alone."""

STATEFUL = {**ACCESSES, **CONTROL, **SYNCHRONIZATION}
"""The ops that access memory."""

ON_BUFFERS = {
    **ASYNC_MMA_OPS,
    **ASYNC_TOKENS,
    **HANDSHAKES,
    **VIEWS,
    **MUTEXES,
    **LOCATIONS,
    **REQUESTS,
    **STORAGE,
    **TMA,
}
"""The ops that distinguish a buffer from its contents."""

REGIONS = {**COLLECTIVES, **GENERATION}
"""The ops that run regions."""

REGIONS_ON_BUFFERS = {**PRAGMA, **WHOLE_HANDSHAKES}

_FUNCTIONS = (
    pure_functions(PURE),
    stateful_functions(STATEFUL),
    stateful_functions(ON_BUFFERS, keeps_buffers=True),
    region_functions(REGIONS),
    region_functions(REGIONS_ON_BUFFERS, keeps_buffers=True),
    terminator_functions(TERMINATORS),
)


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations, for one launch, of all ops of the dialect."""
    return [functions(execution) for functions in _FUNCTIONS]
