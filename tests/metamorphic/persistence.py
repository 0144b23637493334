"""A kernel whose tile blocks go over several tiles each: what it was for one tile is in a loop."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    ConstantOp,
    ContinueOp,
    DenseConstantAttr,
    DivIOp,
    EntryOp,
    ForOp,
    GetNumTileBlocksOp,
    GetTileBlockIdOp,
    IfOp,
    RemIOp,
    ReturnOp,
    Signedness,
    TileType,
)

_I32 = TileType((), i32)


def go_over_tiles(kernel: EntryOp, grid: tuple[int, int, int], blocks: int) -> bool:
    """Makes a kernel that on a grid of `blocks` does what it did on `grid`; False if it cannot be.

    A kernel that returns out of a loop cannot.
    """
    body = kernel.body.block
    returns = [op for op in kernel.walk() if isinstance(op, ReturnOp)]
    if not all(_is_in_branches_alone(op, kernel) for op in returns):
        return False
    ops = list(body.ops)
    inner = Block(arg_types=[_I32])
    for op in ops:
        op.detach()
        inner.add_op(op)
    for op in returns:
        block = op.parent
        assert block is not None
        block.insert_op_before(ContinueOp([]), op)
        op.detach()
        op.erase()
    _number(inner, inner.args[0], grid)
    first = GetTileBlockIdOp()
    bounds = [_constant(n) for n in (prod(grid), blocks)]
    body.add_ops([first, *bounds])
    upper, step = (bound.result for bound in bounds)
    body.add_op(ForOp(first.results[0], upper, step, [], Region(inner)))
    body.add_op(ReturnOp())
    return True


def _is_in_branches_alone(op: Operation, kernel: EntryOp) -> bool:
    parent = op.parent_op()
    while isinstance(parent, IfOp):
        parent = parent.parent_op()
    return parent is kernel


def _constant(value: int) -> ConstantOp:
    return ConstantOp(DenseConstantAttr.splat(_I32, value))


def _number(block: Block, number: SSAValue, grid: tuple[int, int, int]) -> None:
    """Lets the coordinates of a tile block be those of a number, x first."""
    extents = [_constant(extent) for extent in grid]
    first = block.first_op
    assert first is not None
    block.insert_ops_before(extents, first)
    width, height, depth = (extent.result for extent in extents)
    rows = DivIOp(number, width, Signedness.UNSIGNED)
    x = RemIOp(number, width, Signedness.UNSIGNED)
    y = RemIOp(rows.result, height, Signedness.UNSIGNED)
    z = DivIOp(rows.result, height, Signedness.UNSIGNED)
    block.insert_ops_before([rows, x, y, z], first)
    for kind, values in (
        (GetTileBlockIdOp, (x.result, y.result, z.result)),
        (GetNumTileBlocksOp, (width, height, depth)),
    ):
        for op in [op for op in block.walk() if isinstance(op, kind)]:
            for result, value in zip(op.results, values, strict=True):
                result.replace_all_uses_with(value)
            op.detach()
            op.erase()
