"""`cuda_tile` on numpy values: the meaning that every later stage is judged by.

One module per family of operations, as in the dialect. Source: Tile IR specification, section 8.
"""

from __future__ import annotations

from xdsl.interpreter import InterpreterFunctions

from tileir_xdsl.interpreters.cuda_tile.bitwise import BITWISE
from tileir_xdsl.interpreters.cuda_tile.control_flow import entry_runner
from tileir_xdsl.interpreters.cuda_tile.conversions import CONVERSIONS
from tileir_xdsl.interpreters.cuda_tile.core import CORE, GRID
from tileir_xdsl.interpreters.cuda_tile.core_shapes import CORE_SHAPES
from tileir_xdsl.interpreters.cuda_tile.floating_point import FLOATING_POINT
from tileir_xdsl.interpreters.cuda_tile.integer import INTEGER
from tileir_xdsl.interpreters.cuda_tile.memory import MEMORY
from tileir_xdsl.interpreters.cuda_tile.miscellaneous import MISCELLANEOUS
from tileir_xdsl.interpreters.cuda_tile.views import ACCESSES, SHAPES, VIEWS
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import pure_functions, stateful_functions

PURE = {
    **CORE,
    **CORE_SHAPES,
    **CONVERSIONS,
    **FLOATING_POINT,
    **INTEGER,
    **BITWISE,
    **VIEWS,
    **MISCELLANEOUS,
}
"""The ops whose result depends on their operands alone."""

STATEFUL = {**GRID, **MEMORY, **ACCESSES, **SHAPES}
"""The ops that see the grid or memory."""


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations of all ops without regions for one launch."""
    return [pure_functions(PURE, execution), stateful_functions(STATEFUL, execution)]


__all__ = ["entry_runner", "functions"]
