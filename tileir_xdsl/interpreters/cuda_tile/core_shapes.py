"""Core operations of `cuda_tile` on whole tiles: comparison, selection, shapes, bytes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.cuda_tile import core_shapes
from tileir_xdsl.dialects.cuda_tile.enums import ComparisonOrdering
from tileir_xdsl.dialects.cuda_tile.types import TileType, element_bit_width
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.element_types import element_of, pointee_of, shape_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.memory import element_addresses
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def _compare_floats(op: core_shapes.CmpFOp, lhs: Array, rhs: Array) -> Array:
    ordered = op.comparison_ordering.data is ComparisonOrdering.ORDERED
    return floats.compare(op.comparison_predicate.data.value, lhs, rhs, ordered)


def _compare_integers(op: core_shapes.CmpIOp, lhs: Array, rhs: Array) -> Array:
    predicate = op.comparison_predicate.data.value
    return integers.compare(predicate, lhs, rhs, is_signed(op.signedness))


def _offset(op: core_shapes.OffsetOp, pointers: Array, offsets: Array) -> Array:
    return element_addresses(pointers, integers.as_signed(offsets), pointee_of(op.ptr.type))


def _broadcast(op: core_shapes.BroadcastOp, source: Array) -> Array:
    return np.broadcast_to(source, shape_of(op.result.type))


def _reshape(op: core_shapes.ReshapeOp, source: Array) -> Array:
    return source.reshape(shape_of(op.result.type))


def _permute(op: core_shapes.PermuteOp, source: Array) -> Array:
    return source.transpose(op.get_permutation())


def _concatenate(op: core_shapes.CatOp, lhs: Array, rhs: Array) -> Array:
    return np.concatenate([lhs, rhs], axis=op.dim.value.data)


def _slice(whole: Array, part: tuple[int, ...], indices: tuple[Array, ...]) -> tuple[slice, ...]:
    """The positions of slice `indices` of a tile that is cut into slices of shape `part`."""
    numbers = [int(integers.as_unsigned(index)) for index in indices]
    counts = [size // step for size, step in zip(whole.shape, part, strict=True)]
    if any(number >= count for number, count in zip(numbers, counts, strict=True)):
        raise ExecutionError(f"slice {numbers} does not exist: the tile has {counts} slices")
    return tuple(slice(n * step, (n + 1) * step) for n, step in zip(numbers, part, strict=True))


def _extract(op: core_shapes.ExtractOp, source: Array, *indices: Array) -> Array:
    return source[_slice(source, shape_of(op.result.type), indices)]


def _insert(_op: core_shapes.InsertOp, source: Array, destination: Array, *indices: Array) -> Array:
    result = destination.copy()
    result[_slice(destination, source.shape, indices)] = source
    return result


def _bits(values: Array, width: int) -> Array:
    """The `width` bits of every element, least significant first."""
    data = np.ascontiguousarray(values).view(np.uint8).reshape(values.size, -1)
    bits = np.unpackbits(data, axis=1, bitorder="little")
    # tf32 is kept in the upper bits of a float32.
    return bits[:, 32 - width :] if width == 19 else bits[:, :width]


def _from_bits(bits: Array, tile: TileType) -> Array:
    element, width = element_of(tile), element_bit_width(tile.element_type)
    storage = 8 * element.dtype.itemsize
    padded = np.zeros((bits.size // width, storage), np.uint8)
    rows = bits.reshape(-1, width)
    if width == 19:
        padded[:, storage - width :] = rows
    elif element.name == "i4":
        padded[:, :width] = rows
        padded[:, width:] = rows[:, -1:]  # int4 is stored sign-extended
    else:
        padded[:, :width] = rows
    data = np.packbits(padded, axis=1, bitorder="little")
    return data.reshape(-1).view(element.dtype).reshape(tile.get_shape())


def _tile_type(value: SSAValue) -> TileType:
    assert isinstance(value.type, TileType)
    return value.type


def _reinterpret(op: core_shapes.PackOp | core_shapes.UnpackOp, source: Array) -> Array:
    """The bits of a tile as a byte array, elements of fewer than 8 bits from the low bit up."""
    width = element_bit_width(_tile_type(op.source).element_type)
    return _from_bits(_bits(source, width).reshape(-1), _tile_type(op.result))


CORE_SHAPES: PureTable = {
    core_shapes.BroadcastOp: _broadcast,
    core_shapes.CatOp: _concatenate,
    core_shapes.CmpFOp: _compare_floats,
    core_shapes.CmpIOp: _compare_integers,
    core_shapes.ExtractOp: _extract,
    core_shapes.InsertOp: _insert,
    core_shapes.OffsetOp: _offset,
    core_shapes.PackOp: _reinterpret,
    core_shapes.PermuteOp: _permute,
    core_shapes.ReshapeOp: _reshape,
    core_shapes.SelectOp: without_op(np.where),
    core_shapes.UnpackOp: _reinterpret,
}
