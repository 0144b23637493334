"""Reductions and scans of `cuda_tile`."""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import PythonValues
from xdsl.ir import Block

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.collectives import (
    Combine,
    combination,
    reduce_tiles,
    scan_tiles,
)
from tileir_xdsl.interpreters.cuda_tile.bitwise import BITWISE
from tileir_xdsl.interpreters.cuda_tile.blocks import (
    TERMINATORS,
    BlockRunner,
    Exit,
    Leave,
    RegionTable,
)
from tileir_xdsl.interpreters.cuda_tile.conversions import CONVERSIONS
from tileir_xdsl.interpreters.cuda_tile.core_shapes import ELEMENTWISE
from tileir_xdsl.interpreters.cuda_tile.floating_point import FLOATING_POINT
from tileir_xdsl.interpreters.cuda_tile.integer import INTEGER

_ELEMENTWISE = {
    *BITWISE,
    *CONVERSIONS,
    *ELEMENTWISE,
    *FLOATING_POINT,
    *INTEGER,
    *TERMINATORS,
    dialect.ConstantOp,
}


def _combination(runner: BlockRunner, body: Block) -> Combine:
    def run(arguments: tuple[Any, ...]) -> PythonValues:
        return runner.run_block(body, arguments).values

    return combination(run, body, _ELEMENTWISE)


def _run_reduce(runner: BlockRunner, op: dialect.ReduceOp, operands: PythonValues) -> Exit:
    combine = _combination(runner, op.body.block)
    return Exit(Leave.YIELD, reduce_tiles(operands, op.dim.value.data, combine))


def _run_scan(runner: BlockRunner, op: dialect.ScanOp, operands: PythonValues) -> Exit:
    combine = _combination(runner, op.body.block)
    reverse = bool(op.reverse.value.data)
    return Exit(Leave.YIELD, scan_tiles(operands, op.dim.value.data, reverse, combine))


REDUCTIONS: RegionTable = {dialect.ReduceOp: _run_reduce, dialect.ScanOp: _run_scan}
