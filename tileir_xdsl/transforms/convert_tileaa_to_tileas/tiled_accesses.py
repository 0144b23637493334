"""Converts memory accesses, with equal operands and attributes, such as token, order and scope.

    %x, %t1 = nv_tileaa.tiled_load weak %v[%i] token = %t {copy_atom = #cute_nvgpu.copy_atom<..>}
    ->
    %x, %t1 = nv_tileas.tiled_load weak %v[%i] token = %t {atom = #nv_tileas<atom ..>}

If an access has no witness, layout assignment selects its atom. Atomic accesses through pointers,
and accesses of multi-device memory, have no counterpart and stay.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from tileir_xdsl.builders.tiled_memory import (
    TiledAccess,
    TileViewSpec,
    build_view_then_tiled_load,
    build_view_then_tiled_store,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.attributes import RMWMode
from tileir_xdsl.rewriting import replace_op

from .patterns import SEGMENTS, Rebuild, RebuildTable

TOLD_BY_ACCESS = frozenset({SEGMENTS, "mem_semantic", "mem_scope", "in_bounds", "padding_value"})
"""The properties that `TiledAccess` has as fields or derives from operands."""


@dataclass(frozen=True)
class ConvertTiledAccess(Rebuild):
    """Converts an access of one tile of a view; it gets no offsets.

    The padding of an in-bounds access is dropped, since no element needs it. The new op returns a
    token only if it has a token operand, so an access whose token is used gets a new one.
    """

    introduced: ClassVar[tuple[type[IRDLOperation], ...]] = (nv_tileaa.CreateMemTokenOp,)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.TiledLoadOp | nv_tileaa.TiledStoreOp)
        token = op.token
        if token is None and op.result_token.uses:
            created = rewriter.insert(nv_tileaa.CreateMemTokenOp())
            created.location, token = op.location, created.result
        hints, attributes = self.described(op)
        atom = hints.pop("atom", None)
        assert atom is None or isinstance(atom, nv_tileas.AtomAttr)
        access = TiledAccess(
            op.coords,
            token=token,
            semantic=op.mem_semantic.data,
            scope=None if op.mem_scope is None else op.mem_scope.data,
            atom=atom,
            in_bounds=None
            if op.in_bounds is None
            else [bool(inside) for inside in op.in_bounds.get_values()],
            padding_value=op.padding_value,
            hints={key: value for key, value in hints.items() if key not in TOLD_BY_ACCESS},
        )
        assert isinstance(op.view.type, nv_tileaa.TiledViewType)
        view = TileViewSpec(op.view.type)
        new_op: Operation
        if isinstance(op, nv_tileaa.TiledLoadOp):
            new_op = build_view_then_tiled_load(rewriter, op.view, view, access, op.tile.type)
        else:
            new_op = build_view_then_tiled_store(rewriter, op.tile, op.view, view, access)
        new_op.attributes.update(attributes)
        new_op.location = op.location
        rewriter.replace(op, (), new_op.results if token else [*new_op.results, None])


@dataclass(frozen=True)
class ConvertTiledAtomicRMW(Rebuild):
    """Converts an atomic access of one tile of a view, which returns the previous contents."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, nv_tileaa.TiledAtomicRMWOp)
        new_op = self.rebuild(op, op.operands, (op.value.type, op.result_token.type))
        new_op.properties["rmw_mode"] = nv_tileas.RMWModeAttr(RMWMode(op.rmw_mode.data.value))
        drop_unused_padding(new_op)
        # The old value has no use yet; later passes start the atomic without a result then.
        replace_op(rewriter, op, new_op, [new_op.results[1]])


def drop_unused_padding(op: Operation) -> None:
    """Removes the padding of an access whose elements are all in bounds."""
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
