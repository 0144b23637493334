"""Reductions and scans with a function that is given as a region.

The function is applied to whole tiles at once, in a tree. It is associative, so the specification
allows any bracketing that keeps the order of the elements. A function that is not elementwise is
applied element by element.

Of the two arguments per operand the first is what comes earlier: the accumulator. The text of the
Tile IR specification names them the other way round; its example and NVIDIA's compiler agree with
this order. Only a function that is not commutative can tell.
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
"""Returns the values that a region yields for its arguments."""

Combine: TypeAlias = Callable[[Tiles, Tiles], Tiles]
"""New accumulators from those of earlier elements and those of later elements, all of one shape."""


def on_tiles(
    run: RunBody, body: Block, elementwise: Collection[type[Operation]]
) -> Callable[[Tiles], Tiles]:
    """The function of scalars in `body`, applied to each position of tiles of one shape.

    `elementwise` are the ops that do to every element of an array what they do to a scalar.
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
    """The combining function in `body`, whose arguments are pairs of earlier and later."""
    apply = on_tiles(run, body, elementwise)

    def combine(earlier: Tiles, later: Tiles) -> Tiles:
        return apply(tuple(t for pair in zip(earlier, later, strict=True) for t in pair))

    return combine


def reduce_tiles(tiles: Sequence[Array], axis: int, combine: Combine) -> Tiles:
    """Combine all elements along `axis`, neighbours first."""
    parts = tuple(np.moveaxis(t, axis, 0) for t in tiles)
    while len(parts[0]) > 1:
        parts = combine(tuple(t[0::2] for t in parts), tuple(t[1::2] for t in parts))
    return tuple(np.asarray(t[0]) for t in parts)


def scan_tiles(tiles: Sequence[Array], axis: int, reverse: bool, combine: Combine) -> Tiles:
    """The inclusive prefixes along `axis`, or suffixes, reaching twice as far in every step."""
    step = -1 if reverse else 1
    parts = tuple(np.moveaxis(t, axis, 0)[::step] for t in tiles)
    reach = 1
    while reach < len(parts[0]):
        combined = combine(tuple(t[:-reach] for t in parts), tuple(t[reach:] for t in parts))
        parts = tuple(np.concatenate([t[:reach], c]) for t, c in zip(parts, combined, strict=True))
        reach *= 2
    return tuple(np.moveaxis(t[::step], 0, axis) for t in parts)
