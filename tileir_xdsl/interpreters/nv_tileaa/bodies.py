"""Regions of `nv_tileaa` ops that compute values from scalars."""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation, Region

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.arith import ARITH
from tileir_xdsl.interpreters.collectives import RunBody
from tileir_xdsl.interpreters.math import MATH
from tileir_xdsl.interpreters.nv_tileaa.arithmetic import ARITHMETIC
from tileir_xdsl.interpreters.nv_tileaa.conversions import CONVERSIONS
from tileir_xdsl.interpreters.pending import wait_for

TERMINATORS: tuple[type[Operation], ...] = (
    dialect.QueueYieldOp,
    dialect.ReturnOp,
    dialect.YieldOp,
)
"""The ops that end regions and functions."""

ELEMENTWISE = {*ARITH, *ARITHMETIC, *CONVERSIONS, *MATH, dialect.YieldOp, nv_tileas.YieldOp}
"""The ops that treat every element of an array like a scalar."""


def body_function(interpreter: Interpreter, body: Region) -> RunBody:
    """A function that runs `body` on block arguments, and returns the values that it yields."""

    def run(arguments: tuple[Any, ...]) -> PythonValues:
        return wait_for(interpreter.run_ssacfg_region(body, arguments))

    return run
