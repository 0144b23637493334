"""Core operations of `cuda_tile` on whole tiles: comparison, selection, shapes, bytes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.dialects.cuda_tile.enums import ComparisonOrdering
from tileir_xdsl.dialects.cuda_tile.types import TileType, element_storage_bits
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.address_space import move_pointers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.element_types import element_of, pointee_of, shape_of
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable
from tileir_xdsl.interpreters.tile_operations import reinterpret_bits, slice_positions


def _compare_floats(op: dialect.CmpFOp, lhs: Array, rhs: Array) -> Array:
    ordered = op.comparison_ordering.data is ComparisonOrdering.ORDERED
    return floats.compare(op.comparison_predicate.data.value, lhs, rhs, ordered)


def _compare_integers(op: dialect.CmpIOp, lhs: Array, rhs: Array) -> Array:
    predicate = op.comparison_predicate.data.value
    return integers.compare(predicate, lhs, rhs, is_signed(op.signedness))


def _offset(op: dialect.OffsetOp, pointers: Array, offsets: Array) -> Array:
    return move_pointers(pointers, integers.as_signed(offsets), pointee_of(op.ptr.type))


def _broadcast(op: dialect.BroadcastOp, source: Array) -> Array:
    return np.broadcast_to(source, shape_of(op.result.type))


def _reshape(op: dialect.ReshapeOp, source: Array) -> Array:
    return source.reshape(shape_of(op.result.type))


def _permute(op: dialect.PermuteOp, source: Array) -> Array:
    return source.transpose(op.get_permutation())


def _concatenate(op: dialect.CatOp, lhs: Array, rhs: Array) -> Array:
    return np.concatenate([lhs, rhs], axis=op.dim.value.data)


def _extract(op: dialect.ExtractOp, source: Array, *indices: Array) -> Array:
    return source[slice_positions(source.shape, shape_of(op.result.type), indices)]


def _insert(_op: dialect.InsertOp, source: Array, destination: Array, *indices: Array) -> Array:
    result = destination.copy()
    result[slice_positions(destination.shape, source.shape, indices)] = source
    return result


def _tile_type(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _reinterpret(op: dialect.PackOp | dialect.UnpackOp, source: Array) -> Array:
    from_type, to_type = _tile_type(op.source), _tile_type(op.result)
    return reinterpret_bits(
        source,
        element_storage_bits(from_type.element_type),
        element_of(to_type),
        element_storage_bits(to_type.element_type),
        to_type.get_shape(),
    )


ELEMENTWISE: PureTable = {
    dialect.CmpFOp: _compare_floats,
    dialect.CmpIOp: _compare_integers,
    dialect.OffsetOp: _offset,
    dialect.SelectOp: without_op(np.where),
}
"""The ops that act on each element separately."""

CORE_SHAPES: PureTable = {
    **ELEMENTWISE,
    dialect.BroadcastOp: _broadcast,
    dialect.CatOp: _concatenate,
    dialect.ExtractOp: _extract,
    dialect.InsertOp: _insert,
    dialect.PackOp: _reinterpret,
    dialect.PermuteOp: _permute,
    dialect.ReshapeOp: _reshape,
    dialect.UnpackOp: _reinterpret,
}
