"""Tiles that are computed in two halves, and pairs of tiles that are computed as one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile import (
    CatOp,
    ConstantOp,
    DenseConstantAttr,
    ExtractOp,
    JoinTokensOp,
    LoadPtrTkoOp,
    StorePtrTkoOp,
    TileType,
    TokenType,
)
from tileir_xdsl.dialects.cuda_tile.types import element_name

SHARE = 0.3
"""Of the operations that could be changed."""
MOST_ELEMENTS = 16384
"""Of a tile that is merged."""

ELEMENTWISE: tuple[type[Operation], ...] = (
    cuda_tile.AbsFOp,
    cuda_tile.AbsIOp,
    cuda_tile.AddFOp,
    cuda_tile.AddIOp,
    cuda_tile.AndIOp,
    cuda_tile.BitcastOp,
    cuda_tile.CeilOp,
    cuda_tile.CmpFOp,
    cuda_tile.CmpIOp,
    cuda_tile.DivFOp,
    cuda_tile.DivIOp,
    cuda_tile.ExpOp,
    cuda_tile.Exp2Op,
    cuda_tile.ExtIOp,
    cuda_tile.FloorOp,
    cuda_tile.FmaOp,
    cuda_tile.FToFOp,
    cuda_tile.FToIOp,
    cuda_tile.IToFOp,
    cuda_tile.MaxFOp,
    cuda_tile.MaxIOp,
    cuda_tile.MinFOp,
    cuda_tile.MinIOp,
    cuda_tile.MulFOp,
    cuda_tile.MulIOp,
    cuda_tile.MulHiIOp,
    cuda_tile.NegFOp,
    cuda_tile.NegIOp,
    cuda_tile.OffsetOp,
    cuda_tile.OrIOp,
    cuda_tile.RemFOp,
    cuda_tile.RemIOp,
    cuda_tile.RsqrtOp,
    cuda_tile.SelectOp,
    cuda_tile.ShLIOp,
    cuda_tile.ShRIOp,
    cuda_tile.SqrtOp,
    cuda_tile.SubFOp,
    cuda_tile.SubIOp,
    cuda_tile.TruncIOp,
    cuda_tile.XOrIOp,
)
"""Operations of which each element of the result is a function of those in its place."""

ACCESSES = (LoadPtrTkoOp, StorePtrTkoOp)
"""Accesses of which each element is one of its own; tokens stand for all of them."""


def _shape(op: Operation) -> tuple[int, ...] | None:
    """The shape that all tiles of an operation have; None if they differ."""
    types = [value.type for value in (*op.operands, *op.results)]
    shapes = {type_.get_shape() for type_ in types if isinstance(type_, TileType)}
    return shapes.pop() if len(shapes) == 1 else None


def _with_extent(type_: Attribute, dim: int, extent: int) -> TileType:
    assert isinstance(type_, TileType)
    shape = list(type_.get_shape())
    shape[dim] = extent
    return TileType(shape, type_.element_type)


def _has_odd_bytes(op: Operation, count: int) -> bool:
    """Whether so many elements of 4 bits are no whole number of bytes."""
    types = [value.type for value in (*op.operands, *op.results)]
    names = {element_name(t.element_type) for t in types if isinstance(t, TileType)}
    return count % 2 == 1 and bool(names & {"f4E2M1FN", "i4"})


# Halves.


def split_tiles(block: Block, random: Random) -> None:
    """Computes some of the tiles of a block in two halves."""
    for op in list(block.ops):
        if isinstance(op, (*ELEMENTWISE, *ACCESSES)) and random.random() < SHARE:
            shape = _shape(op) or ()
            dims = [dim for dim, extent in enumerate(shape) if extent > 1]
            if dims and not _has_odd_bytes(op, math.prod(shape) // 2):
                _split(op, block, random.choice(dims))


def _split(op: Operation, block: Block, dim: int) -> None:
    shape = _shape(op)
    assert shape is not None
    half = shape[dim] // 2
    numbers = [ConstantOp(DenseConstantAttr.splat(TileType((), i32), n)) for n in range(2)]
    block.insert_ops_before(numbers, op)
    parts = [_part(op, block, dim, half, [n.result for n in numbers], i) for i in range(2)]
    for i, result in enumerate(op.results):
        made = [part.results[i] for part in parts]
        whole = JoinTokensOp(made) if isinstance(result.type, TokenType) else None
        whole = whole or CatOp(made[0], made[1], dim, result.type)
        block.insert_op_before(whole, op)
        result.replace_all_uses_with(whole.results[0])
    op.detach()
    op.erase()


def _part(
    op: Operation, block: Block, dim: int, half: int, numbers: Sequence[SSAValue], which: int
) -> Operation:
    """One half of an operation."""
    operands = [
        _slice(block, op, operand, dim, half, numbers, which)
        if isinstance(operand.type, TileType)
        else operand
        for operand in op.operands
    ]
    return _again(op, block, operands, dim, half)


def _again(
    op: Operation, block: Block, operands: Sequence[SSAValue], dim: int, extent: int
) -> Operation:
    """The same operation on tiles of another extent, in front of it."""
    types = [
        _with_extent(result.type, dim, extent) if isinstance(result.type, TileType) else result.type
        for result in op.results
    ]
    made = type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    block.insert_op_before(made, op)
    return made


def _slice(
    block: Block,
    before: Operation,
    value: SSAValue,
    dim: int,
    extent: int,
    numbers: Sequence[SSAValue],
    which: int,
) -> SSAValue:
    type_ = _with_extent(value.type, dim, extent)
    indices = [numbers[which if i == dim else 0] for i in range(type_.get_num_dims())]
    made = ExtractOp(value, indices, type_)
    block.insert_op_before(made, before)
    return made.result


# Pairs.


def merge_tiles(block: Block, random: Random) -> None:
    """Computes some pairs of tiles of a block as one tile each."""
    candidates = [op for op in block.ops if type(op) in ELEMENTWISE and _shape(op)]
    gone: set[Operation] = set()
    for first in candidates:
        if first in gone or random.random() >= SHARE:
            continue
        others = [op for op in candidates if op not in gone and _is_alike(first, op)]
        if others:
            second = random.choice(others)
            gone |= {first, second}
            _merge(first, second, block, random)


def _is_alike(first: Operation, second: Operation) -> bool:
    """Whether one operation can be computed where another one is that comes before it."""
    shape = _shape(first)
    assert shape is not None
    return (
        type(first) is type(second)
        and first is not second
        and 2 * math.prod(shape) <= MOST_ELEMENTS
        and first.properties == second.properties
        and [value.type for value in first.operands] == [value.type for value in second.operands]
        and [value.type for value in first.results] == [value.type for value in second.results]
        and first.is_before_in_block(second)
        and all(_is_there(operand, first) for operand in second.operands)
    )


def _is_there(value: SSAValue, op: Operation) -> bool:
    """Whether a value that is used later in the block of `op` is defined before it."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.parent is op.parent:
        return owner.is_before_in_block(op)
    return True


def _merge(first: Operation, second: Operation, block: Block, random: Random) -> None:
    shape = _shape(first)
    assert shape is not None
    dim = random.randrange(len(shape))
    extent = 2 * shape[dim]
    operands: list[SSAValue] = []
    for pair in zip(first.operands, second.operands, strict=True):
        cat = CatOp(pair[0], pair[1], dim, _with_extent(pair[0].type, dim, extent))
        block.insert_op_before(cat, first)
        operands.append(cat.result)
    numbers = [ConstantOp(DenseConstantAttr.splat(TileType((), i32), n)) for n in range(2)]
    block.insert_ops_before(numbers, first)
    made = _again(first, block, operands, dim, extent)
    for which, op in enumerate((first, second)):
        part = _slice(
            block, first, made.results[0], dim, shape[dim], [n.result for n in numbers], which
        )
        op.results[0].replace_all_uses_with(part)
    for op in (second, first):
        op.detach()
        op.erase()
