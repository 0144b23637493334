"""`cuda_tile` on numpy values: the reference semantics for all later levels.

One module per family of operations, as in the dialect. Source: Tile IR specification, section 8.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.cuda_tile.atomics import ATOMICS
from tileir_xdsl.interpreters.cuda_tile.bitwise import BITWISE
from tileir_xdsl.interpreters.cuda_tile.blocks import BlockRunner
from tileir_xdsl.interpreters.cuda_tile.control_flow import ASSERTIONS, CONTROL_FLOW
from tileir_xdsl.interpreters.cuda_tile.conversions import CONVERSIONS
from tileir_xdsl.interpreters.cuda_tile.core import CORE, GRID
from tileir_xdsl.interpreters.cuda_tile.core_globals import GLOBALS, allocate_globals
from tileir_xdsl.interpreters.cuda_tile.core_matrix import CORE_MATRIX
from tileir_xdsl.interpreters.cuda_tile.core_reductions import REDUCTIONS
from tileir_xdsl.interpreters.cuda_tile.core_shapes import CORE_SHAPES
from tileir_xdsl.interpreters.cuda_tile.floating_point import FLOATING_POINT
from tileir_xdsl.interpreters.cuda_tile.integer import INTEGER
from tileir_xdsl.interpreters.cuda_tile.miscellaneous import MISCELLANEOUS, PRINTING
from tileir_xdsl.interpreters.cuda_tile.multimem import MULTIMEM
from tileir_xdsl.interpreters.cuda_tile.pointer_accesses import MEMORY
from tileir_xdsl.interpreters.cuda_tile.undefined_behaviour import UNDEFINED_BEHAVIOUR
from tileir_xdsl.interpreters.cuda_tile.views import ACCESSES, SHAPES, VIEWS
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.registration import pure_functions, stateful_functions

PURE = {
    **CORE,
    **CORE_SHAPES,
    **CORE_MATRIX,
    **CONVERSIONS,
    **FLOATING_POINT,
    **INTEGER,
    **BITWISE,
    **VIEWS,
    **MISCELLANEOUS,
}
"""The ops whose result depends on their operands alone."""

STATEFUL = {
    **GRID,
    **GLOBALS,
    **MEMORY,
    **ATOMICS,
    **MULTIMEM,
    **ACCESSES,
    **SHAPES,
    **ASSERTIONS,
    **PRINTING,
}
"""The ops that depend on the grid or memory."""


REGIONS = {**CONTROL_FLOW, **REDUCTIONS}
"""The ops with regions, which run only inside a kernel of the dialect."""

_FUNCTIONS = (pure_functions(PURE), stateful_functions(STATEFUL))


def functions(execution: Execution) -> list[InterpreterFunctions]:
    """The implementations, for one launch, of all ops without regions."""
    return [functions(execution) for functions in _FUNCTIONS]


def run_entry(op: dialect.EntryOp) -> Callable[[Interpreter, Execution, PythonValues], object]:
    """A function that runs the kernel once."""

    def run(interpreter: Interpreter, execution: Execution, parameters: PythonValues) -> object:
        checks = UNDEFINED_BEHAVIOUR if execution.strict else {}
        runner = BlockRunner(interpreter, execution, REGIONS, checks)
        return runner.run_block(op.body.block, parameters)

    return run


__all__ = ["PURE", "REGIONS", "STATEFUL", "allocate_globals", "functions", "run_entry"]
