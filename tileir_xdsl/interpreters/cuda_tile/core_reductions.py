"""Reductions and scans of `cuda_tile`."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Block

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.collectives import (
    Combine,
    Tiles,
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

_FUNCTIONS = {**BITWISE, **CONVERSIONS, **ELEMENTWISE, **FLOATING_POINT, **INTEGER}
_ELEMENTWISE = {*_FUNCTIONS, *TERMINATORS, dialect.ConstantOp}


def _single_operation(body: Block) -> Combine | None:
    """The numpy function of a body that is a single operation on its two arguments, as most are."""
    first, *others = body.ops
    function = _FUNCTIONS.get(type(first))
    if function is None or len(others) != 1 or tuple(others[0].operands) != tuple(first.results):
        return None
    if tuple(first.operands) != body.args[:2] or len(body.args) != 2:
        return None

    def combine(earlier: Tiles, later: Tiles) -> Tiles:
        return (np.asarray(function(first, earlier[0], later[0])),)

    return combine


def _combination(runner: BlockRunner, body: Block) -> Combine:
    if not runner.is_watched and (combine := _single_operation(body)) is not None:
        return combine

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
