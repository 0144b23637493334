"""`nv_tileas` on numpy values: a layout says where elements live, never what they are."""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.dialects.nv_tileas import conversions, memory, tiled_memory
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa import memory as tileaa_memory
from tileir_xdsl.interpreters.nv_tileaa import views as tileaa_views
from tileir_xdsl.interpreters.registration import (
    PureTable,
    StatefulTable,
    pure_functions,
    stateful_functions,
)


def _same_values(_op: conversions.ConvertLayoutOp, source: Array) -> Array:
    return source


PURE: PureTable = {conversions.ConvertLayoutOp: _same_values}
"""The ops whose result depends on their operands alone."""

STATEFUL: StatefulTable = {
    memory.LoadOp: tileaa_memory.load,
    memory.StoreOp: tileaa_memory.store,
    tiled_memory.TiledLoadOp: tileaa_views.load,
    tiled_memory.TiledStoreOp: tileaa_views.store,
}
"""The ops that see memory."""

_FUNCTIONS = (pure_functions(PURE), stateful_functions(STATEFUL))


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations of all ops of the dialect for one launch."""
    return [functions(execution) for functions in _FUNCTIONS]
