"""Reductions and scans whose function is a region.

The function is applied to whole tiles, combining elements in a tree. The function is associative,
so the specification allows any bracketing that keeps the order of the elements. A function that is
not elementwise is applied element by element.

For each operand, the function's first argument is the accumulator of earlier elements. The text of
the Tile IR specification has the opposite order; its example and NVIDIA's compiler agree with this
order. The order matters only for a function that is not commutative.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import PythonValues
from xdsl.ir import Block, Operation

from tileir_xdsl.interpreters.numerics import Array

Tiles: TypeAlias = tuple[Array, ...]
RunBody: TypeAlias = Callable[[tuple[Any, ...]], PythonValues]
"""Runs a region on arguments; returns the values that it yields."""

Combine: TypeAlias = Callable[[Tiles, Tiles], Tiles]
"""Combines accumulators of earlier elements with those of later elements; all have one shape."""


def on_tiles(
    run: RunBody, body: Block, elementwise: Collection[type[Operation]]
) -> Callable[[Tiles], Tiles]:
    """Applies the function of scalars in `body` to each position of tiles of one shape.

    `elementwise` are the ops that treat every element of an array like a scalar.
    """

    def on_whole_tiles(tiles: Tiles) -> Tiles:
        return tuple(np.broadcast_to(v, tiles[0].shape) for v in run(tiles))

    def by_element(tiles: Tiles) -> Tiles:
        shape = tiles[0].shape
        columns = zip(
            *(run(tuple(np.asarray(t[index]) for t in tiles)) for index in np.ndindex(shape)),
            strict=True,
        )
        return tuple(np.array(column).reshape(shape) for column in columns)

    return on_whole_tiles if all(type(op) in elementwise for op in body.ops) else by_element


def combination(run: RunBody, body: Block, elementwise: Collection[type[Operation]]) -> Combine:
    """The combining function in `body`; each operand has an earlier and a later argument."""
    apply = on_tiles(run, body, elementwise)

    def combine(earlier: Tiles, later: Tiles) -> Tiles:
        return apply(tuple(t for pair in zip(earlier, later, strict=True) for t in pair))

    return combine


def reduce_tiles(tiles: Sequence[Array], axis: int, combine: Combine) -> Tiles:
    """Combines all elements along `axis`, adjacent ones first."""
    parts = tuple(np.moveaxis(t, axis, 0) for t in tiles)
    while len(parts[0]) > 1:
        parts = combine(tuple(t[0::2] for t in parts), tuple(t[1::2] for t in parts))
    return tuple(np.asarray(t[0]) for t in parts)


def scan_tiles(tiles: Sequence[Array], axis: int, reverse: bool, combine: Combine) -> Tiles:
    """The inclusive prefixes or suffixes along `axis`, computed by doubling distances."""
    step = -1 if reverse else 1
    parts = tuple(np.moveaxis(t, axis, 0)[::step] for t in tiles)
    reach = 1
    while reach < len(parts[0]):
        combined = combine(tuple(t[:-reach] for t in parts), tuple(t[reach:] for t in parts))
        parts = tuple(np.concatenate([t[:reach], c]) for t, c in zip(parts, combined, strict=True))
        reach *= 2
    return tuple(np.moveaxis(t[::step], 0, axis) for t in parts)
