"""Parts of tiles: the coordinates of a part, and parts of tiles that are cheap to compute again.

A part is one of `count` equal parts of a tile along one dimension; `part`, an i32, is its number.
All functions return new ops, the last of which has the result.
"""

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders import arithmetic
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape


def coordinate_type(type: Attribute, largest: Sequence[int], counts: Sequence[int]) -> IntegerType:
    """A type in which the coordinate of a part cannot wrap around if it names an existing part.

    Args:
        type: the type of the coordinates of whole tiles.
        largest: the largest coordinate of whole tiles, along each divided dimension.
        counts: the parts along each of these.
    """
    assert isinstance(type, IntegerType)
    most = max(number * count + count - 1 for number, count in zip(largest, counts, strict=True))
    return i64 if most >= 1 << type.width.data else type


def part_of_coordinate(
    coordinate: SSAValue, type: IntegerType, count: int = 1, part: SSAValue | None = None
) -> list[Operation]:
    """`coordinate * count + part` in a type; without a part, only the converted coordinate."""
    block = Block()
    builder = Builder(InsertPoint.at_end(block))
    number = coordinate
    if coordinate.type != type:
        number = builder.insert(arith.ExtUIOp(number, type)).result
    elif part is not None and type == i64:
        # Beyond all objects, and still a coordinate when it is multiplied.
        limit = arithmetic.constant(builder, ((1 << 64) - 1) // count - 1, i64)
        number = builder.insert(arith.MinUIOp(number, limit)).result
    if part is not None:
        parts = arithmetic.constant(builder, count, type)
        if type != i32:
            part = builder.insert(arith.ExtUIOp(part, type)).result
        builder.insert(nv_tileaa.AddIOp(arithmetic.multiply(builder, number, parts), part))
    return _taken(block)


def _taken(block: Block) -> list[Operation]:
    """Detaches and returns the ops of a block."""
    ops = list(block.ops)
    for op in ops:
        op.detach()
    return ops


def part_of_uniform(op: Operation, type: Attribute) -> list[Operation]:
    """The part, of a type, of a tile whose elements are all the same: a splat or a constant."""
    if isinstance(op, nv_tileaa.SplatOp):
        return [nv_tileaa.SplatOp(op.value, type)]
    assert isinstance(op, arith.ConstantOp)
    elements = op.value
    assert isinstance(elements, DenseIntOrFPElementsAttr)
    element = arith.ConstantOp(next(iter(elements.iter_attrs())))
    return [element, nv_tileaa.SplatOp(element.result, type)]


def part_of_range(op: nv_tileaa.MakeRangeOp, type: Attribute, part: SSAValue) -> list[Operation]:
    """`start + part * length + n`, for `n` below the `length` of a type."""
    (extent,), number = tile_shape(type).shape, op.start.type
    assert isinstance(number, IntegerType)
    ops: list[Operation] = []

    def add(new: Operation) -> SSAValue:
        ops.append(new)
        return new.results[0]

    if number.width.data > 32:
        part = add(arith.ExtUIOp(part, number))
    elif number != i32:
        part = add(arith.TruncIOp(part, number))
    zero, length = (add(arith.ConstantOp(IntegerAttr(n, number))) for n in (0, extent))
    start = add(nv_tileaa.AddIOp(op.start, add(arith.MuliOp(part, length))))
    first = add(nv_tileaa.MakeRangeOp(zero, length, type))
    add(nv_tileaa.AddIOp(add(nv_tileaa.SplatOp(start, type)), first))
    return ops


def part_anew(op: Operation, type: Attribute, part: SSAValue) -> list[Operation]:
    """The part of a tile that is cheap to compute again: a splat, a constant or a range."""
    if isinstance(op, nv_tileaa.MakeRangeOp):
        return part_of_range(op, type, part)
    return part_of_uniform(op, type)
