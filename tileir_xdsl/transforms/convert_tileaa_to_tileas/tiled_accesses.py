"""Accesses of memory: the same operands and attributes, token, order and scope included.

    %x, %t1 = nv_tileaa.tiled_load weak %v[%i] token = %t {copy_atom = #cute_nvgpu.copy_atom<..>}
    ->
    %x, %t1 = nv_tileas.tiled_load weak %v[%i] token = %t {atom = #nv_tileas<atom ..>}

An access without a witness gets its atom when layouts are assigned. Atomic accesses through
pointers, and those of memory of several devices, have no counterpart and stay.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.attributes import RMWMode
from tileir_xdsl.rewriting import replace_op

from .patterns import SEGMENTS, Rebuild, RebuildTable


@dataclass(frozen=True)
class ConvertTiledAccess(Rebuild):
    """An access of one tile of a view, which now may have offsets before its token: none here.

    The padding of an access that is in bounds is dropped: no element needs it. It gives a token
    only where it takes one, so an access after which another comes takes a new one.
    """

    introduced: ClassVar[tuple[type[IRDLOperation], ...]] = (nv_tileaa.CreateMemTokenOp,)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        sizes = op.properties[SEGMENTS]
        assert isa(sizes, DenseArrayBase[IntegerType])
        *before, token = sizes.get_values()
        operands, new_ops = list(op.operands), list[Operation]()
        *tiles, result_token = op.results
        is_ordered = bool(token or result_token.uses)
        if is_ordered and not token:
            new_ops.append(nv_tileaa.CreateMemTokenOp())
            operands.append(new_ops[0].results[0])
        types = op.result_types if is_ordered else [tile.type for tile in tiles]
        # The token is the last group; offsets of a slice of the tile come before it.
        new_op = self.rebuild(op, operands, types, (*before, 0, int(is_ordered)))
        drop_unused_padding(new_op)
        results = new_op.results if is_ordered else [*new_op.results, None]
        replace_op(rewriter, op, [*new_ops, new_op], results)


@dataclass(frozen=True)
class ConvertTiledAtomicRMW(Rebuild):
    """An atomic access of one tile of a view, which now gives what was there before."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.TiledAtomicRMWOp)
        new_op = self.rebuild(op, op.operands, (op.value.type, op.result_token.type))
        new_op.properties["rmw_mode"] = nv_tileas.RMWModeAttr(RMWMode(op.rmw_mode.data.value))
        drop_unused_padding(new_op)
        # The old value has no use yet; later passes start the atomic without a result then.
        replace_op(rewriter, op, new_op, [new_op.results[1]])


def drop_unused_padding(op: Operation) -> None:
    """Removes the padding of an access all of whose elements are in bounds."""
    in_bounds = op.properties.get("in_bounds")
    if isa(in_bounds, DenseArrayBase[IntegerType]) and all(in_bounds.get_values()):
        op.properties.pop("padding_value", None)


MEMORY: RebuildTable = {
    nv_tileaa.GatherLoadOp: Rebuild(nv_tileas.GatherLoadOp),
    nv_tileaa.LoadOp: Rebuild(nv_tileas.LoadOp),
    nv_tileaa.ScatterStoreOp: Rebuild(nv_tileas.ScatterStoreOp),
    nv_tileaa.StoreOp: Rebuild(nv_tileas.StoreOp),
    nv_tileaa.TiledAtomicRMWOp: ConvertTiledAtomicRMW(nv_tileas.TiledAtomicRMWOp),
    nv_tileaa.TiledLoadOp: ConvertTiledAccess(nv_tileas.TiledLoadOp),
    nv_tileaa.TiledStoreOp: ConvertTiledAccess(nv_tileas.TiledStoreOp),
}
