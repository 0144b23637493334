"""The ops of `nv_tileaa` that build and reshape tiles."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.interpreters.collectives import on_tiles
from tileir_xdsl.interpreters.element_types import element_of, shape_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned, wrap
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.bodies import ELEMENTWISE, body_function
from tileir_xdsl.interpreters.registration import PureTable, RegionTable
from tileir_xdsl.interpreters.tile_operations import slice_positions


def _make_range(op: dialect.MakeRangeOp, start: Array, _end: Array) -> Array:
    (length,) = shape_of(op.result.type)
    steps = np.arange(length, dtype=np.uint64) + np.uint64(int(start) % (1 << 64))
    return wrap(steps, element_of(op.result.type).dtype)


_RepeatingOp: TypeAlias = dialect.SplatOp | dialect.BroadcastOp
_ReshapingOp: TypeAlias = dialect.ViewOp | dialect.ExpandDimsOp


def _broadcast(op: _RepeatingOp, source: Array) -> Array:
    return np.broadcast_to(source, shape_of(op.result.type))


def reshape(op: _ReshapingOp, source: Array) -> Array:
    """The same elements, in row-major order, as a tile of the result's shape."""
    return source.reshape(shape_of(op.result.type))


def _extract(op: dialect.ExtractOp, source: Array, *indices: Array) -> Array:
    if not indices:
        return source.reshape(())
    position = tuple(int(as_unsigned(index)) for index in indices)
    extents = source.shape[: len(position)]
    if any(i >= extent for i, extent in zip(position, extents, strict=True)):
        raise ExecutionError(
            f"element {list(position)} is outside of a tile with the leading extents "
            f"{list(extents)}"
        )
    return source[position]


def _permute(op: dialect.PermuteOp, source: Array) -> Array:
    return source.transpose(op.get_permutation())


def _concatenate(op: dialect.CatOp, lhs: Array, rhs: Array) -> Array:
    return np.concatenate([lhs, rhs], axis=op.axis.value.data)


def _extract_slice(op: dialect.ExtractSliceOp, source: Array, *indices: Array) -> Array:
    return source[slice_positions(source.shape, shape_of(op.result.type), indices)]


def _insert_slice(
    _op: dialect.InsertSliceOp, source: Array, destination: Array, *indices: Array
) -> Array:
    result = destination.copy()
    result[slice_positions(destination.shape, source.shape, indices)] = source
    return result


def _histogram(op: dialect.HistogramOp, source: Array) -> Array:
    (bins,) = shape_of(op.result.type)
    values = as_unsigned(source).reshape(-1)
    counts = np.bincount(values[values < bins].astype(np.int64), minlength=bins)
    return wrap(counts, element_of(op.result.type).dtype)


def generate(
    _execution: Execution, interpreter: Interpreter, op: dialect.GenerateOp
) -> PythonValues:
    """The tile whose elements the body yields, given their indices."""
    indices = np.indices(shape_of(op.result.type), np.int32)
    return on_tiles(body_function(interpreter, op.body), op.body.block, ELEMENTWISE)(tuple(indices))


SHAPES: PureTable = {
    dialect.BroadcastOp: _broadcast,
    dialect.CatOp: _concatenate,
    dialect.ExpandDimsOp: reshape,
    dialect.ExtractOp: _extract,
    dialect.ExtractSliceOp: _extract_slice,
    dialect.HistogramOp: _histogram,
    dialect.InsertSliceOp: _insert_slice,
    dialect.MakeRangeOp: _make_range,
    dialect.PermuteOp: _permute,
    dialect.SplatOp: _broadcast,
    dialect.ViewOp: reshape,
}

GENERATION: RegionTable = {dialect.GenerateOp: generate}
