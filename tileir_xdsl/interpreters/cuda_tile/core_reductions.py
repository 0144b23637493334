"""Reductions and scans of `cuda_tile` with a function given as a region.

The function is applied to whole tiles at once, in a tree: it is associative, so any bracketing
that keeps the order of the elements gives a result the specification allows. A function that
is not elementwise is applied element by element.

Of the two arguments per operand the first is what comes earlier: the accumulator. The text of the
specification names them the other way round, its example and NVIDIA's compiler agree with this
order; only a function that is not commutative can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Block

from tileir_xdsl.dialects import cuda_tile as dialect
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
from tileir_xdsl.interpreters.numerics import Array

_WHOLE_TILE_OPS = {
    *BITWISE,
    *CONVERSIONS,
    dialect.ConstantOp,
    *ELEMENTWISE,
    *FLOATING_POINT,
    *INTEGER,
    *TERMINATORS,
}
"""Ops that do to every element of an array what they do to a scalar."""

Tiles = tuple[Array, ...]
Combine = Callable[[Tiles, Tiles], Tiles]
"""New accumulators from those of earlier and those of later elements, all of one shape."""


def _combination(runner: BlockRunner, body: Block) -> Combine:
    """The function in `body`, on arrays of any shape."""

    def call(earlier: Sequence[Any], later: Sequence[Any]) -> PythonValues:
        pairs = zip(earlier, later, strict=True)
        return runner.run_block(body, tuple(value for pair in pairs for value in pair)).values

    def on_whole_tiles(earlier: Tiles, later: Tiles) -> Tiles:
        shape = earlier[0].shape
        return tuple(np.broadcast_to(v, shape) for v in call(earlier, later))

    def by_element(earlier: Tiles, later: Tiles) -> Tiles:
        results = tuple(np.empty_like(t) for t in earlier)
        for index in np.ndindex(earlier[0].shape):
            scalars = call(
                [np.asarray(t[index]) for t in earlier], [np.asarray(t[index]) for t in later]
            )
            for result, scalar in zip(results, scalars, strict=True):
                result[index] = scalar
        return results

    whole = all(type(op) in _WHOLE_TILE_OPS for op in body.ops)
    return on_whole_tiles if whole else by_element


def _reduce(tiles: Tiles, combine: Combine) -> Tiles:
    """Combine along the first dimension, neighbours first."""
    while len(tiles[0]) > 1:
        tiles = combine(tuple(t[0::2] for t in tiles), tuple(t[1::2] for t in tiles))
    return tuple(t[0] for t in tiles)


def _scan(tiles: Tiles, combine: Combine) -> Tiles:
    """The inclusive prefixes along the first dimension, reaching twice as far in every step."""
    reach = 1
    while reach < len(tiles[0]):
        combined = combine(tuple(t[:-reach] for t in tiles), tuple(t[reach:] for t in tiles))
        tiles = tuple(np.concatenate([t[:reach], c]) for t, c in zip(tiles, combined, strict=True))
        reach *= 2
    return tiles


def _run_reduce(runner: BlockRunner, op: dialect.ReduceOp, operands: PythonValues) -> Exit:
    tiles = tuple(np.moveaxis(t, op.dim.value.data, 0) for t in operands)
    results = _reduce(tiles, _combination(runner, op.body.block))
    return Exit(Leave.YIELD, tuple(map(np.asarray, results)))


def _run_scan(runner: BlockRunner, op: dialect.ScanOp, operands: PythonValues) -> Exit:
    dim = op.dim.value.data
    tiles = tuple(np.moveaxis(t, dim, 0) for t in operands)
    backwards = bool(op.reverse.value.data)
    if backwards:
        tiles = tuple(t[::-1] for t in tiles)
    results = _scan(tiles, _combination(runner, op.body.block))
    if backwards:
        results = tuple(t[::-1] for t in results)
    return Exit(Leave.YIELD, tuple(np.moveaxis(t, 0, dim) for t in results))


REDUCTIONS: RegionTable = {dialect.ReduceOp: _run_reduce, dialect.ScanOp: _run_scan}
