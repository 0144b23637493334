"""Core operations of `cuda_tile` on whole tiles: comparison, selection, shapes, bytes."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile as dialect
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


def _compare_floats(op: dialect.CmpFOp, lhs: Array, rhs: Array) -> Array:
    ordered = op.comparison_ordering.data is ComparisonOrdering.ORDERED
    return floats.compare(op.comparison_predicate.data.value, lhs, rhs, ordered)


def _compare_integers(op: dialect.CmpIOp, lhs: Array, rhs: Array) -> Array:
    predicate = op.comparison_predicate.data.value
    return integers.compare(predicate, lhs, rhs, is_signed(op.signedness))


def _offset(op: dialect.OffsetOp, pointers: Array, offsets: Array) -> Array:
    return element_addresses(pointers, integers.as_signed(offsets), pointee_of(op.ptr.type))


def _broadcast(op: dialect.BroadcastOp, source: Array) -> Array:
    return np.broadcast_to(source, shape_of(op.result.type))


def _reshape(op: dialect.ReshapeOp, source: Array) -> Array:
    return source.reshape(shape_of(op.result.type))


def _permute(op: dialect.PermuteOp, source: Array) -> Array:
    return source.transpose(op.get_permutation())


def _concatenate(op: dialect.CatOp, lhs: Array, rhs: Array) -> Array:
    return np.concatenate([lhs, rhs], axis=op.dim.value.data)


def _slice(whole: Array, part: tuple[int, ...], indices: tuple[Array, ...]) -> tuple[slice, ...]:
    """The positions of slice `indices` of a tile that is cut into slices of shape `part`."""
    numbers = [int(integers.as_unsigned(index)) for index in indices]
    counts = [size // step for size, step in zip(whole.shape, part, strict=True)]
    if any(number >= count for number, count in zip(numbers, counts, strict=True)):
        raise ExecutionError(f"slice {numbers} does not exist: the tile has {counts} slices")
    return tuple(slice(n * step, (n + 1) * step) for n, step in zip(numbers, part, strict=True))


def _extract(op: dialect.ExtractOp, source: Array, *indices: Array) -> Array:
    return source[_slice(source, shape_of(op.result.type), indices)]


def _insert(_op: dialect.InsertOp, source: Array, destination: Array, *indices: Array) -> Array:
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


def _reinterpret(op: dialect.PackOp | dialect.UnpackOp, source: Array) -> Array:
    """The bits of a tile as a byte array, elements of fewer than 8 bits from the low bit up."""
    width = element_bit_width(_tile_type(op.source).element_type)
    return _from_bits(_bits(source, width).reshape(-1), _tile_type(op.result))


ELEMENTWISE: PureTable = {
    dialect.CmpFOp: _compare_floats,
    dialect.CmpIOp: _compare_integers,
    dialect.OffsetOp: _offset,
    dialect.SelectOp: without_op(np.where),
}
"""The ops that work on each element for itself."""

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
