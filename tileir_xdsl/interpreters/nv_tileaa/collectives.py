"""Reductions and scans of `nv_tileaa`."""

from __future__ import annotations

from xdsl.interpreter import Interpreter, PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.collectives import PrefixOp, ReductionOp
from tileir_xdsl.interpreters.collectives import (
    Combine,
    combination,
    reduce_tiles,
    scan_tiles,
)
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.bodies import ELEMENTWISE, body_function
from tileir_xdsl.interpreters.registration import RegionTable


def _combination(interpreter: Interpreter, op: ReductionOp | PrefixOp) -> Combine:
    return combination(body_function(interpreter, op.body), op.body.block, ELEMENTWISE)


def reduce(
    _execution: Execution, interpreter: Interpreter, op: ReductionOp, *tiles: Array
) -> PythonValues:
    """Combines all elements along the op's axis, for all tiles together."""
    return reduce_tiles(tiles, op.axis.value.data, _combination(interpreter, op))


def scan(
    _execution: Execution, interpreter: Interpreter, op: PrefixOp, *tiles: Array
) -> PythonValues:
    """Returns all intermediate combinations along the op's axis, for all tiles together."""
    return scan_tiles(tiles, op.axis.value.data, op.is_reverse, _combination(interpreter, op))


COLLECTIVES: RegionTable = {dialect.ReduceOp: reduce, dialect.ScanOp: scan}
