"""The indices of a nest as arrays, and affine maps applied to them."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Operation

from tileir_xdsl.dialects.tilecpu.nests import enclosing_nest
from tileir_xdsl.interpreters.numerics import Array


def nest_extents(op: Operation) -> tuple[int, ...]:
    """The extents of the nest around an op; none outside of nests."""
    nest = enclosing_nest(op)
    return () if nest is None else nest.get_extents()


def nest_indices(extents: tuple[int, ...]) -> tuple[Array, ...]:
    """The indices of all elements, each of the shape of the nest."""
    return tuple(np.indices(extents, dtype=np.int64))


def mapped(op: Operation, index: AffineMapAttr) -> tuple[Array, ...]:
    """The results of an affine map for all elements of the nest around an op."""
    extents = nest_extents(op)
    indices = nest_indices(extents)
    return tuple(
        np.broadcast_to(np.asarray(result.eval(indices, ())), extents)  # pyright: ignore
        for result in index.data.results
    )
