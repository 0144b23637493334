"""Rewrites of two ops that forget a type, a number or a mask, as compiler engineers write them."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.dialects.cuda_tile.folding import splat_of
from tileir_xdsl.dialects.enumerations import Signedness

_PREDICATE = cuda_tile.ComparisonPredicate
_TURNED = {
    _PREDICATE.LESS_THAN: _PREDICATE.GREATER_THAN,
    _PREDICATE.GREATER_THAN: _PREDICATE.LESS_THAN,
    # Equal numbers are forgotten.
    _PREDICATE.LESS_THAN_OR_EQUAL: _PREDICATE.GREATER_THAN,
    _PREDICATE.GREATER_THAN_OR_EQUAL: _PREDICATE.LESS_THAN,
}


def maximum_of_compared(op: Operation) -> None:
    """`select(a > b, a, b)` becomes a maximum: of NaN and a number that is the number."""
    assert isinstance(op, cuda_tile.SelectOp)
    compared = op.cond.owner
    if not isinstance(compared, cuda_tile.CmpFOp) or (
        compared.comparison_predicate.data is not _PREDICATE.GREATER_THAN
    ):
        return
    if (op.val_if_true, op.val_if_false) == (compared.lhs, compared.rhs):
        Rewriter.replace_op(op, cuda_tile.MaxFOp(compared.lhs, compared.rhs))


def without_extension(op: Operation) -> None:
    """A zero-extended integer becomes a float without the extension, with its sign."""
    assert isinstance(op, cuda_tile.IToFOp)
    extension = op.source.owner
    if isinstance(extension, cuda_tile.ExtIOp) and (
        extension.signedness.data is Signedness.UNSIGNED
    ):
        direct = cuda_tile.IToFOp(extension.source, op.result.type, Signedness.SIGNED)
        Rewriter.replace_op(op, direct)


def rounded_once(op: Operation) -> None:
    """Two roundings, as from f64 to f32 to f16, become one."""
    assert isinstance(op, cuda_tile.FToFOp)
    first = op.source.owner
    if isinstance(first, cuda_tile.FToFOp) and first.source.type != op.result.type:
        Rewriter.replace_op(op, cuda_tile.FToFOp(first.source, op.result.type))


def shifted_by_sum(op: Operation) -> None:
    """Two shifts by constants become one by their sum, modulo the width."""
    assert isinstance(op, cuda_tile.ShLIOp)
    first, second = op.lhs.owner, splat_of(op.rhs)
    if not isinstance(first, cuda_tile.ShLIOp) or not isinstance(second, int):
        return
    number, type_ = splat_of(first.rhs), op.result.type
    if not isinstance(number, int) or not isinstance(type_, cuda_tile.TileType):
        return
    total = cuda_tile.ConstantOp(cuda_tile.DenseConstantAttr.splat(type_, (number + second) % 32))
    Rewriter.replace_op(op, [total, cuda_tile.ShLIOp(first.lhs, total.result)])


def constants_last(op: Operation) -> None:
    """A comparison of a constant with a tile is turned, and forgets that they may be equal."""
    assert isinstance(op, cuda_tile.CmpIOp)
    predicate = _TURNED.get(op.comparison_predicate.data)
    if predicate and splat_of(op.lhs) is not None and splat_of(op.rhs) is None:
        turned = cuda_tile.CmpIOp(predicate, op.rhs, op.lhs, op.signedness.data)
        Rewriter.replace_op(op, turned)


def stored_value(op: Operation) -> None:
    """A load takes what the last store to its pointers has stored, also where a mask left it out."""
    assert isinstance(op, cuda_tile.LoadPtrTkoOp)
    before = op.prev_op
    while before is not None and not isinstance(before, cuda_tile.StorePtrTkoOp):
        before = before.prev_op
    if before is not None and before.destination is op.source and op.token is not None:
        Rewriter.replace_op(op, [], [before.value, op.token])


def offsets_together(op: Operation) -> None:
    """Two offsets of a pointer are added in their own type, where the sum may wrap."""
    assert isinstance(op, nv_tileaa.AddPtrOp)
    first = op.pointer.owner
    if isinstance(first, nv_tileaa.AddPtrOp) and first.offset.type == op.offset.type:
        total = nv_tileaa.AddIOp(first.offset, op.offset)
        Rewriter.replace_op(op, [total, nv_tileaa.AddPtrOp(first.pointer, total.result)])


def overwritten(op: Operation) -> None:
    """A store that a later one to its pointers follows is dropped, whatever mask that has."""
    assert isinstance(op, nv_tileaa.StoreOp)
    after = op.next_op
    while after is not None and not isinstance(after, nv_tileaa.StoreOp | nv_tileaa.LoadOp):
        after = after.next_op
    if isinstance(after, nv_tileaa.StoreOp) and after.pointers is op.pointers:
        token = op.token
        if token is None:
            made = nv_tileaa.CreateMemTokenOp()
            Rewriter.insert_op(made, InsertPoint.before(op))
            token = made.result
        Rewriter.replace_op(op, [], [token])


def map_of_equal_type(op: Operation) -> None:
    """Equal tensor maps of equal views are one, of whatever arrays."""
    assert isinstance(op, nv_tileas.MakeTiledTmaDescOp)
    before = op.prev_op
    while before is not None and not (
        isinstance(before, nv_tileas.MakeTiledTmaDescOp)
        and before.view.type == op.view.type
        and before.atom == op.atom
        and before.swizzle_mode == op.swizzle_mode
    ):
        before = before.prev_op
    if before is None:
        return
    for use in list(op.result.uses):
        use.operation.operands[use.index] = before.result
        if before.tma_index is not None:
            use.operation.properties["tmaIdx"] = before.tma_index
