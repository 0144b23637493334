"""Operations that change shapes, or reinterpret the bytes of tiles."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import (
    INTEGERS,
    STANDARD_FLOATS,
    element_storage_bits,
)
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import (
    ELEMENT_TYPES,
    Shape,
    element_of,
    is_legal,
    shape_of,
    tile,
    type_of,
)
from tileir_xdsl.testing.programs.values import below, floats_without_nan, without_nan

_ANY = tuple(ELEMENT_TYPES)
_BYTES_OF = ("i1", "i4", "i16", "i32", "i64", *STANDARD_FLOATS, "f4E2M1FN")
"""Element types between which `pack` and `unpack` reinterpret bytes."""


def _emit_broadcast(b: Builder) -> None:
    element = b.choose(_ANY)
    result = b.shape(lambda s: bool(s))
    dims = [1 if b.chance(0.5) else extent for extent in result]
    if not is_legal(element, tuple(dims)):
        return
    source = b.value(tile(element, tuple(dims)))
    b.keep(b.add(cuda_tile.BroadcastOp(source, tile(element, result))).result)


def _factors(b: Builder, count: int) -> Shape:
    """A shape of `count` elements, a power of two."""
    shape: list[int] = []
    while count > 1 and len(shape) < 3:
        extent = 1 << b.integer(0, count.bit_length() - 1)
        shape.append(extent)
        count //= extent
    if count > 1 or not shape:
        shape.append(count)
    return tuple(shape)


def _emit_reshape(b: Builder) -> None:
    source = b.some_value(_ANY)
    count = math.prod(shape_of(source))
    shape = () if count == 1 and b.chance(0.4) else _factors(b, count)
    b.keep(b.add(cuda_tile.ReshapeOp(source, tile(element_of(source), shape))).result)


def _emit_permutation(b: Builder) -> None:
    source = b.some_value(_ANY, lambda s: len(s) >= 2)
    b.keep(b.add(cuda_tile.PermuteOp(source, b.permutation(len(shape_of(source))))).result)


def _emit_concatenation(b: Builder) -> None:
    lhs = b.some_value(_ANY, lambda s: bool(s) and math.prod(s) < b.draft.scale.elements)
    rhs = b.value(type_of(lhs))
    shape = shape_of(lhs)
    dim = b.integer(0, len(shape) - 1)
    doubled = tuple(2 * n if i == dim else n for i, n in enumerate(shape))
    b.keep(b.add(cuda_tile.CatOp(lhs, rhs, dim, tile(element_of(lhs), doubled))).result)


def _slices(b: Builder, element: str, shape: Shape) -> tuple[Shape, Shape]:
    """The shape of a slice of a tile, and the number of slices along each dimension."""
    steps = tuple(max(1, n >> b.integer(0, 2)) for n in shape)
    if not is_legal(element, steps):
        steps = shape
    return steps, tuple(n // step for n, step in zip(shape, steps, strict=True))


def _slice_indices(b: Builder, counts: Shape) -> list[SSAValue]:
    return [
        b.number(b.integer(0, count - 1), "i32")
        if b.chance(0.5)
        else below(b, b.value(tile("i32")), count)
        for count in counts
    ]


def _emit_extraction(b: Builder) -> None:
    source = b.some_value(_ANY, lambda s: bool(s))
    element = element_of(source)
    steps, counts = _slices(b, element, shape_of(source))
    indices = _slice_indices(b, counts)
    b.keep(b.add(cuda_tile.ExtractOp(source, indices, tile(element, steps))).result)


def _emit_insertion(b: Builder) -> None:
    destination = b.some_value(_ANY, lambda s: bool(s))
    element = element_of(destination)
    steps, counts = _slices(b, element, shape_of(destination))
    source = b.value(tile(element, steps))
    b.keep(b.add(cuda_tile.InsertOp(source, destination, _slice_indices(b, counts))).result)


def _bytes(element: str, count: int) -> int:
    return element_storage_bits(ELEMENT_TYPES[element]) * count // 8


def _emit_pack(b: Builder) -> None:
    element = b.choose(_BYTES_OF)
    shape = b.shape(lambda s: len(s) == 1 and 1 <= _bytes(element, s[0]) <= b.draft.scale.elements)
    if element == "i4":
        source = b.add(cuda_tile.TruncIOp(b.value(tile("i8", shape)), tile("i4", shape))).result
    elif element in INTEGERS:
        source = b.value(tile(element, shape))
    else:
        source = floats_without_nan(b, element, shape)
    b.keep(b.add(cuda_tile.PackOp(source, tile("i8", (_bytes(element, shape[0]),)))).result)


def _emit_unpack(b: Builder) -> None:
    element = b.choose(_BYTES_OF)
    shape = b.shape(lambda s: len(s) == 1 and 1 <= _bytes(element, s[0]) <= b.draft.scale.elements)
    source = b.value(tile("i8", (_bytes(element, shape[0]),)))
    result = b.add(cuda_tile.UnpackOp(source, tile(element, shape))).result
    b.keep(without_nan(b, result) if element in STANDARD_FLOATS else result)


ROWS: Rows = {
    cuda_tile.BroadcastOp: Row(1, _emit_broadcast),
    cuda_tile.CatOp: Row(1, _emit_concatenation),
    cuda_tile.ExtractOp: Row(1, _emit_extraction),
    cuda_tile.InsertOp: Row(1, _emit_insertion),
    cuda_tile.PackOp: Row(1, _emit_pack),
    cuda_tile.PermuteOp: Row(1, _emit_permutation),
    cuda_tile.ReshapeOp: Row(1, _emit_reshape),
    cuda_tile.UnpackOp: Row(1, _emit_unpack),
}
